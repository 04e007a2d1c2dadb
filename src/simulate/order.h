/* order.h - a processor that orders less: copies that others see late
 *
 * With config.weak, one in `weak` atomic operations that are weaker than a
 * release is seen by other ranks before the bytes that its fiber copied into
 * shared memory just before it. Those are put back to what they were, and
 * stored anew after a while. An operation of release order or stronger, a call
 * of MPI, the end of a mutex and a switch to another fiber make all bytes
 * visible.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_ORDER_H
#define SIMULATE_ORDER_H

#include <stddef.h>

/* The running fiber is about to copy `n` bytes to shared memory. */
void order_copy(void *to, size_t n);
/* What it has copied is visible. */
void order_all(void);

/* Bytes that are not visible yet. */
struct order_late {
    void *to;
    size_t n;
    void *bytes; /* NULL: there are none */
};

/* Around an atomic operation of memory order `order` (as in __ATOMIC_SEQ_CST).
 */
void order_begin(struct order_late *late, int order);
void order_end(struct order_late *late);

#endif
