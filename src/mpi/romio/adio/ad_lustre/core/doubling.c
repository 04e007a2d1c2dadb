/* doubling.c - who exchanges words with whom, to reduce them in order */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "doubling.h"

/* The rank that stands at place `i` of those that are left. */
static int at_place(int i, int folds)
{
    return i < folds ? 2 * i + 1 : i + folds;
}

static struct adl_doubling_step step_with(int other, int index, int sends,
                                          int takes)
{
    return (struct adl_doubling_step){
        .other = other, .sends = sends, .takes = takes, .after = other < index};
}

int adl_doubling(int n, int index,
                 struct adl_doubling_step step[ADL_DOUBLING_STEPS])
{
    int p = 1, k = 0, folds, place;

    while (p <= n / 2)
        p *= 2;
    folds = n - p;
    place = index < 2 * folds ? index / 2 : index - folds;
    if (index < 2 * folds && index % 2 == 0) {
        step[k++] = step_with(index + 1, index, 1, 0);
        step[k] = step_with(index + 1, index, 0, 1);
        step[k++].result = 1;
        return k;
    }
    if (index < 2 * folds)
        step[k++] = step_with(index - 1, index, 0, 1);
    for (int bit = 1; bit < p; bit *= 2)
        step[k++] = step_with(at_place(place ^ bit, folds), index, 1, 1);
    if (index < 2 * folds)
        step[k++] = step_with(index - 1, index, 1, 0);
    return k;
}
