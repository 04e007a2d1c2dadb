/* preempt.c - other ranks may run before any access to memory
 *
 * The driver's second set of objects is compiled with -fsanitize=thread. The
 * compiler then calls a function before every load and store, and in the place
 * of every atomic operation. This file has these functions. In each of them the
 * seed may let other ranks run; with config.atomics only in those that replace
 * atomic operations. Memory is sequentially consistent here, but for the bytes
 * that order.h makes visible late.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdint.h>
#include <string.h>

#include "config.h"
#include "libc/libc.h"
#include "order.h"

static inline void plain_hook(void)
{
    if (!config.atomics)
        libc_hook();
}

#define HOOK(name)       \
    void name(void *at); \
    void name(void *at)  \
    {                    \
        (void)at;        \
        plain_hook();    \
    }
/* clang-format off */
HOOK(__tsan_read1) HOOK(__tsan_read2) HOOK(__tsan_read4) HOOK(__tsan_read8)
HOOK(__tsan_read16) HOOK(__tsan_write1) HOOK(__tsan_write2)
HOOK(__tsan_write4) HOOK(__tsan_write8) HOOK(__tsan_write16)
HOOK(__tsan_unaligned_read2) HOOK(__tsan_unaligned_read4)
HOOK(__tsan_unaligned_read8) HOOK(__tsan_unaligned_read16)
HOOK(__tsan_unaligned_write2) HOOK(__tsan_unaligned_write4)
HOOK(__tsan_unaligned_write8) HOOK(__tsan_unaligned_write16)
HOOK(__tsan_func_entry)
    /* clang-format on */

    void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *at, unsigned long bytes);
void __tsan_read_range(void *at, unsigned long bytes)
{
    (void)at, (void)bytes;
    plain_hook();
}

void __tsan_write_range(void *at, unsigned long bytes);
void __tsan_write_range(void *at, unsigned long bytes)
{
    (void)at, (void)bytes;
    plain_hook();
}

/* An operation between two hooks: what it published may be seen at once. */
#define ATOMIC_RMW(bits, what, builtin)                                       \
    uint##bits##_t __tsan_atomic##bits##_##what(uint##bits##_t *at,           \
                                                uint##bits##_t value, int o); \
    uint##bits##_t __tsan_atomic##bits##_##what(uint##bits##_t *at,           \
                                                uint##bits##_t value, int o)  \
    {                                                                         \
        struct order_late late;                                               \
        uint##bits##_t old;                                                   \
                                                                              \
        libc_hook();                                                          \
        order_begin(&late, o);                                                \
        old = builtin(at, value, __ATOMIC_SEQ_CST);                           \
        order_end(&late);                                                     \
        libc_hook();                                                          \
        return old;                                                           \
    }

#define ATOMIC_CAS(bits, how)                                                 \
    int __tsan_atomic##bits##_compare_exchange_##how(                         \
        uint##bits##_t *at, uint##bits##_t *old, uint##bits##_t value, int o, \
        int fail);                                                            \
    int __tsan_atomic##bits##_compare_exchange_##how(                         \
        uint##bits##_t *at, uint##bits##_t *old, uint##bits##_t value, int o, \
        int fail)                                                             \
    {                                                                         \
        struct order_late late;                                               \
        int done;                                                             \
                                                                              \
        (void)fail;                                                           \
        libc_hook();                                                          \
        order_begin(&late, o);                                                \
        done = __atomic_compare_exchange_n(                                   \
            at, old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
        order_end(&late);                                                     \
        libc_hook();                                                          \
        return done;                                                          \
    }

#define ATOMIC_SIZE(bits)                                                      \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at,        \
                                              int o);                          \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *at, int o) \
    {                                                                          \
        (void)o;                                                               \
        libc_hook();                                                           \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                          \
    }                                                                          \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t v,     \
                                     int o);                                   \
    void __tsan_atomic##bits##_store(uint##bits##_t *at, uint##bits##_t v,     \
                                     int o)                                    \
    {                                                                          \
        struct order_late late;                                                \
                                                                               \
        libc_hook();                                                           \
        order_begin(&late, o);                                                 \
        __atomic_store_n(at, v, __ATOMIC_SEQ_CST);                             \
        order_end(&late);                                                      \
        libc_hook();                                                           \
    }                                                                          \
    ATOMIC_RMW(bits, exchange, __atomic_exchange_n)                            \
    ATOMIC_RMW(bits, fetch_add, __atomic_fetch_add)                            \
    ATOMIC_RMW(bits, fetch_sub, __atomic_fetch_sub)                            \
    ATOMIC_RMW(bits, fetch_or, __atomic_fetch_or)                              \
    ATOMIC_RMW(bits, fetch_and, __atomic_fetch_and)                            \
    ATOMIC_RMW(bits, fetch_xor, __atomic_fetch_xor)                            \
    ATOMIC_CAS(bits, strong)                                                   \
    ATOMIC_CAS(bits, weak)

ATOMIC_SIZE(8)
ATOMIC_SIZE(16)
ATOMIC_SIZE(32)
ATOMIC_SIZE(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    if (order >= __ATOMIC_RELEASE)
        order_all();
    libc_hook();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
