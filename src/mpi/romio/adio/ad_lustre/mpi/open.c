/* open.c - opening and closing a file */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int posix_flags(int amode)
{
    int flags = O_CLOEXEC;

    if (amode & ADIO_CREATE)
        flags |= O_CREAT;
    if (amode & ADIO_EXCL)
        flags |= O_EXCL;
    if (amode & ADIO_RDWR)
        return flags | O_RDWR;
    return flags | (amode & ADIO_WRONLY ? O_WRONLY : O_RDONLY);
}

int adl_open_fd(ADIO_File fd)
{
    /* 0666 leaves the permissions to the caller's umask, like open(2). */
    mode_t perm = fd->perm == ADIO_PERM_NULL ? 0666 : (mode_t)fd->perm;
    off_t end;

    fd->fd_direct = -1;
    do {
        fd->fd_sys = open(fd->filename, posix_flags(fd->access_mode), perm);
    } while (fd->fd_sys < 0 && errno == EINTR);
    if (fd->fd_sys < 0)
        return -errno;
    if (fd->access_mode & ADIO_APPEND) {
        end = lseek(fd->fd_sys, 0, SEEK_END);
        if (end < 0)
            return -errno;
        fd->fp_ind = fd->fp_sys_posn = end;
    }
    return 0;
}

int adl_open_close(ADIO_File fd)
{
    int rc = close(fd->fd_sys) ? -errno : 0;

    fd->fd_sys = -1;
    return rc;
}
