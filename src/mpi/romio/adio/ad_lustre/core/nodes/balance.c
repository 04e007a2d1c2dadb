/* balance.c - divide a number into shares as evenly as limits allow */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "balance.h"

static int64_t sum_at(const int *limit, int n, int64_t level)
{
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        sum += limit[i] < level ? limit[i] : level;
    return sum;
}

/* The highest level at which the sum of all shares still fits into total. */
static int64_t find_level(const int *limit, int n, int64_t total)
{
    int64_t lo = 0, hi = INT32_MAX;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo + 1) / 2;

        if (sum_at(limit, n, mid) <= total)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

int64_t adl_balance(const int *limit, int n, int64_t total, int *share)
{
    int64_t level = find_level(limit, n, total), sum = 0, left, k = 0,
            above = 0;

    for (int i = 0; i < n; i++) {
        share[i] = (int)(limit[i] < level ? limit[i] : level);
        sum += share[i];
        above += limit[i] > level;
    }
    left = total - sum < above ? total - sum : above;
    /* of the `above` that have room, the k-th gets one more when the rounded
     * down multiple of left / above steps up there: left evenly spaced ones */
    for (int i = 0; i < n; i++) {
        if (limit[i] <= level)
            continue;
        if ((k * left + above - 1) / above !=
            ((k + 1) * left + above - 1) / above)
            share[i]++;
        k++;
    }
    return sum + left;
}
