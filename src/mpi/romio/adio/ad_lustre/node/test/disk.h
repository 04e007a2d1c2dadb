/* disk.h - a file in memory, for tests of who reads and writes it
 *
 * Stands in for sys/rw and sys/lock: every access is listed, one can be made to
 * fail, and the test can do something while a reader has what it read and has
 * not yet looked at it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_DISK_H
#define ADL_TEST_DISK_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "../../sys/lock.h"
#include "../../sys/rw.h"

#ifndef DISK_SIZE
#define DISK_SIZE (1 << 16)
#endif
#define DISK_LIST 4096

struct disk_access {
    int write;
    int locked; /* under a lock that holds all of it */
    int64_t off, len;
};

static struct {
    pthread_mutex_t mutex;
    char data[DISK_SIZE];
    int64_t size; /* of the file */
    int n;
    struct disk_access list[DISK_LIST];
    int fail_at; /* this access fails, -1: none does */
    int64_t lock_off, lock_end;
    int no_group; /* there are no group locks */
    int groups;   /* how often one was taken */
} disk = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static inline void disk_begin(int64_t size)
{
    memset(disk.data, 0, sizeof(disk.data));
    memset(disk.data, '.', (size_t)size);
    disk.size = size;
    disk.n = 0;
    disk.fail_at = -1;
    disk.lock_off = disk.lock_end = 0;
    disk.groups = 0;
}

/* 0 or -EIO, and it is in the list. */
static inline int disk_list(int write, int64_t off, int64_t len)
{
    int locked = off >= disk.lock_off && off + len <= disk.lock_end;

    if (disk.n == DISK_LIST || off < 0 || off + len > DISK_SIZE)
        return -EFBIG;
    disk.list[disk.n] = (struct disk_access){write, locked, off, len};
    return disk.n++ == disk.fail_at ? -EIO : 0;
}

int adl_rw_read(int fd, void *buf, size_t len, int64_t off, size_t *done)
{
    int64_t left;
    int rc;

    (void)fd;
    *done = 0;
    pthread_mutex_lock(&disk.mutex);
    left = off < disk.size ? disk.size - off : 0;
    rc = disk_list(0, off, (int64_t)len);
    if (rc == 0) {
        *done = (int64_t)len < left ? len : (size_t)left;
        memcpy(buf, disk.data + off, *done);
    }
    pthread_mutex_unlock(&disk.mutex);
    return rc;
}

int adl_rw_write(int fd, const void *buf, size_t len, int64_t off, size_t *done)
{
    int rc;

    (void)fd;
    *done = 0;
    pthread_mutex_lock(&disk.mutex);
    rc = disk_list(1, off, (int64_t)len);
    if (rc == 0) {
        *done = len;
        memcpy(disk.data + off, buf, len);
        if (off + (int64_t)len > disk.size)
            disk.size = off + (int64_t)len;
    }
    pthread_mutex_unlock(&disk.mutex);
    return rc;
}

static inline void disk_lock(int64_t off, int64_t end)
{
    pthread_mutex_lock(&disk.mutex);
    disk.lock_off = off;
    disk.lock_end = end;
    pthread_mutex_unlock(&disk.mutex);
}

/* One lock at a time is all that a sieving aggregator holds. */
int adl_lock_write(int fd, int64_t off, int64_t len, struct adl_lock *lock)
{
    (void)fd;
    *lock = (struct adl_lock){.off = off};
    if (disk.lock_end > disk.lock_off)
        return -EDEADLK;
    lock->len = len;
    disk_lock(off, off + len);
    return 0;
}

/* A group lock is on all of the file; a second one of a descriptor fails. */
int adl_lustre_group_lock(int fd, int gid)
{
    (void)fd;
    if (disk.no_group || gid == 0 || disk.lock_end > disk.lock_off)
        return -EINVAL;
    disk.groups++;
    disk_lock(0, DISK_SIZE);
    return 0;
}

int adl_lustre_group_unlock(int fd, int gid)
{
    (void)fd, (void)gid;
    disk_lock(0, 0);
    return 0;
}

void adl_lock_here(int fd, int64_t off, int64_t len, struct adl_lock *lock)
{
    (void)fd;
    *lock = (struct adl_lock){.off = off, .len = len, .here = 1};
}

void adl_lock_drop(struct adl_lock *lock)
{
    if (lock->len > 0 && !lock->here)
        disk_lock(0, 0);
}

int adl_lock_is_missing(int rc)
{
    return rc == -ENOSYS;
}

#endif
