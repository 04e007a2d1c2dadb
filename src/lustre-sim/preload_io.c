/* preload_io.c - intercepted calls that read and write */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "preload.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "io.h"

/* Whether the call concerns us and is one the kernel would do. */
static struct sim_open *hold_for(int fd, enum sim_call call)
{
    int refused = call == SIM_CALL_WRITE ? O_RDONLY : O_WRONLY;
    struct sim_open *o = sim_hold(fd);

    if (o && (!o->file || (o->flags & O_PATH) ||
              (o->flags & O_ACCMODE) == refused)) {
        sim_release(o);
        o = NULL;
    }
    return o;
}

/* A file of another file system: io->open = NULL, the length is not changed.
 * 0, or -1 with errno. */
static int begin_held(struct sim_io *io)
{
    int rc = sim_io_begin(sim_proc(), io);

    if (rc == 0)
        return 0;
    sim_release(io->open);
    return sim_result(rc);
}

static int begin(struct sim_io *io, int fd, enum sim_call call, off_t off,
                 size_t len)
{
    *io = (struct sim_io){.open = hold_for(fd, call),
                          .fd = fd,
                          .call = call,
                          .off = off,
                          .len = len};
    return io->open ? begin_held(io) : 0;
}

/* At the file position. */
static int begin_here(struct sim_io *io, int fd, enum sim_call call, size_t len)
{
    int64_t at;

    *io = (struct sim_io){
        .open = hold_for(fd, call), .fd = fd, .call = call, .len = len};
    if (!io->open)
        return 0;
    at = sim_io_position(io->open, fd, call);
    if (at < 0) { /* no file any more: closed behind our back */
        sim_release(io->open);
        io->open = NULL;
        return 0;
    }
    io->off = at;
    return begin_held(io);
}

static ssize_t end(struct sim_io *io, ssize_t done)
{
    if (io->open)
        sim_release(io->open);
    return done;
}

SIM_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    struct sim_io io;

    if (begin_here(&io, fd, SIM_CALL_READ, n))
        return -1;
    return end(&io, sim_real()->read(fd, buf, io.len));
}

SIM_EXPORT ssize_t write(int fd, const void *buf, size_t n)
{
    struct sim_io io;

    if (begin_here(&io, fd, SIM_CALL_WRITE, n))
        return -1;
    return end(&io, sim_real()->write(fd, buf, io.len));
}

SIM_EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t off)
{
    struct sim_io io;

    if (begin(&io, fd, SIM_CALL_READ, off, n))
        return -1;
    return end(&io, sim_real()->pread(fd, buf, io.len, off));
}
SIM_ALIAS(pread64, pread);

SIM_EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t off)
{
    struct sim_io io;

    if (begin(&io, fd, SIM_CALL_WRITE, off, n))
        return -1;
    return end(&io, sim_real()->pwrite(fd, buf, io.len, off));
}
SIM_ALIAS(pwrite64, pwrite);

/* Fortified: the buffer's size was checked, or is wrong and must abort. */
SIM_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
    if (n > room)
        abort();
    return read(fd, buf, n);
}

SIM_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off,
                               size_t room)
{
    if (n > room)
        abort();
    return pread(fd, buf, n, off);
}
SIM_ALIAS(__pread64_chk, __pread_chk);

/* ---- vectors ---- */

/* A list of buffers cut to what the simulator allows. */
struct vector {
    const struct iovec *iov;
    int n;
    struct iovec *own;
};

static size_t vector_length(const struct iovec *iov, int n)
{
    size_t len = 0;

    for (int i = 0; i < n; i++) {
        if (iov[i].iov_len > SSIZE_MAX - len)
            return 0; /* the kernel says EINVAL */
        len += iov[i].iov_len;
    }
    return len;
}

static int vector_cut(struct vector *v, const struct iovec *iov, int n,
                      size_t len)
{
    *v = (struct vector){.iov = iov, .n = n};
    if (len >= vector_length(iov, n))
        return 0;
    v->own = malloc(n * sizeof(*iov));
    if (!v->own)
        return -ENOMEM;
    memcpy(v->own, iov, n * sizeof(*iov));
    v->iov = v->own;
    for (v->n = 0; len > 0; v->n++) {
        if (v->own[v->n].iov_len > len)
            v->own[v->n].iov_len = len;
        len -= v->own[v->n].iov_len;
    }
    return 0;
}

/* All eight vector calls: at `off`, or at the file position if here. */
struct vector_call {
    int fd;
    const struct iovec *iov;
    int n;
    off_t off;
    int here;
    int flags;
    int two; /* preadv2, pwritev2 */
    enum sim_call call;
};

static ssize_t vector_real(const struct vector_call *c, const struct vector *v)
{
    const struct sim_real *r = sim_real();
    int reads = c->call == SIM_CALL_READ;

    if (c->two)
        return (reads ? r->preadv2 : r->pwritev2)(c->fd, v->iov, v->n, c->off,
                                                  c->flags);
    if (c->here)
        return (reads ? r->readv : r->writev)(c->fd, v->iov, v->n);
    return (reads ? r->preadv : r->pwritev)(c->fd, v->iov, v->n, c->off);
}

static ssize_t vector_io(const struct vector_call *c)
{
    size_t len = c->n > 0 && c->n <= IOV_MAX ? vector_length(c->iov, c->n) : 0;
    struct vector v = {.iov = c->iov, .n = c->n};
    struct sim_io io;
    ssize_t done;

    if (c->here ? begin_here(&io, c->fd, c->call, len)
                : begin(&io, c->fd, c->call, c->off, len))
        return -1;
    if (io.open && io.len < len && vector_cut(&v, c->iov, c->n, io.len))
        return end(&io, sim_result(-ENOMEM));
    done = vector_real(c, &v);
    free(v.own);
    return end(&io, done);
}

SIM_EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
    return vector_io(&(struct vector_call){
        .fd = fd, .iov = iov, .n = n, .here = 1, .call = SIM_CALL_READ});
}

SIM_EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
    return vector_io(&(struct vector_call){
        .fd = fd, .iov = iov, .n = n, .here = 1, .call = SIM_CALL_WRITE});
}

SIM_EXPORT ssize_t preadv(int fd, const struct iovec *iov, int n, off_t off)
{
    return vector_io(&(struct vector_call){
        .fd = fd, .iov = iov, .n = n, .off = off, .call = SIM_CALL_READ});
}
SIM_ALIAS(preadv64, preadv);

SIM_EXPORT ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t off)
{
    return vector_io(&(struct vector_call){
        .fd = fd, .iov = iov, .n = n, .off = off, .call = SIM_CALL_WRITE});
}
SIM_ALIAS(pwritev64, pwritev);

SIM_EXPORT ssize_t preadv2(int fd, const struct iovec *iov, int n, off_t off,
                           int flags)
{
    return vector_io(&(struct vector_call){.fd = fd,
                                           .iov = iov,
                                           .n = n,
                                           .off = off,
                                           .here = off == -1,
                                           .flags = flags,
                                           .two = 1,
                                           .call = SIM_CALL_READ});
}
SIM_ALIAS(preadv64v2, preadv2);

SIM_EXPORT ssize_t pwritev2(int fd, const struct iovec *iov, int n, off_t off,
                            int flags)
{
    return vector_io(&(struct vector_call){.fd = fd,
                                           .iov = iov,
                                           .n = n,
                                           .off = off,
                                           .here = off == -1,
                                           .flags = flags,
                                           .two = 1,
                                           .call = SIM_CALL_WRITE});
}
SIM_ALIAS(pwritev64v2, pwritev2);

/* ---- bytes that would move past us: refused as if the file system could
 * not, so that programs fall back to read and write ---- */

static int is_file(int fd)
{
    struct sim_open *o = sim_hold(fd);
    int file = o && o->file;

    if (o)
        sim_release(o);
    return file;
}

SIM_EXPORT ssize_t copy_file_range(int in, off_t *in_off, int out,
                                   off_t *out_off, size_t n, unsigned flags)
{
    if (is_file(in) || is_file(out))
        return sim_result(-EXDEV);
    return sim_real()->copy_file_range(in, in_off, out, out_off, n, flags);
}

SIM_EXPORT ssize_t sendfile(int out, int in, off_t *off, size_t n)
{
    if (is_file(in) || is_file(out))
        return sim_result(-EINVAL);
    return sim_real()->sendfile(out, in, off, n);
}
SIM_ALIAS(sendfile64, sendfile);

SIM_EXPORT ssize_t splice(int in, off_t *in_off, int out, off_t *out_off,
                          size_t n, unsigned flags)
{
    if (is_file(in) || is_file(out))
        return sim_result(-EINVAL);
    return sim_real()->splice(in, in_off, out, out_off, n, flags);
}

/* The bare system call: allocators map memory before anything is set up. */
SIM_EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd,
                      off_t off)
{
    if (fd >= 0 && !(flags & MAP_ANONYMOUS) && is_file(fd)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, off);
}
SIM_ALIAS(mmap64, mmap);

/* ---- asynchronous I/O: dealt with when it is started. The C library's
 * helper threads move the bytes unseen. ---- */

static int begin_aio(const struct aiocb *cb, enum sim_call call)
{
    struct sim_io io;

    if (begin(&io, cb->aio_fildes, call, cb->aio_offset, cb->aio_nbytes))
        return -1;
    end(&io, 0);
    return 0;
}

SIM_EXPORT int aio_read(struct aiocb *cb)
{
    if (begin_aio(cb, SIM_CALL_READ))
        return -1;
    return sim_real()->aio_read(cb);
}

SIM_EXPORT int aio_write(struct aiocb *cb)
{
    if (begin_aio(cb, SIM_CALL_WRITE))
        return -1;
    return sim_real()->aio_write(cb);
}

SIM_EXPORT int lio_listio(int mode, struct aiocb *const list[], int n,
                          struct sigevent *event)
{
    for (int i = 0; i < n; i++) {
        if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP)
            continue;
        if (begin_aio(list[i], list[i]->aio_lio_opcode == LIO_READ
                                   ? SIM_CALL_READ
                                   : SIM_CALL_WRITE))
            return -1;
    }
    return sim_real()->lio_listio(mode, list, n, event);
}

/* The 64-bit names have their own structure type, of the same form. */
SIM_EXPORT int aio_read64(struct aiocb64 *cb)
{
    return aio_read((struct aiocb *)cb);
}

SIM_EXPORT int aio_write64(struct aiocb64 *cb)
{
    return aio_write((struct aiocb *)cb);
}

SIM_EXPORT int lio_listio64(int mode, struct aiocb64 *const list[], int n,
                            struct sigevent *event)
{
    return lio_listio(mode, (struct aiocb *const *)list, n, event);
}

_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one form");
