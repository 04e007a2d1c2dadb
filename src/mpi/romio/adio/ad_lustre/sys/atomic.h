/* atomic.h - atomic operations, sequentially consistent, on shared memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ATOMIC_H
#define ADL_ATOMIC_H

#include <stdint.h>

static inline int64_t adl_atomic_load(const int64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

static inline void adl_atomic_store(int64_t *to, int64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

/* Set the number to `value` if `value` is smaller. */
static inline void adl_atomic_lower(int64_t *to, int64_t value)
{
    int64_t old = adl_atomic_load(to);

    while (value < old &&
           !__atomic_compare_exchange_n(to, &old, value, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        ;
}

#endif
