/* libc.h - what the ranks' library gets in the place of the C library
 *
 * A call of X that the library leaves undefined becomes libc_X where there is
 * one; what lustre-sim looks for below itself is found so too (libc_dlsym).
 * Everything else goes to the C library: memory, text, and files, which are
 * real ones in a directory of the case.
 *
 * time.c     clock, yield, sleep: virtual
 * threads.c  threads are fibers; mutexes and conditions block fibers
 * shared.c   mappings, futexes, copies
 * heap.c     allocations of a rank, counted
 * files.c    byte-range locks, reads and writes, asynchronous I/O
 * process.c  names, environment and numbers of a rank's process and node
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_LIBC_H
#define SIMULATE_LIBC_H

#include <stdint.h>

/* Where other ranks may run: before and after whatever they could see. */
static inline void libc_hook(void);

/* What an address of shared memory is to all ranks of the node. */
uint64_t shared_key(const void *at);

/* Give the environment variable another value for the running rank; NULL: none.
 * `value` must stay. */
void process_setenv(const char *name, const char *value);

/* Locks of ranks that are dead are gone. */
void files_next_job(void);

/* Whether a rank is in lustre-sim's server: it is killed when it comes out, as
 * a process is that is in the kernel. */
int threads_in_server(int rank);

/* Whether the address is in memory that all ranks have in common. */
int shared_by_all(const void *at);

/* Whether the node has none left of what a rank asks for now. */
int libc_is_refused(void);
/* From now on there is enough. */
void libc_end_scarcity(void);

/* Bytes that a rank had on its heap at the most, without its program's. */
int64_t heap_peak(int rank);

struct libc_counts {
    uint64_t yields, naps, futex_waits, futex_wakes;
    uint64_t reads, read_bytes, writes, write_bytes;
    uint64_t shared_bytes;               /* mapped by all ranks together */
    uint64_t shared_memory, shared_peak; /* behind the mappings */
};
extern struct libc_counts libc_counts;

#include "../sched.h"

static inline void libc_hook(void)
{
    if (--sched_preempt_left < 0)
        sched_preempt();
}

#endif
