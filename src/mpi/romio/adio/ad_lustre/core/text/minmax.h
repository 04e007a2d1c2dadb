/* minmax.h - the smaller and the larger of two */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_MINMAX_H
#define ADL_MINMAX_H

#include <stdint.h>

static inline int64_t adl_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t adl_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
