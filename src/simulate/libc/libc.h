/* libc.h - replaces functions of the C library for the simulated ranks
 *
 * When the ranks' library calls X and there is a libc_X, libc_X is called
 * instead. What lustre-sim finds by dlsym is replaced in the same way
 * (libc_dlsym). All other calls go to the real C library. Files are real files
 * in a directory of the case.
 *
 *   time.c     clock, yield, sleep: virtual
 *   threads.c  threads are fibers; mutexes and conditions block fibers
 *   shared.c   mappings, futexes, copies
 *   heap.c     allocations of a rank, counted
 *   files.c    byte-range locks, reads and writes, asynchronous I/O
 *   process.c  names, environment and numbers of a rank's process and node
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_LIBC_H
#define SIMULATE_LIBC_H

#include <stdint.h>

/* A point at which other ranks may run. It is called before and after every
 * change that other ranks could see. */
static inline void libc_hook(void);

/* A key for an address: in shared memory the same for all ranks that map it; of
 * a variable of the library another one for each rank. */
uint64_t shared_key(const void *at);

/* The running fiber goes to sleep on a key. Fails the case if its sleep before
 * ended by a time limit though what it waited for had come. */
void shared_sleeps(uint64_t key);
/* The running rank sleeps so long on purpose. */
void shared_naps(int64_t ns);

/* Give the environment variable another value for the running rank; NULL: none.
 * `value` must stay. */
void process_setenv(const char *name, const char *value);

/* Drop the file locks of killed ranks. */
void files_next_job(void);

/* Is the rank inside lustre-sim's server? Such a rank is killed when it leaves
 * it, as a process inside the kernel is. */
int threads_in_server(int rank);

/* Whether the address is in memory that all ranks have in common. */
int shared_by_all(const void *at);

/* Should the node refuse the resource that a rank asks for now? */
int libc_is_refused(void);
/* From now on the node refuses no resource. */
void libc_end_scarcity(void);

/* The largest number of bytes that a rank had on its heap, without those of its
 * program. */
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
