/* balance.h - divide a number into shares as evenly as limits allow */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BALANCE_H
#define ADL_BALANCE_H

#include <stdint.h>

/* share[i] <= limit[i], their sum is min(total, sum of limits), and no share
 * could be raised at the cost of one that is larger by 2 or more. Where shares
 * must differ by one, the larger ones are spaced evenly over the indices.
 * Returns the sum. Limits are >= 0. */
int64_t adl_balance(const int *limit, int n, int64_t total, int *share);

#endif
