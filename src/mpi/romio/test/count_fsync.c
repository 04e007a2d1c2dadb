/* count_fsync.c - a preload library that counts fsync and fdatasync
 *
 * A program asks with `fsync_count`, a symbol it looks up at run time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

int fsync_count;

int fsync(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");

    __atomic_add_fetch(&fsync_count, 1, __ATOMIC_RELAXED);
    return next(fd);
}

int fdatasync(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");

    __atomic_add_fetch(&fsync_count, 1, __ATOMIC_RELAXED);
    return next(fd);
}
