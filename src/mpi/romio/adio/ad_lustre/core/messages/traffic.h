/* traffic.h - what one rank moved in a collective call, beside the file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TRAFFIC_H
#define ADL_TRAFFIC_H

#include <stdint.h>

struct adl_traffic {
    int64_t messages; /* between nodes, with parts of windows or wishes */
    int64_t large;    /* of them and beside them: with one large part's bytes */
    int64_t bytes;    /* in all of them */
    int64_t copied;   /* its own bytes that it copied on their way */
    int64_t copied_owner; /* others', which it copied as an aggregator */
    int64_t
        pool_peak; /* bytes of the node's pool in use at a time, until now */
};

/* Add `from` to `sum`; `from` begins again. */
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
