/* doubling.h - who exchanges words with whom, to reduce them in order
 *
 * Recursive doubling. Of n ranks the first 2 (n - p) fold in pairs, where p is
 * the largest power of 2 up to n, so that p are left; these exchange with the
 * one whose place differs in one bit, bit by bit; the folded ones get the
 * result at the end:
 *
 *     n = 6, p = 4      0   1   2   3   4   5
 *       fold            0-> 1   2-> 3
 *       bit 0               1 <---> 3   4<->5
 *       bit 1               1 <-------> 4      3 <----> 5
 *       result          0 <-1   2 <-3
 *
 * What a rank has at any time is of ranks next to each other, so that merging
 * need not be commutative.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_DOUBLING_H
#define ADL_DOUBLING_H

#define ADL_DOUBLING_STEPS 34 /* fold, at most 31 doublings, result */

struct adl_doubling_step {
    int other; /* with whom */
    int sends, takes;
    int after;  /* ours is behind the other's in order */
    int result; /* what is taken is everybody's already */
};

/* The steps of rank `index` of n. How many. */
int adl_doubling(int n, int index,
                 struct adl_doubling_step step[ADL_DOUBLING_STEPS]);

#endif
