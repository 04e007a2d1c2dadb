/* lockmany.h - asks for several locks at the same time
 *
 * Lustre's client sends the requests of one system call one after the other,
 * and waits for each. For a block that lies on four objects that is four times
 * the time of a lock, if one thread asks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKMANY_H
#define ADL_LOCKMANY_H

#include "lustre.h"

/* Threads that ask at the same time, at most. */
#define ADL_LOCKMANY 8

/* adl_lustre_lock_now for writing, by up to `threads` threads, which end before
 * it returns. Where there are no threads the caller's asks for all. 0 or the
 * first -errno; *ns: the sum of the times of all system calls. */
int adl_lockmany(int fd, struct adl_lock_ahead *locks, int n, int threads,
                 int64_t *ns);

#endif
