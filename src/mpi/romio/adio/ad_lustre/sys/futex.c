/* futex.c - sleep until a word in shared memory changes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Not FUTEX_PRIVATE: the sleepers are other processes. */
static long futex(uint32_t *word, int op, uint32_t value,
                  const struct timespec *limit)
{
    return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

/* Sequential consistency orders our increment against the sleeper's: either
 * we see it in `sleepers`, or it sees the new count and does not sleep. */
void adl_bell_ring(struct adl_bell *bell)
{
    __atomic_add_fetch(&bell->count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bell->sleepers, __ATOMIC_SEQ_CST) > 0)
        futex(&bell->count, FUTEX_WAKE, INT_MAX, NULL);
}

static int sleep_on(struct adl_bell *bell, uint32_t seen,
                    const struct timespec *limit)
{
    long rc = 0;

    __atomic_add_fetch(&bell->sleepers, 1, __ATOMIC_SEQ_CST);
    if (adl_bell_read(bell) == seen)
        rc = futex(&bell->count, FUTEX_WAIT, seen, limit);
    __atomic_sub_fetch(&bell->sleepers, 1, __ATOMIC_SEQ_CST);
    return rc != 0 && errno == ETIMEDOUT;
}

/* The time limit is for a killed waker: the sleeper then looks again instead of
 * sleeping for ever. */
void adl_bell_wait(struct adl_bell *bell, uint32_t seen)
{
    const struct timespec limit = {.tv_sec = 1};

    sleep_on(bell, seen, &limit);
}

int adl_bell_nap(struct adl_bell *bell, uint32_t seen, int64_t ns)
{
    const struct timespec limit = {.tv_nsec = ns};

    return sleep_on(bell, seen, &limit);
}
