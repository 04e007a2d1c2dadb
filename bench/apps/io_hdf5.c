/* io_hdf5.c - a file's data as one dataset of bytes, by parallel HDF5
 *
 * Compiled without HAVE_HDF5 it only says that this interface is missing.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "io.h"
#include <stddef.h>

#ifndef HAVE_HDF5

const struct io_api *io_hdf5(void)
{
    return NULL;
}

#else

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

struct io_file {
    hid_t file, set, transfer[2]; /* independent, collective */
    char *path;
    int write, collective;
};

/* HDF5 has told standard error the details already. */
static void failed(struct verdict *v, const char *what, const char *path)
{
    verdict_set(v, APP_FAILED, "%s: HDF5 cannot %s it", path, what);
}

static hid_t make_set(hid_t file, int64_t size)
{
    hsize_t n = (hsize_t)size;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t set = H5Dcreate2(file, "data", H5T_NATIVE_UCHAR, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);

    H5Sclose(space);
    return set;
}

static hid_t transfer_list(H5FD_mpio_xfer_t how)
{
    hid_t list = H5Pcreate(H5P_DATASET_XFER);

    H5Pset_dxpl_mpio(list, how);
    return list;
}

static struct io_file *h5_open(const char *path, const struct io_mode *mode,
                               MPI_Comm comm, struct verdict *v)
{
    struct io_file *f = calloc(1, sizeof(*f));
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    int ok;

    H5Pset_fapl_mpio(access, comm, mode->hints);
    hid_t file = mode->write
                     ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                     : H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (f)
        f->path = strdup(path);
    ok = f && f->path && file >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, comm);
    if (!ok) {
        failed(v, "open", path);
        if (f)
            free(f->path);
        free(f);
        return NULL;
    }
    f->file = file;
    f->write = mode->write;
    f->collective = mode->collective;
    f->transfer[0] = transfer_list(H5FD_MPIO_INDEPENDENT);
    f->transfer[1] = transfer_list(H5FD_MPIO_COLLECTIVE);
    f->set = mode->write ? make_set(file, mode->size)
                         : H5Dopen2(file, "data", H5P_DEFAULT);
    if (f->set < 0)
        failed(v, "find the dataset in", path);
    return f;
}

static void select_span(hid_t space, hsize_t at, hsize_t len)
{
    if (len)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &len, NULL);
    else
        H5Sselect_none(space);
}

static void h5_call(struct io_file *f, const struct shape *s, int alone,
                    void *buf, struct verdict *v)
{
    hsize_t len = (hsize_t)shape_bytes(s), room = len ? len : 1;
    int together = f->collective && !alone;
    hid_t file, memory, how = f->transfer[together];
    herr_t rc;

    if (f->set < 0 || (!len && !together))
        return;
    file = H5Dget_space(f->set);
    memory = H5Screate_simple(1, &room, NULL);
    select_span(file, (hsize_t)s->at, len);
    select_span(memory, 0, len);
    rc = f->write ? H5Dwrite(f->set, H5T_NATIVE_UCHAR, memory, file, how, buf)
                  : H5Dread(f->set, H5T_NATIVE_UCHAR, memory, file, how, buf);
    if (rc < 0)
        failed(v, f->write ? "write" : "read", f->path);
    H5Sclose(memory);
    H5Sclose(file);
}

static int64_t h5_size(struct io_file *f, struct verdict *v)
{
    hid_t space = f->set < 0 ? -1 : H5Dget_space(f->set);
    int64_t n;

    if (space < 0) {
        failed(v, "measure", f->path);
        return -1;
    }
    n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return n;
}

static void h5_close(struct io_file *f, int sync, struct verdict *v)
{
    if (sync && f->write && H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0)
        failed(v, "flush", f->path);
    if (f->set >= 0)
        H5Dclose(f->set);
    for (int i = 0; i < 2; i++)
        H5Pclose(f->transfer[i]);
    if (H5Fclose(f->file) < 0)
        failed(v, "close", f->path);
    free(f->path);
    free(f);
}

static void h5_remove(const char *path, MPI_Comm comm)
{
    io_mpi.remove(path, comm);
}

const struct io_api *io_hdf5(void)
{
    static const struct io_api api = {
        .name = "HDF5",
        .open = h5_open,
        .call = h5_call,
        .size = h5_size,
        .close = h5_close,
        .remove = h5_remove,
    };

    return &api;
}

#endif
