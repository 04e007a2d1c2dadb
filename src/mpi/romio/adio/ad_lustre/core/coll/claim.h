/* claim.h - what one rank asks of a collective call, and the merged sum */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CLAIM_H
#define ADL_CLAIM_H

#include <stdint.h>

struct adl_claim {
    int64_t start, end; /* span of file offsets; start > end: no bytes */
    /* largest end of the span, of this rank and all lower ranks */
    int64_t edge;
    int64_t bytes;       /* sum */
    int64_t pieces;      /* sum */
    int64_t most, least; /* bytes of the largest and smallest request */
    int64_t bits;        /* OR of all offsets and lengths */
    int64_t moved;       /* distance from the last call's span, see plan.h */
    uint64_t edges;      /* sum over all pieces, see edges.h */
    int32_t error;       /* 0 or the worst -errno */
    int32_t flags;       /* ADL_CLAIM_*, OR */
    /* For mpi/locks/lockmode.h: the span that ranks accessed independently
     * since the last call (lo > hi: none), and the largest errno of a lock
     * request (0: none failed). */
    int64_t alone_lo, alone_hi;
    int64_t lock_trouble;
    /* file offset of the end of what ranks wrote independently */
    int64_t apart;
    /* Writing: the shortest time, in ns, that a rank has waited for a lock of a
     * block (mpi/locks/blocklock.h), of all ranks; 0: no rank knows one. */
    int64_t lock_time;
};

#define ADL_CLAIM_INTERLEAVED 1 /* set by merging: spans overlap */
#define ADL_CLAIM_NONCONTIG 2   /* more than one piece in the file */
#define ADL_CLAIM_NEW 4         /* not the last call's shape, see plan.h */
#define ADL_CLAIM_UNCOUNTED 8   /* a rank's edges are not in the sum */
#define ADL_CLAIM_TANGLED 16    /* a rank's pieces do not ascend in the file */
#define ADL_CLAIM_UNLOCKED 32   /* writing: a rank has not locked its block */

#define ADL_MOVED_ANY INT64_MIN /* a rank that has nothing to move */

/* Merge `a`, of lower ranks, into `b`. Claims must be merged in the order of
 * the ranks: the flag INTERLEAVED says that a rank starts before a lower rank
 * ends. */
void adl_claim_merge(const struct adl_claim *a, struct adl_claim *b);

#endif
