/* procs.c - which processes make up which client node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "lock.h"
#include "raw.h"

int shm_init_mutex(pthread_mutex_t *m)
{
    pthread_mutexattr_t a;
    int rc = pthread_mutexattr_init(&a);

    if (rc)
        return -rc;
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    rc = pthread_mutex_init(m, &a);
    pthread_mutexattr_destroy(&a);
    return -rc;
}

static int shm_lock(struct shm *shm)
{
    int rc = pthread_mutex_lock(&shm->mutex);

    /* Slots change by one store each, there is nothing to repair. */
    if (rc == EOWNERDEAD)
        rc = pthread_mutex_consistent(&shm->mutex);
    return -rc;
}

static void shm_unlock(struct shm *shm)
{
    pthread_mutex_unlock(&shm->mutex);
}

/* Start time in clock ticks, or 0 when the process is gone or a zombie. */
static uint64_t born(uint32_t pid)
{
    char path[40], text[1024], *at;
    long n;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    n = raw_slurp(path, text, sizeof(text) - 1);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    /* The name in parentheses may hold anything; what follows is regular:
     * state, 18 numbers, then the start time. */
    at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    at += 3;
    for (int i = 0; i < 18 && at; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static int is_alive(const struct proc *p, int careful)
{
    if (!p->pid)
        return 0;
    if (!careful)
        return syscall(SYS_kill, p->pid, 0) == 0 || errno == EPERM;
    return born(p->pid) == p->born;
}

int proc_alive(const struct shm *shm, uint32_t proc)
{
    return proc && proc < MAX_PROCS && is_alive(&shm->procs[proc], 1);
}

/* No simulated machine: time passes. */
void proc_waits(uint64_t ns)
{
    (void)ns;
}

int client_alive(const struct shm *shm, uint32_t client, int careful)
{
    uint32_t used = shm->procs_used;

    for (uint32_t i = 1; i <= used && i < MAX_PROCS; i++)
        if (shm->procs[i].pid && shm->procs[i].client == client &&
            is_alive(&shm->procs[i], careful))
            return 1;
    return 0;
}

/* The number grows last, so that no process sees an OST half made. */
static int init_osts(struct shm *shm, unsigned osts)
{
    int rc = 0;

    while (shm->osts < osts && rc == 0) {
        rc = shm_init_mutex(&shm->ost[shm->osts].mutex);
        if (rc == 0)
            __atomic_store_n(&shm->osts, shm->osts + 1, __ATOMIC_RELEASE);
    }
    return rc;
}

int proc_register(struct lsim *ls)
{
    struct shm *shm = ls->shm;
    uint32_t pid = (uint32_t)syscall(SYS_getpid);
    uint64_t start = born(pid);
    uint32_t slot = 1;
    int rc = shm_lock(shm);

    if (rc < 0)
        return rc;
    while (slot < MAX_PROCS && shm->procs[slot].pid)
        slot++;
    rc = slot < MAX_PROCS ? init_osts(shm, ls->osts) : -EUSERS;
    if (rc == 0) {
        shm->procs[slot].client = ls->client;
        shm->procs[slot].born = start;
        shm->procs[slot].leaving = 0;
        __atomic_store_n(&shm->procs[slot].pid, pid, __ATOMIC_RELEASE);
        if (slot > shm->procs_used)
            shm->procs_used = slot;
        ls->proc = slot;
    }
    shm_unlock(shm);
    return rc;
}

static int others_alive(const struct shm *shm, uint32_t client, uint32_t self)
{
    for (uint32_t i = 1; i <= shm->procs_used && i < MAX_PROCS; i++)
        if (i != self && shm->procs[i].client == client &&
            !shm->procs[i].leaving && is_alive(&shm->procs[i], 1))
            return 1;
    return 0;
}

void proc_leave(struct lsim *ls, int *last)
{
    *last = 0;
    if (shm_lock(ls->shm) < 0)
        return;
    ls->shm->procs[ls->proc].leaving = 1;
    *last = !others_alive(ls->shm, ls->client, ls->proc);
    shm_unlock(ls->shm);
}

void proc_release(struct lsim *ls)
{
    if (shm_lock(ls->shm) < 0)
        return;
    ls->shm->procs[ls->proc].pid = 0;
    shm_unlock(ls->shm);
}

/* One dead process: its own requests and group locks, and, where clients
 * forget, its client's locks when it was the last. The slot is free only
 * afterwards. */
static void bury(struct lsim *ls, uint32_t proc)
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
    int rc = shm_lock(shm);

    if (rc < 0)
        return rc;
    for (uint32_t i = 1; i <= shm->procs_used && i < MAX_PROCS; i++)
        if (shm->procs[i].pid && i != ls->proc && !is_alive(&shm->procs[i], 1))
            bury(ls, i);
    while (shm->procs_used && !shm->procs[shm->procs_used].pid)
        shm->procs_used--;
    shm_unlock(shm);
    return 0;
}
