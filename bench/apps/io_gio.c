/* io_gio.c - files by GIO, the I/O library inside PnetCDF 1.15
 *
 * GIO takes lists of offsets and lengths in the place of file views. The lists
 * of a shape are made once and used as long as the shape is the same.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"
#include <stddef.h>

#ifndef HAVE_GIO

const struct io_api *io_gio(void)
{
    return NULL;
}

#else

#include <fcntl.h>
#include <gio.h>
#include <stdlib.h>
#include <string.h>

struct io_file {
    GIO_File fh;
    char *path;
    int write, collective;
    const struct shape *last; /* the lists are this one's */
    MPI_Offset *off, *len;    /* of its pieces */
    int64_t n, room;
};

static void gio_failed(struct verdict *v, const char *what, const char *path,
                       int err)
{
    verdict_set(v, APP_FAILED, "%s: %s: %s", path, what, GIO_strerror(err));
}

static void discard(struct io_file *f)
{
    free(f->off);
    free(f->len);
    free(f->path);
    free(f);
}

static struct io_file *gio_open(const char *path, const struct io_mode *mode,
                                MPI_Comm comm, struct verdict *v)
{
    int flags = mode->write ? O_CREAT | O_RDWR : O_RDONLY, err, ok;
    struct io_file *f = calloc(1, sizeof(*f));

    if (!f || !(f->path = strdup(path))) {
        verdict_set(v, APP_FAILED, "%s: out of memory", path);
        MPI_Abort(comm, 1);
    }
    err = GIO_open(comm, path, flags, mode->hints, &f->fh);
    ok = err == GIO_NOERR;
    if (!ok)
        gio_failed(v, "open", path, err);
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, comm);
    if (!ok) {
        discard(f);
        return NULL;
    }
    f->write = mode->write;
    f->collective = mode->collective;
    return f;
}

/* ---- lists ---- */

static int grow(MPI_Offset **list, int64_t n)
{
    MPI_Offset *more = realloc(*list, (size_t)n * sizeof(*more));

    if (more)
        *list = more;
    return more ? 0 : -1;
}

static void add_piece(void *arg, int64_t off, int64_t len)
{
    struct io_file *f = arg;

    if (f->n == f->room) {
        int64_t room = f->room ? 2 * f->room : 1024;

        if (grow(&f->off, room) || grow(&f->len, room))
            return;
        f->room = room;
    }
    f->off[f->n] = off;
    f->len[f->n++] = len;
}

static int list_shape(struct io_file *f, const struct shape *s)
{
    int64_t sum = 0;

    f->n = 0;
    f->last = s;
    shape_each(s, add_piece, f);
    for (int64_t i = 0; i < f->n; i++)
        sum += f->len[i];
    return sum == shape_bytes(s) ? 0 : -1;
}

/* ---- calls ---- */

/* The buffer is one piece. */
static MPI_Offset move(struct io_file *f, int together, void *buf,
                       MPI_Offset bytes)
{
    const MPI_Offset zero = 0;
    int n = bytes > 0;

    if (f->write)
        return (together ? GIO_write_all : GIO_write)(f->fh, buf, f->n, f->off,
                                                      f->len, n, &zero, &bytes);
    return (together ? GIO_read_all : GIO_read)(f->fh, buf, f->n, f->off,
                                                f->len, n, &zero, &bytes);
}

static void gio_call(struct io_file *f, const struct shape *s, int alone,
                     void *buf, struct verdict *v)
{
    int together = f->collective && !alone;
    MPI_Offset bytes = shape_bytes(s), got;

    if (s != f->last && list_shape(f, s)) {
        verdict_set(v, APP_FAILED, "%s: out of memory", f->path);
        bytes = f->n = 0;
    }
    if (!bytes && !together)
        return;
    got = move(f, together, buf, bytes);
    if (got < 0)
        gio_failed(v, f->write ? "write" : "read", f->path, (int)got);
    else if (got != bytes)
        verdict_set(v, f->write ? APP_FAILED : APP_WRONG,
                    "%s: %s %lld of %lld bytes", f->path,
                    f->write ? "write" : "read", (long long)got,
                    (long long)bytes);
}

static int64_t gio_size(struct io_file *f, struct verdict *v)
{
    MPI_Offset size = -1;
    int err = GIO_get_size(f->fh, &size);

    if (err != GIO_NOERR)
        gio_failed(v, "size", f->path, err);
    return size;
}

static void gio_close(struct io_file *f, int sync, struct verdict *v)
{
    int err = sync && f->write ? GIO_sync(f->fh) : GIO_NOERR;

    if (err != GIO_NOERR)
        gio_failed(v, "sync", f->path, err);
    err = GIO_close(&f->fh);
    if (err != GIO_NOERR)
        gio_failed(v, "close", f->path, err);
    discard(f);
}

static void gio_remove(const char *path, MPI_Comm comm)
{
    io_mpi.remove(path, comm);
}

const struct io_api *io_gio(void)
{
    static const struct io_api api = {
        .name = "GIO",
        .open = gio_open,
        .call = gio_call,
        .size = gio_size,
        .close = gio_close,
        .remove = gio_remove,
    };

    return &api;
}

#endif
