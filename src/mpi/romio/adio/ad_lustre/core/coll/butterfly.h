/* butterfly.h - who exchanges words with whom, to reduce them in order
 *
 * A butterfly of radix 4. p is the largest number 2^k or 3 * 2^k up to n. Of n
 * ranks the first 2 (n - p) fold in pairs, so that p are left; these exchange
 * with all whose places differ in one digit, digit by digit, the lowest first;
 * the folded ones get the result at the end. Digits are of base 4, but for one
 * of base 3 or 2 where p needs it:
 *
 *     n = 7, p = 6      0   1   2   3   4   5   6
 *       fold            0-> 1
 *       base 3              1<->2<->3   4<->5<->6     (and 1<->3, 4<->6)
 *       base 2              1 <-------> 4, 2 <-> 5, 3 <-> 6
 *       result          0 <-1
 *
 * Each step costs the time of one message, since those of a step are under way
 * together: half as many steps as by doubling, for half as many messages more.
 * What a rank has at any time is of ranks next to each other, so that merging
 * need not be commutative.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BUTTERFLY_H
#define ADL_BUTTERFLY_H

#define ADL_BUTTERFLY_OTHERS 3 /* of a step, at the most */
#define ADL_BUTTERFLY_STEPS 18 /* fold, at most 16 digits, result */

struct adl_butterfly_step {
    int n;                           /* others */
    int other[ADL_BUTTERFLY_OTHERS]; /* in order */
    int before; /* so many of them are before us in order */
    int sends, takes;
    int result; /* what is taken is everybody's already */
};

/* The steps of rank `index` of n. How many. */
int adl_butterfly(int n, int index,
                  struct adl_butterfly_step step[ADL_BUTTERFLY_STEPS]);

#endif
