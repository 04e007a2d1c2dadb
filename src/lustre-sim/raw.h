/* raw.h - system calls without libc's names
 *
 * The preload library itself defines open, write, close and others. A call by
 * name inside the library would be intercepted again.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RAW_H
#define LSIM_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int raw_open(const char *path, int flags, int mode)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);

    return fd < 0 ? -errno : (int)fd;
}

static inline void raw_close(int fd)
{
    int saved = errno;

    syscall(SYS_close, fd);
    errno = saved;
}

static inline long raw_write(int fd, const void *buf, size_t len)
{
    long n = syscall(SYS_write, fd, buf, len);

    return n < 0 ? -errno : n;
}

/* Read up to len bytes of a whole file. Returns the number or -errno. */
static inline long raw_slurp(const char *path, char *buf, size_t len)
{
    int fd = raw_open(path, O_RDONLY, 0);
    size_t have = 0;
    long n = 0;

    if (fd < 0)
        return fd;
    while (have < len) {
        n = syscall(SYS_read, fd, buf + have, len - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    n = n < 0 ? -errno : (long)have;
    raw_close(fd);
    return n;
}

#endif
