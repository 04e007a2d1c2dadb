/* rw.c - whole reads and writes */
#include "rw.h"

#include <errno.h>
#include <unistd.h>

/* Linux moves at most 2 GiB less a page in a call; stay page-aligned. */
#define CHUNK ((size_t)1 << 30)

static size_t chunk(size_t left)
{
    return left < CHUNK ? left : CHUNK;
}

int adl_rw_read(int fd, void *buf, size_t len, int64_t offset, size_t *done)
{
    ssize_t n;

    *done = 0;
    while (*done < len) {
        n = pread(fd, (char *)buf + *done, chunk(len - *done), offset + *done);
        if (n == 0)
            return 0;
        if (n > 0)
            *done += n;
        else if (errno != EINTR)
            return -errno;
    }
    return 0;
}

/* A file system that keeps writing nothing without an error would loop for
 * ever; POSIX allows it only for length 0. */
int adl_rw_write(int fd, const void *buf, size_t len, int64_t offset,
                 size_t *done)
{
    ssize_t n;

    *done = 0;
    while (*done < len) {
        n = pwrite(fd, (const char *)buf + *done, chunk(len - *done),
                   offset + *done);
        if (n == 0)
            return -EIO;
        if (n > 0)
            *done += n;
        else if (errno != EINTR)
            return -errno;
    }
    return 0;
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
