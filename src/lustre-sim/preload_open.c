/* preload_open.c - intercepted calls: open, close, dup, file locks, streams */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "abi.h"
#include "io.h"
#include "path.h"

/* An open that a fault forbids must not create the file: ask before. */
static int open_fault(int dirfd, const char *path)
{
    struct sim_proc *p = sim_enter();
    char full[PATH_MAX];
    int rc = 0;

    if (!p)
        return 0;
    if (sim_faults_any(p->faults) &&
        sim_path_future(&p->conf, dirfd, path, full) == 0)
        rc = sim_io_fault(p, SIM_CALL_OPEN, full);
    sim_leave();
    return rc;
}

/* The descriptor of a successful open, entered if it is ours. The kernel saw
 * O_LOV_DELAY_CREATE too: its bits mean nothing for a regular file. */
static int opened(int fd, int flags)
{
    struct sim_proc *p;
    int rc, saved = errno;

    if (fd < 0 || !(p = sim_enter()))
        return fd;
    rc = sim_adopt(p, fd, flags);
    if (rc)
        sim_real()->close(fd);
    sim_leave();
    errno = saved;
    return rc ? (int)sim_result(rc) : fd;
}

static int needs_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static int do_open(const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    int rc = sim_open_special(name);

    if (rc >= 0)
        return rc;
    rc = open_fault(AT_FDCWD, name);
    if (rc)
        return sim_result(rc);
    return opened(sim_real()->open(sim_redirect(name, path), flags, mode),
                  flags);
}

static int do_openat(int dirfd, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    int rc = sim_open_special(name);

    if (rc >= 0)
        return rc;
    rc = open_fault(dirfd, name);
    if (rc)
        return sim_result(rc);
    return opened(
        sim_real()->openat(dirfd, sim_redirect(name, path), flags, mode),
        flags);
}

SIM_EXPORT int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (needs_mode(flags))
        mode = va_arg(ap, mode_t);
    va_end(ap);
    return do_open(path, flags, mode);
}
SIM_ALIAS(open64, open);

SIM_EXPORT int openat(int dirfd, const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (needs_mode(flags))
        mode = va_arg(ap, mode_t);
    va_end(ap);
    return do_openat(dirfd, path, flags, mode);
}
SIM_ALIAS(openat64, openat);

SIM_EXPORT int creat(const char *path, mode_t mode)
{
    return do_open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
SIM_ALIAS(creat64, creat);

/* What programs compiled with fortification call. */
SIM_EXPORT int __open_2(const char *path, int flags)
{
    return do_open(path, flags, 0);
}
SIM_ALIAS(__open64_2, __open_2);

SIM_EXPORT int __openat_2(int dirfd, const char *path, int flags)
{
    return do_openat(dirfd, path, flags, 0);
}
SIM_ALIAS(__openat64_2, __openat_2);

static void forget(int fd)
{
    struct sim_proc *p;

    if (fd < 0 || !(p = sim_enter()))
        return;
    sim_forget(p, fd);
    sim_leave();
}

/* What the close reports; the descriptor is closed in any case. */
static int close_error(int fd)
{
    struct sim_open *o = sim_hold(fd);
    int rc = 0;

    if (!o)
        return 0;
    if (o->file)
        rc = sim_io_fault(sim_proc(), SIM_CALL_CLOSE, o->file->path);
    if (o->file && rc == 0)
        rc = sim_io_closing(sim_proc(), o, fd);
    sim_release(o);
    return rc;
}

SIM_EXPORT int close(int fd)
{
    int rc = close_error(fd), closed;

    forget(fd);
    closed = sim_real()->close(fd);
    return rc ? (int)sim_result(rc) : closed;
}

static void forget_range(unsigned first, unsigned last)
{
    struct sim_proc *p = sim_enter();

    if (!p)
        return;
    for (int fd = sim_fdtab_next(&p->fds, first);
         fd >= 0 && (unsigned)fd <= last; fd = sim_fdtab_next(&p->fds, fd + 1))
        sim_forget(p, fd);
    sim_leave();
}

SIM_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    /* With a flag it only marks close-on-exec, or closes for another task. */
    if (!sim_real()->close_range)
        return sim_result(-ENOSYS);
    if (flags == 0 && first <= last)
        forget_range(first, last);
    return sim_real()->close_range(first, last, flags);
}

SIM_EXPORT void closefrom(int first)
{
    forget_range(first < 0 ? 0 : first, ~0u);
    if (sim_real()->closefrom)
        sim_real()->closefrom(first);
}

/* `fd` is now another name of `from`. */
static int shared(int from, int fd)
{
    struct sim_open *o;

    if (fd < 0 || fd == from)
        return fd;
    o = sim_hold(from);
    if (!o) {
        forget(fd);
        return fd;
    }
    sim_share(sim_proc(), o, fd);
    sim_release(o);
    return fd;
}

SIM_EXPORT int dup(int fd)
{
    return shared(fd, sim_real()->dup(fd));
}

SIM_EXPORT int dup2(int from, int to)
{
    return shared(from, sim_real()->dup2(from, to));
}

SIM_EXPORT int dup3(int from, int to, int flags)
{
    return shared(from, sim_real()->dup3(from, to, flags));
}

static void set_flags(int fd, int flags)
{
    const int may = O_APPEND | O_NONBLOCK | O_DIRECT;
    struct sim_open *o = sim_hold(fd);

    if (!o)
        return;
    o->flags = (o->flags & ~may) | (flags & may);
    sim_release(o);
}

/* Is a lock asked for that this mount does not have? */
static int lacks_locks(int fd)
{
    struct sim_open *o = sim_hold(fd);

    if (!o)
        return 0;
    sim_release(o);
    return sim_proc()->conf.noflock;
}

static int is_lock_command(int cmd)
{
    return cmd == F_GETLK || cmd == F_SETLK || cmd == F_SETLKW ||
           cmd == F_OFD_GETLK || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW;
}

SIM_EXPORT int flock(int fd, int op)
{
    if (lacks_locks(fd)) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, op);
}

SIM_EXPORT int fcntl(int fd, int cmd, ...)
{
    va_list ap;
    void *arg; /* int or pointer: passed on as a whole register */
    int rc;

    va_start(ap, cmd);
    arg = va_arg(ap, void *);
    va_end(ap);
    if (is_lock_command(cmd) && lacks_locks(fd)) {
        errno = ENOSYS;
        return -1;
    }
    rc = sim_real()->fcntl(fd, cmd, arg);
    if (rc < 0)
        return rc;
    if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
        return shared(fd, rc);
    if (cmd == F_SETFL)
        set_flags(fd, (int)(long)arg);
    return rc;
}
SIM_ALIAS(fcntl64, fcntl);

/* ---- streams: the C library opens, writes and closes them inside itself.
 * We see where they begin and end: the file gets its layout, and at the end
 * what it has grown by is taken for one write. ---- */

static void adopt_stream(FILE *f, const char *mode)
{
    struct sim_proc *p;
    int fd, flags, saved = errno;

    if (!f || (fd = fileno(f)) < 0 || !(p = sim_enter()))
        return;
    flags = sim_real()->fcntl(fd, F_GETFL);
    if (flags >= 0)
        sim_adopt(p, fd, flags | (mode[0] == 'r' ? 0 : O_CREAT));
    sim_leave();
    errno = saved;
}

static void settle_open(struct sim_open *o, int fd)
{
    struct sim_io io = {
        .open = o, .fd = fd, .call = SIM_CALL_WRITE, .off = o->size};
    struct stat st;

    if (!o->file || (o->flags & O_ACCMODE) == O_RDONLY || o->written ||
        sim_real()->fstat(fd, &st) != 0 || (uint64_t)st.st_size <= o->size)
        return;
    io.len = st.st_size - o->size;
    sim_io_begin(sim_proc(), &io);
}

static void settle_stream(FILE *f)
{
    struct sim_open *o;
    int fd = fileno(f);

    o = fd < 0 ? NULL : sim_hold(fd);
    if (!o)
        return;
    fflush(f);
    settle_open(o, fd);
    sim_release(o);
    forget(fd);
}

SIM_EXPORT FILE *fopen(const char *name, const char *mode)
{
    char path[PATH_MAX];
    int rc = sim_open_special(name);
    FILE *f;

    if (rc >= 0)
        return fdopen(rc, "r");
    rc = open_fault(AT_FDCWD, name);
    if (rc) {
        errno = -rc;
        return NULL;
    }
    f = sim_real()->fopen(sim_redirect(name, path), mode);
    adopt_stream(f, mode);
    return f;
}
SIM_ALIAS(fopen64, fopen);

SIM_EXPORT FILE *freopen(const char *path, const char *mode, FILE *f)
{
    settle_stream(f);
    f = sim_real()->freopen(path, mode, f);
    adopt_stream(f, mode);
    return f;
}
SIM_ALIAS(freopen64, freopen);

SIM_EXPORT int fclose(FILE *f)
{
    settle_stream(f);
    return sim_real()->fclose(f);
}

SIM_EXPORT int closedir(DIR *dir)
{
    forget(dirfd(dir));
    return sim_real()->closedir(dir);
}
