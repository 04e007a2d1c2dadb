/* butterfly.h - which ranks exchange messages in a reduction, step by step
 *
 * The reduction is a butterfly of radix 4 over n ranks. p is the largest number
 * 2^k or 3 * 2^k that is not above n. The first 2 (n - p) ranks fold: the even
 * rank of a pair sends its value to the odd one, so that p ranks are left.
 * These p ranks are numbered. In step i each rank exchanges with the ranks
 * whose numbers differ from its own in digit i only; digit 0 is the lowest. The
 * folded ranks get the result at the end. Digits have base 4, except one of
 * base 3 or 2 where p needs it:
 *
 *     n = 7, p = 6      0   1   2   3   4   5   6
 *       fold            0-> 1
 *       base 3              1<->2<->3   4<->5<->6     (and 1<->3, 4<->6)
 *       base 2              1 <-------> 4, 2 <-> 5, 3 <-> 6
 *       result          0 <-1
 *
 * A step takes the time of one message, because its messages are under way at
 * the same time. Recursive doubling would need twice as many steps and two
 * thirds of the messages. A rank always holds the merged values of consecutive
 * ranks, so the operation need not be commutative.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BUTTERFLY_H
#define ADL_BUTTERFLY_H

#define ADL_BUTTERFLY_OTHERS 3 /* most ranks in a step */
#define ADL_BUTTERFLY_STEPS 18 /* fold, at most 16 digits, result */

struct adl_butterfly_step {
    int n;                           /* ranks to exchange with */
    int other[ADL_BUTTERFLY_OTHERS]; /* in order */
    int before;                      /* how many of them are lower ranks */
    int sends, takes;                /* this rank sends, receives */
    int result;                      /* what is received is the final result */
};

/* Fills in the steps of rank `index` of n. Returns their number. */
int adl_butterfly(int n, int index,
                  struct adl_butterfly_step step[ADL_BUTTERFLY_STEPS]);

#endif
