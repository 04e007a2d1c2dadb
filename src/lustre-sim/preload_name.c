/* preload_name.c - intercepted calls: directories, removal, renaming, xattrs */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "abi.h"
#include "io.h"
#include "mds.h"
#include "path.h"
#include "store.h"
#include "xattr.h"

/* ---- directories ---- */

static int made_dir(int dirfd, const char *name, int rc)
{
    struct sim_proc *p;
    char path[PATH_MAX];
    int fd, saved = errno;

    if (rc != 0 || !(p = sim_enter()))
        return rc;
    fd = sim_path_open(&p->conf, dirfd, name, 0, path);
    if (fd >= 0) {
        sim_mds_inherit(&p->conf, path);
        sim_real()->close(fd);
    }
    sim_leave();
    errno = saved;
    return rc;
}

SIM_EXPORT int mkdir(const char *path, mode_t mode)
{
    return made_dir(AT_FDCWD, path, sim_real()->mkdir(path, mode));
}

SIM_EXPORT int mkdirat(int dirfd, const char *path, mode_t mode)
{
    return made_dir(dirfd, path, sim_real()->mkdirat(dirfd, path, mode));
}

/* ---- the last name of a file goes: its objects and its record too ---- */

/* A descriptor on a file that may be about to vanish, or -1. */
static int before_unlink(int dirfd, const char *name)
{
    struct sim_proc *p = sim_enter();
    char path[PATH_MAX];
    int fd, saved = errno;

    if (!p)
        return -1;
    fd = sim_path_open(&p->conf, dirfd, name, 1, path);
    sim_leave();
    errno = saved;
    return fd;
}

static void destroy(struct sim_proc *p, int fd, const struct stat *st)
{
    struct sim_file *f = sim_file_get(p, fd, st, "");
    int used;

    if (!f)
        return;
    pthread_mutex_lock(&p->lock);
    used = f->refs > 1; /* open here: it lives on without a name */
    pthread_mutex_unlock(&p->lock);
    if (!used) {
        sim_io_destroy(p, f);
        sim_store_drop(&p->conf, fd);
    }
    sim_file_put(p, f);
}

static int after_unlink(int fd, int rc)
{
    struct sim_proc *p;
    struct stat st;
    int saved = errno;

    if (fd < 0)
        return rc;
    p = sim_enter();
    if (rc == 0 && sim_real()->fstat(fd, &st) == 0 && st.st_nlink == 0 &&
        S_ISREG(st.st_mode))
        destroy(p, fd, &st);
    sim_real()->close(fd);
    sim_leave();
    errno = saved;
    return rc;
}

SIM_EXPORT int unlink(const char *path)
{
    int fd = before_unlink(AT_FDCWD, path);

    return after_unlink(fd, sim_real()->unlink(path));
}

SIM_EXPORT int unlinkat(int dirfd, const char *path, int flags)
{
    int fd = flags & AT_REMOVEDIR ? -1 : before_unlink(dirfd, path);

    return after_unlink(fd, sim_real()->unlinkat(dirfd, path, flags));
}

SIM_EXPORT int remove(const char *path)
{
    int fd = before_unlink(AT_FDCWD, path);

    return after_unlink(fd, sim_real()->remove(path));
}

/* Records belong to inodes: a rename takes them along. What the new name
 * named before may vanish. */
SIM_EXPORT int rename(const char *from, const char *to)
{
    int fd = before_unlink(AT_FDCWD, to);

    return after_unlink(fd, sim_real()->rename(from, to));
}

SIM_EXPORT int renameat(int fromdir, const char *from, int todir,
                        const char *to)
{
    int fd = before_unlink(todir, to);

    return after_unlink(fd, sim_real()->renameat(fromdir, from, todir, to));
}

SIM_EXPORT int renameat2(int fromdir, const char *from, int todir,
                         const char *to, unsigned flags)
{
    int fd = before_unlink(todir, to);

    return after_unlink(fd,
                        sim_real()->renameat2(fromdir, from, todir, to, flags));
}

/* ---- extended attributes ---- */

/* A descriptor for the name if it is ours, entered; -1: not ours. */
static int xattr_enter(const char *name, int nofollow, struct sim_proc **p)
{
    char path[PATH_MAX];
    int fd, saved = errno;

    *p = sim_enter();
    if (!*p)
        return -1;
    fd = sim_path_open(&(*p)->conf, AT_FDCWD, name, nofollow, path);
    errno = saved;
    if (fd >= 0)
        return fd;
    sim_leave();
    return -1;
}

static long xattr_leave(int fd, long rc)
{
    sim_real()->close(fd);
    sim_leave();
    return sim_result(rc);
}

/* For a descriptor of the program's: is it ours? Entered if so. */
static struct sim_proc *xattr_enter_fd(int fd)
{
    struct sim_proc *p = sim_enter();
    char path[PATH_MAX];
    int saved = errno;

    if (!p || sim_fdtab_has(&p->fds, fd) ||
        sim_path_of_fd(&p->conf, fd, path) == 0)
        return p;
    sim_leave();
    errno = saved;
    return NULL;
}

static long xattr_leave_fd(long rc)
{
    sim_leave();
    return sim_result(rc);
}

/* The layout is asked for: a fault may say no. */
static long xattr_get(struct sim_proc *p, int fd, const char *name, void *buf,
                      size_t size)
{
    char path[PATH_MAX];
    int rc = 0;

    if (sim_faults_any(p->faults) && sim_path_of_fd(&p->conf, fd, path) == 0)
        rc = sim_io_fault(p, SIM_CALL_XATTR, path);
    return rc ? rc : sim_xattr_get(p, fd, name, buf, size);
}

SIM_EXPORT ssize_t getxattr(const char *path, const char *name, void *buf,
                            size_t size)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 0, &p) : -1;

    if (fd < 0)
        return sim_real()->getxattr(path, name, buf, size);
    return xattr_leave(fd, xattr_get(p, fd, name, buf, size));
}

SIM_EXPORT ssize_t lgetxattr(const char *path, const char *name, void *buf,
                             size_t size)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 1, &p) : -1;

    if (fd < 0)
        return sim_real()->lgetxattr(path, name, buf, size);
    return xattr_leave(fd, xattr_get(p, fd, name, buf, size));
}

SIM_EXPORT ssize_t fgetxattr(int fd, const char *name, void *buf, size_t size)
{
    struct sim_proc *p = sim_xattr_ours(name) ? xattr_enter_fd(fd) : NULL;

    if (!p)
        return sim_real()->fgetxattr(fd, name, buf, size);
    return xattr_leave_fd(xattr_get(p, fd, name, buf, size));
}

SIM_EXPORT int setxattr(const char *path, const char *name, const void *value,
                        size_t size, int flags)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 0, &p) : -1;

    if (fd < 0)
        return sim_real()->setxattr(path, name, value, size, flags);
    return xattr_leave(fd, sim_xattr_set(p, fd, name, value, size, flags));
}

SIM_EXPORT int lsetxattr(const char *path, const char *name, const void *value,
                         size_t size, int flags)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 1, &p) : -1;

    if (fd < 0)
        return sim_real()->lsetxattr(path, name, value, size, flags);
    return xattr_leave(fd, sim_xattr_set(p, fd, name, value, size, flags));
}

SIM_EXPORT int fsetxattr(int fd, const char *name, const void *value,
                         size_t size, int flags)
{
    struct sim_proc *p = sim_xattr_ours(name) ? xattr_enter_fd(fd) : NULL;

    if (!p)
        return sim_real()->fsetxattr(fd, name, value, size, flags);
    return xattr_leave_fd(sim_xattr_set(p, fd, name, value, size, flags));
}

SIM_EXPORT int removexattr(const char *path, const char *name)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 0, &p) : -1;

    if (fd < 0)
        return sim_real()->removexattr(path, name);
    return xattr_leave(fd, sim_xattr_remove(p, fd, name));
}

SIM_EXPORT int lremovexattr(const char *path, const char *name)
{
    struct sim_proc *p;
    int fd = sim_xattr_ours(name) ? xattr_enter(path, 1, &p) : -1;

    if (fd < 0)
        return sim_real()->lremovexattr(path, name);
    return xattr_leave(fd, sim_xattr_remove(p, fd, name));
}

SIM_EXPORT int fremovexattr(int fd, const char *name)
{
    struct sim_proc *p = sim_xattr_ours(name) ? xattr_enter_fd(fd) : NULL;

    if (!p)
        return sim_real()->fremovexattr(fd, name);
    return xattr_leave_fd(sim_xattr_remove(p, fd, name));
}

/* The kernel's list of an inode, then ours. */
static ssize_t list(struct sim_proc *p, int fd, char *buf, size_t size)
{
    char link[64], *all = malloc(XATTR_LIST_MAX);
    ssize_t n;

    if (!all)
        return -ENOMEM;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = sim_real()->listxattr(link, all, XATTR_LIST_MAX);
    if (n < 0)
        n = 0; /* a file system without xattrs */
    n = sim_xattr_list(p, fd, all, n, buf, size);
    free(all);
    return n;
}

SIM_EXPORT ssize_t listxattr(const char *path, char *buf, size_t size)
{
    struct sim_proc *p;
    int fd = xattr_enter(path, 0, &p);

    if (fd < 0)
        return sim_real()->listxattr(path, buf, size);
    return xattr_leave(fd, list(p, fd, buf, size));
}

SIM_EXPORT ssize_t llistxattr(const char *path, char *buf, size_t size)
{
    struct sim_proc *p;
    int fd = xattr_enter(path, 1, &p);

    if (fd < 0)
        return sim_real()->llistxattr(path, buf, size);
    return xattr_leave(fd, list(p, fd, buf, size));
}

SIM_EXPORT ssize_t flistxattr(int fd, char *buf, size_t size)
{
    struct sim_proc *p = xattr_enter_fd(fd);

    if (!p)
        return sim_real()->flistxattr(fd, buf, size);
    return xattr_leave_fd(list(p, fd, buf, size));
}
