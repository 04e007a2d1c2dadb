/* inode.c - what kind of file a descriptor is; its size only on request */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "inode.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Kernels before 4.11 and some containers have no statx. */
static int look_old(int fd, struct adl_inode *out)
{
    struct stat st;

    if (fstat(fd, &st))
        return -errno;
    *out = (struct adl_inode){.number = st.st_ino,
                              .dev = st.st_dev,
                              .is_dir = S_ISDIR(st.st_mode),
                              .size = st.st_size};
    return 0;
}

int adl_inode_look(int fd, int with_size, struct adl_inode *out)
{
    unsigned mask = STATX_TYPE | STATX_INO | (with_size ? STATX_SIZE : 0);
    struct statx sx;

    if (statx(fd, "", AT_EMPTY_PATH, mask, &sx))
        return errno == ENOSYS || errno == EPERM ? look_old(fd, out) : -errno;
    *out =
        (struct adl_inode){.number = sx.stx_ino,
                           .dev = makedev(sx.stx_dev_major, sx.stx_dev_minor),
                           .is_dir = S_ISDIR(sx.stx_mode),
                           .size = with_size ? (int64_t)sx.stx_size : 0};
    return 0;
}

int64_t adl_inode_size_seen(int fd)
{
    struct statx sx;

    if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_SIZE, &sx))
        return 0;
    return (int64_t)sx.stx_size;
}

static int exists(const char *path, int how)
{
    struct statx sx;
    struct stat st;

    if (statx(AT_FDCWD, path, how, STATX_TYPE, &sx) == 0)
        return 1;
    return (errno == ENOSYS || errno == EPERM) &&
           fstatat(AT_FDCWD, path, &st, how) == 0;
}

int adl_inode_exists(const char *path)
{
    return exists(path, 0);
}

int adl_inode_is_named(const char *path)
{
    return exists(path, AT_SYMLINK_NOFOLLOW);
}
