/* real.h - the C library's functions under the intercepted ones
 *
 * Found with dlsym(RTLD_NEXT), so that another preloaded library between us
 * and the C library still sees the program's calls. 64-bit off_t only: there
 * every NAME64 is NAME, and one pointer serves both.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_REAL_H
#define LUSTRE_SIM_REAL_H

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#define SIM_REAL_CALLS(X)                                                      \
    X(int, open, (const char *, int, ...))                                     \
    X(int, openat, (int, const char *, int, ...))                              \
    X(int, close, (int))                                                       \
    X(int, close_range, (unsigned, unsigned, int))                             \
    X(void, closefrom, (int))                                                  \
    X(int, dup, (int))                                                         \
    X(int, dup2, (int, int))                                                   \
    X(int, dup3, (int, int, int))                                              \
    X(int, fcntl, (int, int, ...))                                             \
    X(FILE *, fopen, (const char *, const char *))                             \
    X(FILE *, freopen, (const char *, const char *, FILE *))                   \
    X(int, fclose, (FILE *))                                                   \
    X(int, closedir, (DIR *))                                                  \
    X(DIR *, opendir, (const char *))                                          \
    X(struct dirent *, readdir, (DIR *))                                       \
    X(int, access, (const char *, int))                                        \
    X(FILE *, setmntent, (const char *, const char *))                         \
    X(int, glob, (const char *, int, int (*)(const char *, int), glob_t *))    \
    X(int, name_to_handle_at,                                                  \
      (int, const char *, struct file_handle *, int *, int))                   \
    X(ssize_t, read, (int, void *, size_t))                                    \
    X(ssize_t, write, (int, const void *, size_t))                             \
    X(ssize_t, pread, (int, void *, size_t, off_t))                            \
    X(ssize_t, pwrite, (int, const void *, size_t, off_t))                     \
    X(ssize_t, readv, (int, const struct iovec *, int))                        \
    X(ssize_t, writev, (int, const struct iovec *, int))                       \
    X(ssize_t, preadv, (int, const struct iovec *, int, off_t))                \
    X(ssize_t, pwritev, (int, const struct iovec *, int, off_t))               \
    X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))          \
    X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))         \
    X(ssize_t, copy_file_range,                                                \
      (int, off_t *, int, off_t *, size_t, unsigned))                          \
    X(ssize_t, sendfile, (int, int, off_t *, size_t))                          \
    X(ssize_t, splice, (int, off_t *, int, off_t *, size_t, unsigned))         \
    X(int, aio_read, (struct aiocb *))                                         \
    X(int, aio_write, (struct aiocb *))                                        \
    X(int, lio_listio, (int, struct aiocb *const *, int, struct sigevent *))   \
    X(off_t, lseek, (int, off_t, int))                                         \
    X(int, fsync, (int))                                                       \
    X(int, fdatasync, (int))                                                   \
    X(int, sync_file_range, (int, off_t, off_t, unsigned))                     \
    X(int, ftruncate, (int, off_t))                                            \
    X(int, truncate, (const char *, off_t))                                    \
    X(int, posix_fallocate, (int, off_t, off_t))                               \
    X(int, posix_fadvise, (int, off_t, off_t, int))                            \
    X(int, fallocate, (int, int, off_t, off_t))                                \
    X(int, ioctl, (int, unsigned long, ...))                                   \
    X(int, stat, (const char *, struct stat *))                                \
    X(int, lstat, (const char *, struct stat *))                               \
    X(int, fstat, (int, struct stat *))                                        \
    X(int, fstatat, (int, const char *, struct stat *, int))                   \
    X(int, statx, (int, const char *, int, unsigned, struct statx *))          \
    X(int, statfs, (const char *, struct statfs *))                            \
    X(int, fstatfs, (int, struct statfs *))                                    \
    X(int, statvfs, (const char *, struct statvfs *))                          \
    X(int, fstatvfs, (int, struct statvfs *))                                  \
    X(int, mkdir, (const char *, mode_t))                                      \
    X(int, mkdirat, (int, const char *, mode_t))                               \
    X(int, unlink, (const char *))                                             \
    X(int, unlinkat, (int, const char *, int))                                 \
    X(int, remove, (const char *))                                             \
    X(int, rename, (const char *, const char *))                               \
    X(int, renameat, (int, const char *, int, const char *))                   \
    X(int, renameat2, (int, const char *, int, const char *, unsigned))        \
    X(ssize_t, getxattr, (const char *, const char *, void *, size_t))         \
    X(ssize_t, lgetxattr, (const char *, const char *, void *, size_t))        \
    X(ssize_t, fgetxattr, (int, const char *, void *, size_t))                 \
    X(int, setxattr, (const char *, const char *, const void *, size_t, int))  \
    X(int, lsetxattr, (const char *, const char *, const void *, size_t, int)) \
    X(int, fsetxattr, (int, const char *, const void *, size_t, int))          \
    X(ssize_t, listxattr, (const char *, char *, size_t))                      \
    X(ssize_t, llistxattr, (const char *, char *, size_t))                     \
    X(ssize_t, flistxattr, (int, char *, size_t))                              \
    X(int, removexattr, (const char *, const char *))                          \
    X(int, lremovexattr, (const char *, const char *))                         \
    X(int, fremovexattr, (int, const char *))                                  \
    X(int, open_by_handle_at, (int, struct file_handle *, int))

#define SIM_REAL_FIELD(ret, name, args) ret(*name) args;
struct sim_real {
    SIM_REAL_CALLS(SIM_REAL_FIELD)
};
#undef SIM_REAL_FIELD

/* The table, filled at the first call. Never NULL; an entry is NULL only if
 * the C library has no such function. */
const struct sim_real *sim_real(void);

#endif
