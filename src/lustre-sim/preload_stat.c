/* preload_stat.c - intercepted calls of the stat and statfs families */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <fcntl.h>
#include <string.h>
#include "abi.h"
#include "io.h"
#include "path.h"

#define LUSTRE_BLKSIZE (4 << 20) /* st_blksize there: the largest RPC */

/* Glimpse at the file of a name, if it is ours. 1: it is. */
static int glimpse_at(struct sim_proc *p, int dirfd, const char *name,
                      int nofollow)
{
    char path[PATH_MAX];
    struct sim_file *f;
    struct stat st;
    int fd = sim_path_open(&p->conf, dirfd, name, nofollow, path), rc = 0;

    if (fd < 0)
        return 0;
    if (sim_real()->fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        f = sim_file_get(p, fd, &st, path);
        if (f) {
            sim_io_glimpse(p, f);
            sim_file_put(p, f);
        }
        rc = 1;
    }
    sim_real()->close(fd);
    return rc;
}

static void glimpse_fd(struct sim_proc *p, int fd)
{
    struct sim_open *o = sim_fdtab_get(&p->fds, fd);

    if (!o)
        return;
    if (o->file)
        sim_io_glimpse(p, o->file);
    sim_open_put(p, o);
}

/* Is a successful stat about a file of ours? `name` NULL: descriptor. */
static int looked(int dirfd, const char *name, int nofollow,
                  const struct stat *st)
{
    struct sim_proc *p;
    int ours = 1, saved = errno;

    if (!S_ISREG(st->st_mode) || !(p = sim_enter()))
        return 0;
    if (st->st_dev != p->dev)
        ours = 0;
    else if (name && *name)
        ours = glimpse_at(p, dirfd, name, nofollow);
    else if (sim_fdtab_has(&p->fds, dirfd))
        glimpse_fd(p, dirfd);
    else
        ours = 0;
    sim_leave();
    errno = saved;
    return ours;
}

/* The size is asked for again: the glimpse may have waited for a writer. */
SIM_EXPORT int stat(const char *name, struct stat *st)
{
    char real[PATH_MAX];
    const char *path = sim_redirect(name, real);
    int rc = sim_real()->stat(path, st);

    if (rc == 0 && looked(AT_FDCWD, path, 0, st)) {
        rc = sim_real()->stat(path, st);
        st->st_blksize = LUSTRE_BLKSIZE;
    }
    return rc;
}

SIM_EXPORT int lstat(const char *name, struct stat *st)
{
    char real[PATH_MAX];
    const char *path = sim_redirect(name, real);
    int rc = sim_real()->lstat(path, st);

    if (rc == 0 && looked(AT_FDCWD, path, 1, st)) {
        rc = sim_real()->lstat(path, st);
        st->st_blksize = LUSTRE_BLKSIZE;
    }
    return rc;
}

SIM_EXPORT int fstat(int fd, struct stat *st)
{
    int rc = sim_real()->fstat(fd, st);

    if (rc == 0 && looked(fd, NULL, 0, st)) {
        rc = sim_real()->fstat(fd, st);
        st->st_blksize = LUSTRE_BLKSIZE;
    }
    return rc;
}

SIM_EXPORT int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
    int rc = sim_real()->fstatat(dirfd, path, st, flags);

    if (rc == 0 && looked(dirfd, path, flags & AT_SYMLINK_NOFOLLOW, st)) {
        rc = sim_real()->fstatat(dirfd, path, st, flags);
        st->st_blksize = LUSTRE_BLKSIZE;
    }
    return rc;
}

/* The 64-bit names have their own structure type, of the same form. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one form");

SIM_EXPORT int stat64(const char *path, struct stat64 *st)
{
    return stat(path, (struct stat *)st);
}

SIM_EXPORT int lstat64(const char *path, struct stat64 *st)
{
    return lstat(path, (struct stat *)st);
}

SIM_EXPORT int fstat64(int fd, struct stat64 *st)
{
    return fstat(fd, (struct stat *)st);
}

SIM_EXPORT int fstatat64(int dirfd, const char *path, struct stat64 *st,
                         int flags)
{
    return fstatat(dirfd, path, (struct stat *)st, flags);
}

/* AT_STATX_DONT_SYNC: what the client knows; of its own objects, all. */
SIM_EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask,
                     struct statx *sx)
{
    struct stat st;
    int rc = sim_real()->statx(dirfd, path, flags, mask, sx);

    if (rc != 0 || !(mask & STATX_SIZE) || (flags & AT_STATX_DONT_SYNC))
        return rc;
    memset(&st, 0, sizeof(st));
    if (sim_real()->fstatat(dirfd, path, &st,
                            flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)) ||
        !looked(dirfd, path, flags & AT_SYMLINK_NOFOLLOW, &st))
        return rc;
    rc = sim_real()->statx(dirfd, path, flags, mask, sx);
    sx->stx_blksize = LUSTRE_BLKSIZE;
    return rc;
}

/* ---- the file system ---- */

static int ours_by_name(const char *name)
{
    struct sim_proc *p = sim_enter();
    char path[PATH_MAX];
    int fd, saved = errno;

    if (!p)
        return 0;
    fd = sim_path_open(&p->conf, AT_FDCWD, name, 0, path);
    if (fd >= 0)
        sim_real()->close(fd);
    sim_leave();
    errno = saved;
    return fd >= 0;
}

/* The table knows what was opened; opendir's descriptors have to be asked. */
static int ours_by_fd(int fd)
{
    struct sim_proc *p = sim_enter();
    char path[PATH_MAX];
    int ours, saved = errno;

    if (!p)
        return 0;
    ours =
        sim_fdtab_has(&p->fds, fd) || sim_path_of_fd(&p->conf, fd, path) == 0;
    sim_leave();
    errno = saved;
    return ours;
}

SIM_EXPORT int statfs(const char *path, struct statfs *fs)
{
    int rc = sim_real()->statfs(path, fs);

    if (rc == 0 && ours_by_name(path))
        fs->f_type = ADL_LUSTRE_SUPER_MAGIC;
    return rc;
}

SIM_EXPORT int fstatfs(int fd, struct statfs *fs)
{
    int rc = sim_real()->fstatfs(fd, fs);

    if (rc == 0 && ours_by_fd(fd))
        fs->f_type = ADL_LUSTRE_SUPER_MAGIC;
    return rc;
}

_Static_assert(sizeof(struct statfs) == sizeof(struct statfs64), "one form");

SIM_EXPORT int statfs64(const char *path, struct statfs64 *fs)
{
    return statfs(path, (struct statfs *)fs);
}

SIM_EXPORT int fstatfs64(int fd, struct statfs64 *fs)
{
    return fstatfs(fd, (struct statfs *)fs);
}

/* statvfs has the type only in newer C libraries. */
static void mark(struct statvfs *fs)
{
#ifdef HAVE_STRUCT_STATVFS_F_TYPE
    fs->f_type = ADL_LUSTRE_SUPER_MAGIC;
#else
    (void)fs;
#endif
}

SIM_EXPORT int statvfs(const char *path, struct statvfs *fs)
{
    int rc = sim_real()->statvfs(path, fs);

    if (rc == 0 && ours_by_name(path))
        mark(fs);
    return rc;
}

SIM_EXPORT int fstatvfs(int fd, struct statvfs *fs)
{
    int rc = sim_real()->fstatvfs(fd, fs);

    if (rc == 0 && ours_by_fd(fd))
        mark(fs);
    return rc;
}

SIM_EXPORT int statvfs64(const char *path, struct statvfs64 *fs)
{
    return statvfs(path, (struct statvfs *)fs);
}

SIM_EXPORT int fstatvfs64(int fd, struct statvfs64 *fs)
{
    return fstatvfs(fd, (struct statvfs *)fs);
}

_Static_assert(sizeof(struct statvfs) == sizeof(struct statvfs64), "one form");
