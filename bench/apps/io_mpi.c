/* io_mpi.c - files by plain MPI-IO */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"
#include "posix.h"
#include <stdlib.h>
#include <string.h>

struct io_file {
    MPI_File fh;
    char *path;
    int write, collective;
    int plain; /* the view is that of bytes from 0 on */
    int gaps;
    const struct shape *last; /* whose view it is */
};

/* The file could not be opened everywhere: where it is open nothing can be
 * done about it, close is collective. */
static struct io_file *discard(struct io_file *f)
{
    if (f)
        free(f->path);
    free(f);
    return NULL;
}

static struct io_file *mpi_open(const char *path, const struct io_mode *mode,
                                MPI_Comm comm, struct verdict *v)
{
    int flags = mode->write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    struct io_file *f = calloc(1, sizeof(*f));
    MPI_File fh;
    int ok;

    verdict_mpi(v, MPI_File_open(comm, path, flags, mode->hints, &fh), "open",
                path);
    if (f)
        f->path = strdup(path);
    if (!f || !f->path)
        verdict_set(v, APP_FAILED, "%s: out of memory", path);
    ok = !v->code;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, comm);
    if (!ok)
        return discard(f);
    f->fh = fh;
    f->write = mode->write;
    f->collective = mode->collective;
    f->plain = 1;
    f->gaps = mode->gaps;
    return f;
}

/* Collective. A span keeps the view of bytes; a box or list has its own. */
static void set_view(struct io_file *f, const struct shape *s,
                     struct verdict *v)
{
    MPI_Datatype type = MPI_BYTE;
    int own = s->kind != SHAPE_SPAN && shape_bytes(s) > 0;
    MPI_Offset at = s->kind == SHAPE_SPAN ? 0 : s->at;

    if ((s->kind == SHAPE_SPAN && f->plain) || s == f->last)
        return;
    f->last = s;
    if (own && shape_type(s, &type)) {
        verdict_set(v, APP_FAILED, "%s: cannot make the datatype", f->path);
        type = MPI_BYTE;
        own = 0;
    }
    verdict_mpi(
        v,
        MPI_File_set_view(f->fh, at, MPI_BYTE, type, "native", MPI_INFO_NULL),
        "set_view", f->path);
    f->plain = s->kind == SHAPE_SPAN;
    if (own)
        MPI_Type_free(&type);
}

typedef int transfer_fn(MPI_File, MPI_Offset, void *, int, MPI_Datatype,
                        MPI_Status *);

static int write_at(MPI_File fh, MPI_Offset at, void *buf, int n,
                    MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at(fh, at, buf, n, type, status);
}

static int write_at_all(MPI_File fh, MPI_Offset at, void *buf, int n,
                        MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at_all(fh, at, buf, n, type, status);
}

/* The memory of a call: bytes in a row, or pieces and gaps in turn. */
static int transfer(struct io_file *f, int together, MPI_Offset at, void *buf,
                    int bytes, MPI_Status *status)
{
    static transfer_fn *const calls[2][2] = {
        {MPI_File_read_at, MPI_File_read_at_all}, {write_at, write_at_all}};
    transfer_fn *call = calls[f->write][together];
    MPI_Datatype memory;
    int rc;

    if (!f->gaps || !bytes)
        return call(f->fh, at, buf, bytes, MPI_BYTE, status);
    MPI_Type_vector(bytes / IO_GAP, IO_GAP, 2 * IO_GAP, MPI_BYTE, &memory);
    MPI_Type_commit(&memory);
    rc = call(f->fh, at, buf, 1, memory, status);
    MPI_Type_free(&memory);
    return rc;
}

static void mpi_call(struct io_file *f, const struct shape *s, int alone,
                     void *buf, struct verdict *v)
{
    static const char *const names[2] = {"read", "write"};
    int together = f->collective && !alone, bytes = (int)shape_bytes(s), got;
    MPI_Offset at = s->kind == SHAPE_SPAN ? s->at : 0;
    MPI_Status status;
    int rc;

    set_view(f, s, v);
    if (!bytes && !together)
        return;
    rc = transfer(f, together, at, buf, bytes, &status);
    verdict_mpi(v, rc, names[f->write], f->path);
    if (rc)
        return;
    MPI_Get_count(&status, MPI_BYTE, &got);
    if (got != bytes)
        verdict_set(v, f->write ? APP_FAILED : APP_WRONG,
                    "%s: %s %d of %d bytes", f->path, names[f->write], got,
                    bytes);
}

static int64_t mpi_size(struct io_file *f, struct verdict *v)
{
    MPI_Offset size = -1;

    verdict_mpi(v, MPI_File_get_size(f->fh, &size), "get_size", f->path);
    return size;
}

/* The name without the prefix that chooses a driver. */
static const char *plain_name(const char *path)
{
    const char *colon = strchr(path, ':'), *slash = strchr(path, '/');

    return colon && (!slash || colon < slash) ? colon + 1 : path;
}

/* ROMIO's ad_lustre does nothing in MPI_File_sync. So every rank asks for what
 * its node still holds, whatever the driver is. */
static void sync_all(struct io_file *f, struct verdict *v)
{
    int fd;

    verdict_mpi(v, MPI_File_sync(f->fh), "sync", f->path);
    fd = posix_open(plain_name(f->path), 1, MPI_COMM_SELF, v);
    if (fd >= 0)
        posix_close(fd, 1, f->path, v);
}

static void mpi_close(struct io_file *f, int sync, struct verdict *v)
{
    if (sync && f->write)
        sync_all(f, v);
    verdict_mpi(v, MPI_File_close(&f->fh), "close", f->path);
    discard(f);
}

static void mpi_remove(const char *path, MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        MPI_File_delete(path, MPI_INFO_NULL);
    MPI_Barrier(comm);
}

const struct io_api io_mpi = {
    .name = "MPI-IO",
    .open = mpi_open,
    .call = mpi_call,
    .size = mpi_size,
    .close = mpi_close,
    .remove = mpi_remove,
};
