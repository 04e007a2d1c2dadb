/* rankprocs.c - which ranks make up which client node
 *
 * It replaces lustre-sim's procs.c. lustre-sim identifies a process by its pid
 * and start time; here a process is identified by its rank and the number of
 * the job, and the harness knows which ones are alive.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../../lustre-sim/procs.h"

#include <errno.h>
#include <string.h>

#include "../../lustre-sim/call.h"
#include "../../lustre-sim/lock.h"
#include "../sched.h"

int shm_init_mutex(pthread_mutex_t *m)
{
    return -pthread_mutex_init(m, NULL);
}

int proc_alive(const struct shm *shm, uint32_t proc)
{
    const struct proc *p = &shm->procs[proc < MAX_PROCS ? proc : 0];

    return proc && p->pid && p->born == (uint64_t)sched_job() &&
           !sched_is_killed((int)p->pid - 1);
}

void proc_waits(uint64_t ns)
{
    sched_busy_until(sched_time() + (int64_t)ns);
}

int client_alive(const struct shm *shm, uint32_t client, int careful)
{
    (void)careful;
    for (uint32_t i = 1; i <= shm->procs_used && i < MAX_PROCS; i++)
        if (shm->procs[i].client == client && proc_alive(shm, i))
            return 1;
    return 0;
}

static int init_osts(struct shm *shm, unsigned osts)
{
    int rc = 0;

    for (; shm->osts < osts && rc == 0; shm->osts++)
        rc = shm_init_mutex(&shm->ost[shm->osts].mutex);
    return rc;
}

/* A rank's place is its own: rank + 1. */
int proc_register(struct lsim *ls)
{
    uint32_t slot = (uint32_t)sched_rank + 1;
    struct proc *p;

    if (slot >= MAX_PROCS)
        return -EUSERS;
    p = &ls->shm->procs[slot];
    p->client = ls->client;
    p->leaving = 0;
    p->born = (uint64_t)sched_job();
    p->pid = slot;
    if (slot > ls->shm->procs_used)
        ls->shm->procs_used = slot;
    ls->proc = slot;
    return init_osts(ls->shm, ls->osts);
}

static int others_alive(const struct shm *shm, uint32_t client, uint32_t self)
{
    for (uint32_t i = 1; i <= shm->procs_used && i < MAX_PROCS; i++)
        if (i != self && shm->procs[i].client == client &&
            !shm->procs[i].leaving && proc_alive(shm, i))
            return 1;
    return 0;
}

void proc_leave(struct lsim *ls, int *last)
{
    ls->shm->procs[ls->proc].leaving = 1;
    *last = !others_alive(ls->shm, ls->client, ls->proc);
}

void proc_release(struct lsim *ls)
{
    ls->shm->procs[ls->proc].pid = 0;
}

/* A rank that was killed: its requests and group locks, and its client's locks
 * where clients forget and it was the last. */
static void bury_rank(struct lsim *ls, uint32_t proc)
{
    struct shm *shm = ls->shm;
    uint32_t client = shm->procs[proc].client;
    int last = !others_alive(shm, client, proc);

    for (unsigned i = 0; i < shm->osts && i < ls->mapped; i++) {
        struct ost *o = &shm->ost[i];

        if (ost_lock(o) < 0)
            continue;
        lock_forget_proc(o, proc);
        if (last && ls->forgets && client < LSIM_MAX_CLIENTS)
            lock_evict(o, client);
        ost_unlock(o);
    }
    shm->procs[proc].pid = 0;
}

int procs_reap(struct lsim *ls)
{
    struct shm *shm = ls->shm;

    if (sched_job() == 1) /* the dead of this job stay until the next one */
        return 0;
    for (uint32_t i = 1; i <= shm->procs_used && i < MAX_PROCS; i++)
        if (shm->procs[i].pid && !proc_alive(shm, i))
            bury_rank(ls, i);
    return 0;
}
