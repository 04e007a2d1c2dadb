/* lock.c - byte-range locks between processes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int set_lock(int fd, short type, int64_t off, int64_t len)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = off, .l_len = len};
    int rc;

    do {
        rc = fcntl(fd, F_SETLKW, &lock);
    } while (rc && errno == EINTR);
    return rc ? -errno : 0;
}

int adl_lock_write(int fd, int64_t off, int64_t len)
{
    return set_lock(fd, F_WRLCK, off, len);
}

int adl_lock_read(int fd, int64_t off, int64_t len)
{
    return set_lock(fd, F_RDLCK, off, len);
}

void adl_lock_drop(int fd, int64_t off, int64_t len)
{
    set_lock(fd, F_UNLCK, off, len);
}
