/* outcome.h - how a collective call ended on one rank, merged over all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OUTCOME_H
#define ADL_OUTCOME_H

#include <stdint.h>

struct adl_outcome {
    int64_t active; /* number of aggregators that made system calls */
    int64_t swift;  /* the shortest time of a rank in the start agreement, ns */
    /* The largest errno of a lock request (mpi/locks/lockmode.h); 0: none
     * failed. */
    int64_t lock_trouble;
    int64_t offset; /* offset of the worst error, -1: unknown */
    int32_t error;  /* 0 or the worst -errno */
    int32_t rank;   /* the rank with that error */
};

/* Merges `a` into `b`. If two ranks have the same error, the lower rank is
 * kept. */
void adl_outcome_merge(const struct adl_outcome *a, struct adl_outcome *b);

#endif
