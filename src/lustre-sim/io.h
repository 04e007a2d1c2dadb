/* io.h - faults, layouts, locks, RPCs and time of reads, writes and other calls
 *
 * The caller comes here before it moves the bytes. It moves them itself, with
 * the C library's function, in the ordinary file.
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
    size_t len; /* may be reduced, but not to 0 */
};

/* 0, or the -errno with which the call must fail. */
int sim_io_begin(struct sim_proc *p, struct sim_io *io);

/* The file position of read and write (O_APPEND: the end). -errno of lseek. */
int64_t sim_io_position(const struct sim_open *o, int fd, enum sim_call call);

/* fsync, fdatasync; sync_file_range. */
int sim_io_sync(struct sim_proc *p, struct sim_open *o, int fd);
int sim_io_flush(struct sim_proc *p, struct sim_open *o, int fd);

/* A descriptor is about to be closed. Returns the result of the close. */
int sim_io_closing(struct sim_proc *p, struct sim_open *o, int fd);

/* How often the client has been evicted, as far as this process knows. */
unsigned sim_io_evictions(struct sim_proc *p);

/* Take a glimpse at every object, for stat: the size is requested. */
void sim_io_glimpse(struct sim_proc *p, struct sim_file *f);

/* The file is cut or lengthened to `size`. */
int sim_io_truncate(struct sim_proc *p, struct sim_open *o, int fd,
                    uint64_t size);

/* A file that has data was opened: give the server the lengths of its objects.
 */
void sim_io_sizes(struct sim_proc *p, struct sim_file *f, uint64_t size);

/* A file was opened. An open for writing gets the lock of the data on the MDT
 * if no client has it (M1). */
void sim_io_opened(struct sim_proc *p, struct sim_open *o);

/* [off, off + len) is preallocated: as a write, but no data is sent. */
int sim_io_reserve(struct sim_proc *p, struct sim_open *o, int fd, uint64_t off,
                   uint64_t len);

/* The file was deleted: remove its objects. */
void sim_io_destroy(struct sim_proc *p, struct sim_file *f);

/* A call that moves no bytes: 0, or the -errno of a fault. path NULL: unknown.
 */
int sim_io_fault(struct sim_proc *p, enum sim_call call, const char *path);

#endif
