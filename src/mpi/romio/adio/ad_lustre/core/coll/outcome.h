/* outcome.h - how a collective call ended on one rank, merged over all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OUTCOME_H
#define ADL_OUTCOME_H

#include <stdint.h>

struct adl_outcome {
    int64_t active; /* sum of the aggregators that did system calls */
    int64_t swift;  /* the least time of a rank in the start agreement, ns */
    /* The largest errno of a lock request (locks/lockmode); 0: none failed. */
    int64_t lock_trouble;
    int64_t offset; /* of the worst error, -1: not known */
    int32_t error;  /* 0 or the worst -errno */
    int32_t rank;   /* the rank with that error */
};

/* Merges `a` into `b`. If two ranks have the same error, the lower rank is
 * kept. */
void adl_outcome_merge(const struct adl_outcome *a, struct adl_outcome *b);

#endif
