/* calls.h - system calls that a signal does not disturb
 *
 * Interrupted before they have done anything they are made again: on a file
 * system that answers over a network a profiler's or a batch system's signal
 * comes in between sooner or later, and is no error of the file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CALLS_H
#define ADL_CALLS_H

#include <stdint.h>
#include <sys/types.h>

/* The descriptor (close-on-exec) or -errno. `mode`: for O_CREAT. */
int adl_call_open(const char *path, int flags, mode_t mode);

/* All return 0 or -errno. */
int adl_call_fsync(int fd);
int adl_call_truncate(int fd, int64_t size);

/* Space for [0, size), which also becomes the size if it is larger. */
int adl_call_allocate(int fd, int64_t size);

/* Close *fd, if it is >= 0, and make it -1. Linux has closed a descriptor also
 * when it says EINTR; what was written is in the cache or on the servers, so
 * that is no error. Any other is the last word about earlier writes. */
int adl_call_close(int *fd);

#endif
