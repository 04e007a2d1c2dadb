/* butterfly.c - which ranks exchange messages in a reduction, step by step */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "butterfly.h"

/* The largest 2^k or 3 * 2^k up to n. */
static int most_places(int n)
{
    int p = 1;

    while (p <= n / 2)
        p *= 2;
    return p >= 2 && p / 2 <= n - p ? p + p / 2 : p;
}

/* The base of the lowest digit of numbers below p. */
static int base_of(int p)
{
    return p % 3 == 0 ? 3 : p % 4 == 0 ? 4 : 2;
}

/* The rank that stands at place `i` of those that are left. */
static int at_place(int i, int folds)
{
    return i < folds ? 2 * i + 1 : i + folds;
}

static struct adl_butterfly_step fold_with(int other, int index, int sends)
{
    return (struct adl_butterfly_step){.n = 1,
                                       .other = {other},
                                       .before = other < index,
                                       .sends = sends,
                                       .takes = !sends};
}

/* With the places that differ from ours in the digit of this base, weight. */
static struct adl_butterfly_step exchange(int place, int weight, int base,
                                          int folds)
{
    int digit = place / weight % base;
    struct adl_butterfly_step s = {.before = digit, .sends = 1, .takes = 1};

    for (int d = 0; d < base; d++)
        if (d != digit)
            s.other[s.n++] = at_place(place + (d - digit) * weight, folds);
    return s;
}

int adl_butterfly(int n, int index,
                  struct adl_butterfly_step step[ADL_BUTTERFLY_STEPS])
{
    int p = most_places(n), folds = n - p, k = 0, base;
    int folded = index < 2 * folds;
    int place = folded ? index / 2 : index - folds;

    if (folded && index % 2 == 0) {
        step[k++] = fold_with(index + 1, index, 1);
        step[k] = fold_with(index + 1, index, 0);
        step[k++].result = 1;
        return k;
    }
    if (folded)
        step[k++] = fold_with(index - 1, index, 0);
    for (int weight = 1; weight < p; weight *= base) {
        base = base_of(p / weight);
        step[k++] = exchange(place, weight, base, folds);
    }
    if (folded)
        step[k++] = fold_with(index - 1, index, 1);
    return k;
}
