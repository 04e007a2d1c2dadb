/* futex.h - sleep until a word in shared memory changes
 *
 * The word is a counter (a "bell"). A process that has changed something
 * increments it ("rings"). To wait for a condition: read the counter, check the
 * condition, then sleep until the counter differs from what was read. Ringing
 * costs one load while no process sleeps.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FUTEX_H
#define ADL_FUTEX_H

#include <stdint.h>

/* A counter on which processes sleep. It lies in shared memory. */
struct adl_bell {
    uint32_t count;
    uint32_t sleepers;
};

/* Read the counter before checking the condition. */
static inline uint32_t adl_bell_read(struct adl_bell *bell)
{
    return __atomic_load_n(&bell->count, __ATOMIC_SEQ_CST);
}

/* Wake all sleepers; call after the change. */
void adl_bell_ring(struct adl_bell *bell);

/* As adl_bell_wait, but at most `ns` nanoseconds (less than a second). 1: the
 * time is over. */
int adl_bell_nap(struct adl_bell *bell, uint32_t seen, int64_t ns);

/* Sleep until the counter differs from `seen`. May also return early. */
void adl_bell_wait(struct adl_bell *bell, uint32_t seen);

#endif
