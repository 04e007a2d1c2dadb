/* io.h - the interface by which a proxy reaches its files */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_IO_H
#define APPS_IO_H

#include "shape.h"
#include "verdict.h"

struct io_file; /* an open file; each interface has its own type */

/* The words of the option --api. */
enum io_name { IO_MPI, IO_HDF5, IO_HAND, IO_POSIX, IO_FPP, IO_GIO };

struct io_mode {
    int write;      /* a new file, or one that exists, to read */
    int collective; /* calls are collective, except those of one rank alone */
    int gaps;       /* buffers are spread out: 64 bytes, a gap of 64, ... */
    int64_t size;   /* of the data, when it is complete */
    MPI_Info hints;
};

enum { IO_GAP = 64 }; /* bytes of a piece of memory, and of the gap after it */

struct io_api {
    const char *name;
    /* the ranks have no common file: it must be read as it was written */
    int apart;

    /* Collective; succeeds on all ranks or on none. NULL after an error, which
     * at least one rank has in its verdict. */
    struct io_file *(*open)(const char *path, const struct io_mode *mode,
                            MPI_Comm comm, struct verdict *v);

    /* All ranks call it in the same order, each with its own shape of the same
     * kind. alone: only rank 0 has bytes, and transfers them independently. If
     * the shape is that of the call before (by address), no new view is needed.
     */
    void (*call)(struct io_file *f, const struct shape *s, int alone, void *buf,
                 struct verdict *v);

    /* Bytes of data in the file, -1 after an error. Collective. */
    int64_t (*size)(struct io_file *f, struct verdict *v);

    /* Collective; `f` is gone afterwards. */
    void (*close)(struct io_file *f, int sync, struct verdict *v);

    /* Collective: the file need not exist. */
    void (*remove)(const char *path, MPI_Comm comm);
};

extern const struct io_api io_mpi, io_hand, io_posix, io_fpp;

/* NULL in a build without parallel HDF5; takes spans only. */
const struct io_api *io_hdf5(void);
/* NULL in a build without GIO. */
const struct io_api *io_gio(void);

#endif
