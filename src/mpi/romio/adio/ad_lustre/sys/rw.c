/* rw.c - whole reads and writes: no short counts, no EINTR, any length */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "rw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "calls.h"

/* Linux moves at most 2 GiB less a page in a call; stay page-aligned. */
#define CHUNK ((size_t)1 << 30)

static size_t chunk(size_t left)
{
    return left < CHUNK ? left : CHUNK;
}

/* Whether a transfer that failed with errno is to be tried again. Direct I/O
 * takes whole blocks only: after a short transfer that ended inside one the
 * rest goes through the page cache, for which *cached is set. */
static int try_again(int fd, size_t done, int *cached)
{
    int flags;

    if (errno == EINTR)
        return 1;
    if (errno != EINVAL || done == 0 || *cached)
        return 0;
    flags = fcntl(fd, F_GETFL);
    *cached = flags >= 0 && (flags & O_DIRECT) &&
              fcntl(fd, F_SETFL, flags & ~O_DIRECT) == 0;
    errno = EINVAL;
    return *cached;
}

/* The end of a transfer: direct again, if it was. */
static int finish(int fd, int cached, int rc)
{
    if (cached)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
    return rc;
}

/* A descriptor whose locks are not to be expanded moves no byte that lies on
 * an MDT: EOPNOTSUPP. To lift that for a moment would let the locks of other
 * threads, which work elsewhere through it, grow. So another descriptor of the
 * same file, which has no flags of Lustre's, moves them. Returns it, or -1 with
 * EOPNOTSUPP. */
static int open_unflagged(int fd, int how)
{
    char path[32];
    int own;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = adl_call_open(path, how, 0);
    if (own < 0)
        errno = EOPNOTSUPP;
    return own < 0 ? -1 : own;
}

/* The end of it: n and errno are those of the transfer, or the close's. */
static ssize_t close_unflagged(int own, ssize_t n)
{
    int rc = n < 0 ? errno : 0;
    int closed = -adl_call_close(&own);

    errno = rc ? rc : closed;
    return errno ? -1 : n;
}

static ssize_t call_once(int fd, int write, void *buf, size_t len,
                         int64_t offset)
{
    return write ? pwrite(fd, buf, len, offset) : pread(fd, buf, len, offset);
}

static ssize_t move_some(int fd, int write, void *buf, size_t len,
                         int64_t offset)
{
    ssize_t n = call_once(fd, write, buf, len, offset);
    int own;

    if (n >= 0 || errno != EOPNOTSUPP)
        return n;
    own = open_unflagged(fd, write ? O_WRONLY : O_RDONLY);
    if (own < 0)
        return -1;
    return close_unflagged(own, call_once(own, write, buf, len, offset));
}

/* A file system that keeps writing nothing without an error would loop for
 * ever; POSIX allows it only for length 0. */
static int move_all(int fd, int write, char *buf, size_t len, int64_t offset,
                    size_t *done)
{
    int cached = 0;
    ssize_t n;

    *done = 0;
    while (*done < len) {
        n = move_some(fd, write, buf + *done, chunk(len - *done),
                      offset + *done);
        if (n == 0)
            return finish(fd, cached, write ? -EIO : 0);
        if (n > 0)
            *done += n;
        else if (!try_again(fd, *done, &cached))
            return finish(fd, cached, -errno);
    }
    return finish(fd, cached, 0);
}

int adl_rw_read(int fd, void *buf, size_t len, int64_t offset, size_t *done)
{
    return move_all(fd, 0, buf, len, offset, done);
}

int adl_rw_write(int fd, const void *buf, size_t len, int64_t offset,
                 size_t *done)
{
    return move_all(fd, 1, (char *)(uintptr_t)buf, len, offset, done);
}

int adl_rw_put(int fd, const void *buf, size_t len)
{
    size_t at = 0;
    ssize_t n;

    while (at < len) {
        n = write(fd, (const char *)buf + at, len - at);
        if (n > 0)
            at += n;
        else if (n == 0 || errno != EINTR)
            return n == 0 ? -EIO : -errno;
    }
    return 0;
}
