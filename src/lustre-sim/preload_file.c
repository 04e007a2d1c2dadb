/* preload_file.c - intercepted calls: sync, size, space and ioctls of a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
#include "io.h"
#include "ioctl.h"
#include "path.h"

static struct sim_open *hold_file(int fd)
{
    struct sim_open *o = sim_hold(fd);

    if (o && !o->file) {
        sim_release(o);
        o = NULL;
    }
    return o;
}

/* With a profile the time is the model's: the disk below, which is another
 * one, must not add its own. */
static int do_sync(int fd, int (*real)(int))
{
    struct sim_open *o = hold_file(fd);
    const struct lsim *ls;
    int rc;

    if (!o)
        return real(fd);
    rc = sim_io_sync(sim_proc(), o, fd);
    ls = sim_server(sim_proc());
    if (rc)
        rc = (int)sim_result(rc);
    else if (!ls || !lsim_is_timed(ls))
        rc = real(fd);
    sim_release(o);
    return rc;
}

SIM_EXPORT int fsync(int fd)
{
    return do_sync(fd, sim_real()->fsync);
}

SIM_EXPORT int fdatasync(int fd)
{
    return do_sync(fd, sim_real()->fdatasync);
}

/* What waits for the pages to be written reaches the servers; the rest is no
 * promise. */
SIM_EXPORT int sync_file_range(int fd, off_t off, off_t len, unsigned flags)
{
    struct sim_open *o =
        flags & SYNC_FILE_RANGE_WAIT_AFTER ? hold_file(fd) : NULL;
    int rc;

    if (!o)
        return sim_real()->sync_file_range(fd, off, len, flags);
    rc = sim_io_flush(sim_proc(), o, fd);
    sim_release(o);
    return rc ? (int)sim_result(rc) : 0;
}
SIM_ALIAS(sync_file_range64, sync_file_range);

/* Positions need nothing from us; the end of the file needs a glimpse. */
SIM_EXPORT off_t lseek(int fd, off_t off, int whence)
{
    struct sim_open *o = whence == SEEK_END ? hold_file(fd) : NULL;
    off_t at;

    if (!o)
        return sim_real()->lseek(fd, off, whence);
    sim_io_glimpse(sim_proc(), o->file);
    at = sim_real()->lseek(fd, off, whence);
    sim_release(o);
    return at;
}
SIM_ALIAS(lseek64, lseek);

SIM_EXPORT int ftruncate(int fd, off_t size)
{
    struct sim_open *o = hold_file(fd);
    int rc = 0;

    if (!o)
        return sim_real()->ftruncate(fd, size);
    rc = sim_io_fault(sim_proc(), SIM_CALL_TRUNCATE, o->file->path);
    if (rc == 0 && size >= 0 && (o->flags & O_ACCMODE) != O_RDONLY)
        rc = sim_io_truncate(sim_proc(), o, fd, size);
    rc = rc ? (int)sim_result(rc) : sim_real()->ftruncate(fd, size);
    sim_release(o);
    return rc;
}
SIM_ALIAS(ftruncate64, ftruncate);

SIM_EXPORT int truncate(const char *path, off_t size)
{
    /* Through a descriptor: objects have to be there, and locked. */
    int fd = open(path, O_WRONLY | O_CLOEXEC), rc, saved;

    if (fd < 0 || size < 0) {
        if (fd >= 0)
            close(fd);
        return sim_real()->truncate(path, size);
    }
    rc = ftruncate(fd, size);
    saved = errno;
    close(fd);
    errno = saved;
    return rc;
}
SIM_ALIAS(truncate64, truncate);

static int reserve(int fd, off_t off, off_t len)
{
    struct sim_open *o = hold_file(fd);
    int rc = 0;

    if (!o)
        return 0;
    rc = sim_io_fault(sim_proc(), SIM_CALL_FALLOCATE, o->file->path);
    if (rc == 0 && off >= 0 && len > 0 && (o->flags & O_ACCMODE) != O_RDONLY)
        rc = sim_io_reserve(sim_proc(), o, fd, off, len);
    sim_release(o);
    return rc;
}

SIM_EXPORT int posix_fallocate(int fd, off_t off, off_t len)
{
    int rc = reserve(fd, off, len);

    return rc ? -rc : sim_real()->posix_fallocate(fd, off, len);
}
SIM_ALIAS(posix_fallocate64, posix_fallocate);

SIM_EXPORT int fallocate(int fd, int mode, off_t off, off_t len)
{
    int rc = reserve(fd, off, len);

    return rc ? (int)sim_result(rc) : sim_real()->fallocate(fd, mode, off, len);
}
SIM_ALIAS(fallocate64, fallocate);

/* Random reads are not read ahead of (R7). */
SIM_EXPORT int posix_fadvise(int fd, off_t off, off_t len, int advice)
{
    struct sim_open *o = hold_file(fd);

    if (o) {
        if (advice == POSIX_FADV_RANDOM)
            o->random = 1;
        else if (advice == POSIX_FADV_NORMAL || advice == POSIX_FADV_SEQUENTIAL)
            o->random = 0;
        sim_release(o);
    }
    return sim_real()->posix_fadvise(fd, off, len, advice);
}
SIM_ALIAS(posix_fadvise64, posix_fadvise);

/* A descriptor that came unseen (opendir) may be asked about stripes. */
static struct sim_open *hold_for_ioctl(int fd, unsigned long request)
{
    struct sim_open *o = sim_hold(fd);
    struct sim_proc *p;

    if (o || !sim_ioctl_ours(request) || !(p = sim_enter()))
        return o;
    sim_adopt_unseen(p, fd);
    sim_leave();
    return sim_hold(fd);
}

SIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    struct sim_open *o;
    va_list ap;
    void *arg;
    int rc;

    va_start(ap, request);
    arg = va_arg(ap, void *);
    va_end(ap);
    /* Requests are 32 bits; int ones arrive with their sign extended. */
    o = hold_for_ioctl(fd, (unsigned)request);
    if (!o)
        return sim_real()->ioctl(fd, request, arg);
    switch (sim_ioctl_kind((unsigned)request)) {
    case SIM_IOCTL_PASS:
        rc = sim_real()->ioctl(fd, request, arg);
        break;
    case SIM_IOCTL_REFUSE:
        rc = sim_result(-EOPNOTSUPP);
        break;
    default:
        rc = sim_result(sim_ioctl(sim_proc(), o, fd, (unsigned)request, arg));
    }
    sim_release(o);
    return rc;
}
