/* files.c - byte-range locks, reads and writes, asynchronous I/O */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../config.h"
#include "../memory.h"
#include "../trace.h"
#include "calls.h"
#include "libc.h"

/* ---- locks: the kernel knows one process only ---- */

struct range_lock {
    struct range_lock *next;
    dev_t dev;
    ino_t ino;
    int owner; /* a rank; of an open file's lock OPEN_FILE + descriptor */
    int write;
    int64_t start, end;
};
#define OPEN_FILE (1 << 24)
static struct range_lock *locks;
static char lock_key; /* of tasks that wait for any lock */

static int64_t end_of(const struct flock *l)
{
    return l->l_len ? l->l_start + l->l_len : INT64_MAX;
}

static int overlaps(const struct range_lock *l, const struct stat *st,
                    int64_t start, int64_t end)
{
    return l->ino == st->st_ino && l->dev == st->st_dev && l->start < end &&
           start < l->end;
}

static int conflicts(const struct stat *st, const struct flock *f, int owner)
{
    for (const struct range_lock *l = locks; l; l = l->next)
        if (l->owner != owner && (l->write || f->l_type == F_WRLCK) &&
            overlaps(l, st, f->l_start, end_of(f)))
            return 1;
    return 0;
}

static void add_lock(const struct range_lock *like, int64_t start, int64_t end)
{
    struct range_lock *l;

    if (start >= end)
        return;
    l = must_calloc(1, sizeof(*l));
    *l = *like;
    l->start = start;
    l->end = end;
    l->next = locks;
    locks = l;
}

/* What the owner holds of a range goes; what lies beside it stays. */
static void drop_locks(const struct stat *st, int owner, int64_t start,
                       int64_t end)
{
    struct range_lock **at = &locks;

    while (*at) {
        struct range_lock *l = *at;

        if (l->owner != owner || !overlaps(l, st, start, end)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        add_lock(l, l->start, start < l->end ? start : l->end);
        add_lock(l, end > l->start ? end : l->start, l->end);
        free(l);
        at = &locks;
    }
}

static int set_lock(int fd, const struct flock *f, int owner, int wait)
{
    struct range_lock l = {.owner = owner, .write = f->l_type == F_WRLCK};
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -1;
    while (f->l_type != F_UNLCK && conflicts(&st, f, owner)) {
        if (!wait) {
            errno = EAGAIN;
            return -1;
        }
        TRACE("waits for a lock of [%lld, %lld), owner %d",
              (long long)f->l_start, (long long)end_of(f), owner);
        sched_block((uint64_t)(uintptr_t)&lock_key, -1, "waits for fcntl");
    }
    TRACE("%s [%lld, %lld), owner %d",
          f->l_type == F_UNLCK ? "unlocks" : "locks", (long long)f->l_start,
          (long long)end_of(f), owner);
    drop_locks(&st, owner, f->l_start, end_of(f));
    l.dev = st.st_dev;
    l.ino = st.st_ino;
    if (f->l_type != F_UNLCK)
        add_lock(&l, f->l_start, end_of(f));
    else
        sched_wake((uint64_t)(uintptr_t)&lock_key, INT32_MAX);
    return 0;
}

/* ---- flock: of an open file ---- */

struct file_lock {
    struct file_lock *next;
    dev_t dev;
    ino_t ino;
    int fd;
};
static struct file_lock *file_locks;

static struct file_lock **find_file_lock(const struct stat *st)
{
    struct file_lock **at = &file_locks;

    while (*at && ((*at)->ino != st->st_ino || (*at)->dev != st->st_dev))
        at = &(*at)->next;
    return at;
}

static void drop_file_lock(int fd)
{
    struct file_lock **at = &file_locks, *l;

    while (*at && (*at)->fd != fd)
        at = &(*at)->next;
    l = *at;
    if (!l)
        return;
    *at = l->next;
    free(l);
    sched_wake((uint64_t)(uintptr_t)&file_locks, INT32_MAX);
}

int libc_flock(int fd, int operation)
{
    struct file_lock **at, *l;
    struct stat st;

    libc_hook();
    if (fstat(fd, &st) < 0)
        return -1;
    if (operation & LOCK_UN) {
        drop_file_lock(fd);
        return 0;
    }
    while (*(at = find_file_lock(&st)) && (*at)->fd != fd) {
        if (operation & LOCK_NB) {
            errno = EWOULDBLOCK;
            return -1;
        }
        sched_block((uint64_t)(uintptr_t)&file_locks, -1, "waits for flock");
    }
    if (*at)
        return 0;
    l = *at = must_calloc(1, sizeof(*l));
    l->dev = st.st_dev;
    l->ino = st.st_ino;
    l->fd = fd;
    return 0;
}

/* The kernel knows of a dead process's locks before the next one starts. */
void files_next_job(void)
{
    while (locks) {
        struct range_lock *l = locks;

        locks = l->next;
        free(l);
    }
    while (file_locks)
        drop_file_lock(file_locks->fd);
}

int libc_fcntl(int fd, int command, ...)
{
    va_list ap;
    void *arg;

    va_start(ap, command);
    arg = va_arg(ap, void *);
    va_end(ap);
    libc_hook();
    sched_charge(1000);
    if (command == F_SETLK || command == F_SETLKW)
        return set_lock(fd, arg, sched_rank, command == F_SETLKW);
    if (command == F_OFD_SETLK || command == F_OFD_SETLKW)
        return set_lock(fd, arg, OPEN_FILE + fd, command == F_OFD_SETLKW);
    return fcntl(fd, command, arg);
}

/* POSIX: a process that closes a file loses its locks on it. An open file's
 * go with its last descriptor; it has one here. */
int libc_close(int fd)
{
    struct stat st;

    libc_hook();
    if (file_locks)
        drop_file_lock(fd);
    if (locks && fstat(fd, &st) == 0) {
        drop_locks(&st, sched_rank, 0, INT64_MAX);
        drop_locks(&st, OPEN_FILE + fd, 0, INT64_MAX);
        sched_wake((uint64_t)(uintptr_t)&lock_key, INT32_MAX);
    }
    return close(fd);
}

/* ---- reads and writes ---- */

static void note_write(int fd, ssize_t n, off_t off)
{
    sched_accomplished();
    libc_counts.writes++;
    libc_counts.write_bytes += n > 0 ? (uint64_t)n : 0;
    sched_charge(1000 + (int64_t)((double)n / config.copy_speed));
    TRACE("writes %lld bytes at %lld, descriptor %d", (long long)n,
          (long long)off, fd);
    libc_hook();
}

static void note_read(int fd, ssize_t n, off_t off)
{
    sched_accomplished();
    libc_counts.reads++;
    libc_counts.read_bytes += n > 0 ? (uint64_t)n : 0;
    sched_charge(1000 + (int64_t)((double)n / config.copy_speed));
    TRACE("reads %lld bytes at %lld, descriptor %d", (long long)n,
          (long long)off, fd);
    libc_hook();
}

ssize_t libc_pwrite(int fd, const void *buf, size_t n, off_t off)
{
    ssize_t rc;

    libc_hook();
    rc = pwrite(fd, buf, n, off);
    note_write(fd, rc, off);
    return rc;
}

ssize_t libc_pread(int fd, void *buf, size_t n, off_t off)
{
    ssize_t rc;

    libc_hook();
    rc = pread(fd, buf, n, off);
    note_read(fd, rc, off);
    return rc;
}

ssize_t libc_pwritev(int fd, const struct iovec *v, int n, off_t off)
{
    ssize_t rc;

    libc_hook();
    rc = pwritev(fd, v, n, off);
    note_write(fd, rc, off);
    return rc;
}

ssize_t libc_preadv(int fd, const struct iovec *v, int n, off_t off)
{
    ssize_t rc;

    libc_hook();
    rc = preadv(fd, v, n, off);
    note_read(fd, rc, off);
    return rc;
}

ssize_t libc_write(int fd, const void *buf, size_t n)
{
    ssize_t rc;

    libc_hook();
    rc = write(fd, buf, n);
    if (fd > 2)
        note_write(fd, rc, -1);
    return rc;
}

ssize_t libc_read(int fd, void *buf, size_t n)
{
    ssize_t rc;

    libc_hook();
    rc = read(fd, buf, n);
    note_read(fd, rc, -1);
    return rc;
}

/* ---- asynchronous I/O: done at once ---- */

static int aio_done(struct aiocb *cb, ssize_t rc)
{
    cb->__error_code = rc < 0 ? errno : 0;
    cb->__return_value = rc;
    return 0;
}

int libc_aio_write(struct aiocb *cb)
{
    return aio_done(cb, libc_pwrite(cb->aio_fildes, (const void *)cb->aio_buf,
                                    cb->aio_nbytes, cb->aio_offset));
}

int libc_aio_read(struct aiocb *cb)
{
    return aio_done(cb, libc_pread(cb->aio_fildes, (void *)cb->aio_buf,
                                   cb->aio_nbytes, cb->aio_offset));
}

int libc_aio_error(const struct aiocb *cb)
{
    return cb->__error_code;
}

ssize_t libc_aio_return(struct aiocb *cb)
{
    return cb->__return_value;
}

int libc_aio_suspend(const struct aiocb *const list[], int n,
                     const struct timespec *limit)
{
    (void)list, (void)n, (void)limit;
    return 0;
}
