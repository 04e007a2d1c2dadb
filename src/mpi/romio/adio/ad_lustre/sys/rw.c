/* rw.c - whole reads and writes */
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

int adl_rw_read(int fd, void *buf, size_t len, int64_t offset, size_t *done)
{
    int cached = 0;
    ssize_t n;

    *done = 0;
    while (*done < len) {
        n = pread(fd, (char *)buf + *done, chunk(len - *done), offset + *done);
        if (n == 0)
            break;
        if (n > 0)
            *done += n;
        else if (!try_again(fd, *done, &cached))
            return finish(fd, cached, -errno);
    }
    return finish(fd, cached, 0);
}

int adl_rw_readv(int fd, struct iovec *v, int n, int64_t offset, size_t *done)
{
    ssize_t got;

    *done = 0;
    while (n > 0) {
        got = preadv(fd, v, n, offset + (int64_t)*done);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got < 0)
            continue;
        *done += (size_t)got;
        for (; n > 0 && (size_t)got >= v->iov_len; v++, n--)
            got -= (ssize_t)v->iov_len;
        if (n > 0) {
            v->iov_base = (char *)v->iov_base + got;
            v->iov_len -= (size_t)got;
        }
    }
    return 0;
}

/* Write through a descriptor of its own, which has no flags of Lustre's. */
static ssize_t put_unflagged(int fd, const void *buf, size_t len,
                             int64_t offset)
{
    char path[32];
    ssize_t n;
    int own, rc, closed;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = adl_call_open(path, O_WRONLY, 0);
    if (own < 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    n = pwrite(own, buf, len, offset);
    rc = n < 0 ? errno : 0;
    closed = -adl_call_close(&own);
    errno = rc ? rc : closed;
    return errno ? -1 : n;
}

/* A descriptor whose locks are not to be expanded takes no byte that lies on
 * an MDT. To lift that for a moment would let the locks of other threads,
 * which write elsewhere through it, grow. */
static ssize_t put_some(int fd, const void *buf, size_t len, int64_t offset)
{
    ssize_t n = pwrite(fd, buf, len, offset);

    if (n < 0 && errno == EOPNOTSUPP)
        n = put_unflagged(fd, buf, len, offset);
    return n;
}

/* A file system that keeps writing nothing without an error would loop for
 * ever; POSIX allows it only for length 0. */
int adl_rw_write(int fd, const void *buf, size_t len, int64_t offset,
                 size_t *done)
{
    int cached = 0;
    ssize_t n;

    *done = 0;
    while (*done < len) {
        n = put_some(fd, (const char *)buf + *done, chunk(len - *done),
                     offset + *done);
        if (n == 0)
            return finish(fd, cached, -EIO);
        if (n > 0)
            *done += n;
        else if (!try_again(fd, *done, &cached))
            return finish(fd, cached, -errno);
    }
    return finish(fd, cached, 0);
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
