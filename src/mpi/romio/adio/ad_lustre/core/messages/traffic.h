/* traffic.h - counts of messages and copies of one rank in a collective call */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TRAFFIC_H
#define ADL_TRAFFIC_H

#include <stdint.h>

struct adl_traffic {
    int64_t messages;     /* between nodes, with parts of windows or requests */
    int64_t large;        /* messages that carry the bytes of one large part */
    int64_t bytes;        /* in both kinds */
    int64_t copied;       /* bytes of its own data that the rank copied */
    int64_t copied_owner; /* bytes of other ranks, copied as an aggregator */
    int64_t pool_peak;    /* most bytes of the node's pool in use so far */
};

/* Add `from` to `sum`, and set `from` to zero. */
static inline void adl_traffic_take(struct adl_traffic *from,
                                    struct adl_traffic *sum)
{
    sum->messages += from->messages;
    sum->large += from->large;
    sum->bytes += from->bytes;
    sum->copied += from->copied;
    sum->copied_owner += from->copied_owner;
    *from = (struct adl_traffic){0};
}

#endif
