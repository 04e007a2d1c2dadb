/* calls.h - system calls that are repeated when a signal interrupts them
 *
 * On a network file system a call may take long, and a signal of a profiler or
 * of the batch system may interrupt it. That is no error of the file: a call
 * that fails with EINTR is made again.
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
/* Send all data that this node has written to the file to the servers, and
 * return their errors. Does not wait for the servers' disks. On Lustre this
 * sends the dirty pages and nothing else. */
int adl_call_flush(int fd);
int adl_call_truncate(int fd, int64_t size);

/* Allocate space for [0, size). A file that is shorter gets that size. */
int adl_call_allocate(int fd, int64_t size);

/* Close *fd, if it is >= 0, and set it to -1. On Linux close(2) has closed the
 * descriptor even when it fails with EINTR, and loses no data: EINTR is no
 * error here. Any other error means that an earlier write failed. */
int adl_call_close(int *fd);

#endif
