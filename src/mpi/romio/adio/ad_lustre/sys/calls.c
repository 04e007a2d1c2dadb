/* calls.c - system calls that are repeated when a signal interrupts them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int adl_call_open(const char *path, int flags, mode_t mode)
{
    int fd = TEMP_FAILURE_RETRY(open(path, flags | O_CLOEXEC, mode));

    return fd < 0 ? -errno : fd;
}

int adl_call_fsync(int fd)
{
    return TEMP_FAILURE_RETRY(fsync(fd)) ? -errno : 0;
}

/* A wait before and after the write is what makes Linux report errors, and
 * Lustre wait for the servers' replies. No file: nothing to flush. */
int adl_call_flush(int fd)
{
    const unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                         SYNC_FILE_RANGE_WAIT_AFTER;

    if (TEMP_FAILURE_RETRY(sync_file_range(fd, 0, 0, how)) == 0 ||
        errno == ESPIPE)
        return 0;
    if (errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP)
        return adl_call_fsync(fd);
    return -errno;
}

int adl_call_truncate(int fd, int64_t size)
{
    return TEMP_FAILURE_RETRY(ftruncate(fd, size)) ? -errno : 0;
}

int adl_call_allocate(int fd, int64_t size)
{
    return TEMP_FAILURE_RETRY(fallocate(fd, 0, 0, size)) ? -errno : 0;
}

int adl_call_close(int *fd)
{
    int rc = *fd >= 0 && close(*fd) && errno != EINTR ? -errno : 0;

    *fd = -1;
    return rc;
}
