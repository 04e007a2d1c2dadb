/* outcome.h - how a collective call ended on one rank, merged over all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OUTCOME_H
#define ADL_OUTCOME_H

#include <stdint.h>

struct adl_outcome {
    int64_t active; /* sum of the aggregators that did system calls */
    int64_t swift;  /* ns in the start agreement of the rank with the least */
    /* The largest error of the locks (locks/lockmode), as a positive errno; 0:
     * none. */
    int64_t lock_trouble;
    int64_t offset; /* of the worst error, -1: not known */
    int32_t error;  /* 0 or the worst -errno */
    int32_t rank;   /* where that was */
};

/* `b` = `a` and `b`. Of two ranks with the same error the first in order. */
void adl_outcome_merge(const struct adl_outcome *a, struct adl_outcome *b);

#endif
