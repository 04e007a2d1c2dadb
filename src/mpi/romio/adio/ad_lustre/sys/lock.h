/* lock.h - byte-range locks, for read-modify-write
 *
 * A lock excludes other processes, other descriptors of the file in this
 * process and other threads that use the same descriptor. It belongs to the
 * open file description (F_OFD_SETLKW). A POSIX lock would be lost when any
 * descriptor of the file is closed, by the driver or by the application; this
 * one is not. A kernel before 3.15 has POSIX locks only.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCK_H
#define ADL_LOCK_H

#include <stdint.h>

/* A lock that is held, in memory of the caller; len 0: none is held. A thread
 * must not ask for a second lock that overlaps the first. */
struct adl_lock {
    int fd;
    int64_t off, len;
    int here;              /* the file system does not know of it */
    struct adl_lock *next; /* lock.c's own */
};

/* Wait for an exclusive lock on [off, off + len), 0 < len. On a file system
 * without locks (ENOSYS, EOPNOTSUPP: Lustre mounted without flock) it returns
 * -errno, and nothing is held. */
int adl_lock_write(int fd, int64_t off, int64_t len, struct adl_lock *lock);
/* The same, but a lock that readers in other processes may share. */
int adl_lock_read(int fd, int64_t off, int64_t len, struct adl_lock *lock);
/* A lock among the threads of this process that use this descriptor; the file
 * system is not asked. */
void adl_lock_here(int fd, int64_t off, int64_t len, struct adl_lock *lock);
/* Give the lock back, if one is held. */
void adl_lock_drop(struct adl_lock *lock);

/* Does the error `rc` of these functions mean that the file system has no
 * locks? */
int adl_lock_is_missing(int rc);
/* Does the file system of `fd` have locks? 0: yes; else the -errno of a lock
 * request. Nothing is locked. */
int adl_lock_probe(int fd);

#endif
