/* fdtab.h - the descriptors of this process that are on the simulated root
 *
 * Descriptor -> open file description. Descriptors that were made by dup share
 * a description. It is freed when the last of them is closed and no call uses
 * it. A query for a descriptor that is not in the table costs two loads.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_FDTAB_H
#define LUSTRE_SIM_FDTAB_H

#include <pthread.h>
#include <stdatomic.h>
#include "file.h"
#include "readahead.h"

#define SIM_FD_CHUNK 1024
#define SIM_FD_CHUNKS 1024

/* An open file description. */
struct sim_open {
    atomic_int refs;
    struct sim_file *file; /* NULL: a directory */
    int flags;             /* of open */
    atomic_uint gid;       /* of the group lock held, 0 = none */
    atomic_int noexpand;   /* LOCKNOEXPAND was asked for */
    atomic_int hollow;     /* the group lock was taken without a layout */
    atomic_int written;
    atomic_int random;    /* POSIX_FADV_RANDOM: nothing is read ahead */
    pthread_mutex_t lock; /* of what follows */
    struct sim_readahead ahead;
    uint64_t size;      /* of the file when it was opened */
    unsigned evictions; /* of the client when it was opened */
    int inherited;      /* from before a fork: the parent releases its lock */
};

struct sim_fdtab {
    pthread_mutex_t lock;
    _Atomic(struct sim_open *) *_Atomic chunk[SIM_FD_CHUNKS];
};

void sim_fdtab_init(struct sim_fdtab *t);

/* A quick check: 0 if the descriptor is certainly not in the table. */
int sim_fdtab_has(const struct sim_fdtab *t, int fd);

/* The description with one more reference, or NULL. */
struct sim_open *sim_fdtab_get(struct sim_fdtab *t, int fd);

/* Enter a description; the table takes over the caller's reference. A
 * description that was there before is returned with its reference. -ENOMEM,
 * -EMFILE: nothing was entered. */
int sim_fdtab_set(struct sim_fdtab *t, int fd, struct sim_open *o,
                  struct sim_open **old);

/* Remove the description and return it with the table's reference, or NULL. */
struct sim_open *sim_fdtab_take(struct sim_fdtab *t, int fd);

/* The next descriptor of the table at or above `fd`, or -1. */
int sim_fdtab_next(const struct sim_fdtab *t, int fd);

#endif
