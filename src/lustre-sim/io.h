/* io.h - reads, writes and their like, before the bytes are moved
 *
 * The caller moves the bytes itself with the C library's function, on the
 * ordinary file; here faults, layouts, locks, RPCs and time are dealt with.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_IO_H
#define LUSTRE_SIM_IO_H

#include "proc.h"

struct sim_io {
    struct sim_open *open;
    int fd;
    enum sim_call call; /* SIM_CALL_READ or _WRITE */
    uint64_t off;
    size_t len; /* may come back smaller, never 0 if it was not */
};

/* -errno: the call has to fail with it. */
int sim_io_begin(struct sim_proc *p, struct sim_io *io);

/* Where read and write go on (O_APPEND: the end). -errno as from lseek. */
int64_t sim_io_position(const struct sim_open *o, int fd, enum sim_call call);

/* fsync, fdatasync. */
int sim_io_sync(struct sim_proc *p, struct sim_open *o);

/* The size is wanted (stat): a glimpse at every object. */
void sim_io_glimpse(struct sim_proc *p, struct sim_file *f);

/* The file is cut or lengthened to `size`. */
int sim_io_truncate(struct sim_proc *p, struct sim_open *o, int fd,
                    uint64_t size);

/* A file that has data was opened: tell the server how long its objects
 * are. */
void sim_io_sizes(struct sim_proc *p, struct sim_file *f, uint64_t size);

/* A file was opened: for writing, it comes with the lock on its data on the
 * MDT if nobody has it (M1). */
void sim_io_opened(struct sim_proc *p, struct sim_open *o);

/* [off, off + len) is preallocated: as a write, but nothing is sent. */
int sim_io_reserve(struct sim_proc *p, struct sim_open *o, int fd, uint64_t off,
                   uint64_t len);

/* The file is gone: so are its objects. */
void sim_io_destroy(struct sim_proc *p, struct sim_file *f);

/* A call without bytes: does a fault want it to fail? path NULL: unknown. */
int sim_io_fault(struct sim_proc *p, enum sim_call call, const char *path);

#endif
