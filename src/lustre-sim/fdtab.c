/* fdtab.c - the descriptors of this process on the simulated root */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fdtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void sim_fdtab_init(struct sim_fdtab *t)
{
    memset(t, 0, sizeof(*t));
    pthread_mutex_init(&t->lock, NULL);
}

static _Atomic(struct sim_open *) *slot(const struct sim_fdtab *t, int fd)
{
    _Atomic(struct sim_open *) *chunk;

    if (fd < 0 || fd >= SIM_FD_CHUNK * SIM_FD_CHUNKS)
        return NULL;
    chunk = atomic_load_explicit(&t->chunk[fd / SIM_FD_CHUNK],
                                 memory_order_acquire);
    return chunk ? &chunk[fd % SIM_FD_CHUNK] : NULL;
}

int sim_fdtab_has(const struct sim_fdtab *t, int fd)
{
    _Atomic(struct sim_open *) *s = slot(t, fd);

    return s && atomic_load_explicit(s, memory_order_relaxed) != NULL;
}

struct sim_open *sim_fdtab_get(struct sim_fdtab *t, int fd)
{
    struct sim_open *o;

    if (!sim_fdtab_has(t, fd))
        return NULL;
    /* The lock keeps a concurrent close from freeing it under us. */
    pthread_mutex_lock(&t->lock);
    o = atomic_load(slot(t, fd));
    if (o)
        atomic_fetch_add(&o->refs, 1);
    pthread_mutex_unlock(&t->lock);
    return o;
}

/* Under the lock. */
static int make_chunk(struct sim_fdtab *t, int fd)
{
    _Atomic(struct sim_open *) *chunk;

    if (fd < 0 || fd >= SIM_FD_CHUNK * SIM_FD_CHUNKS)
        return -EMFILE;
    if (atomic_load(&t->chunk[fd / SIM_FD_CHUNK]))
        return 0;
    chunk = calloc(SIM_FD_CHUNK, sizeof(*chunk));
    if (!chunk)
        return -ENOMEM;
    atomic_store_explicit(&t->chunk[fd / SIM_FD_CHUNK], chunk,
                          memory_order_release);
    return 0;
}

int sim_fdtab_set(struct sim_fdtab *t, int fd, struct sim_open *o,
                  struct sim_open **old)
{
    int rc;

    pthread_mutex_lock(&t->lock);
    rc = make_chunk(t, fd);
    if (rc == 0)
        *old = atomic_exchange(slot(t, fd), o);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

struct sim_open *sim_fdtab_take(struct sim_fdtab *t, int fd)
{
    struct sim_open *o;

    if (!sim_fdtab_has(t, fd))
        return NULL;
    pthread_mutex_lock(&t->lock);
    o = atomic_exchange(slot(t, fd), NULL);
    pthread_mutex_unlock(&t->lock);
    return o;
}

int sim_fdtab_next(const struct sim_fdtab *t, int fd)
{
    if (fd < 0)
        fd = 0;
    while (fd < SIM_FD_CHUNK * SIM_FD_CHUNKS) {
        if (!slot(t, fd))
            fd = (fd / SIM_FD_CHUNK + 1) * SIM_FD_CHUNK;
        else if (sim_fdtab_has(t, fd))
            return fd;
        else
            fd++;
    }
    return -1;
}
