/* call.c - one call into the server: mutex, time, counters, trace */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "call.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <time.h>

#include "pool.h"
#include "raw.h"
#include "recover.h"

#define SECOND 1000000000ULL

uint64_t clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

int ost_lock(struct ost *o)
{
    int rc = pthread_mutex_lock(&o->mutex);

    if (rc == EOWNERDEAD) {
        ost_recover(o);
        rc = pthread_mutex_consistent(&o->mutex);
    }
    return -rc;
}

void ost_unlock(struct ost *o)
{
    pthread_mutex_unlock(&o->mutex);
}

/* Find object and cobj again, by slot where the handle still knows. */
static int resolve(struct call *c, struct lsim_object *obj)
{
    struct ost *o = c->o;

    if (!obj->slot || obj->slot >= MAX_OBJECTS || !o->objects[obj->slot].live ||
        o->objects[obj->slot].gen != obj->gen) {
        obj->slot = object_make(o, obj->file, obj->index);
        if (!obj->slot)
            return -ENOLCK;
        obj->gen = o->objects[obj->slot].gen;
        obj->cslot = 0;
    }
    if (!obj->cslot || obj->cslot >= MAX_COBJS ||
        o->cobjs[obj->cslot].object != obj->slot ||
        o->cobjs[obj->cslot].gen != obj->cgen ||
        o->cobjs[obj->cslot].client != c->ls->client) {
        obj->cslot = cobj_make(o, obj->slot, c->ls->client);
        if (!obj->cslot)
            return -ENOLCK;
        obj->cgen = o->cobjs[obj->cslot].gen;
    }
    c->object = obj->slot;
    c->cobj = obj->cslot;
    c->gen = obj->gen;
    c->trace.on.file = obj->file;
    c->trace.on.index = obj->index;
    return 0;
}

int call_begin(struct call *c, struct lsim *ls, unsigned ost,
               struct lsim_object *obj)
{
    int rc;

    if (ost >= ls->osts)
        return -EINVAL;
    c->ls = ls;
    c->ost = ost;
    c->o = &ls->shm->ost[ost];
    c->wake = 0;
    c->object = c->cobj = 0;
    lsim_trace_begin(
        &c->trace, ls->trace_dir,
        &(struct lsim_trace_who){.ost = ost,
                                 .mdt = ls->mdt && ost == ls->mdt,
                                 .pid = ls->shm->procs[ls->proc].pid,
                                 .client = ls->client});
    rc = ost_lock(c->o);
    if (rc < 0)
        return rc;
    c->now = clock_now();
    if (!obj)
        return 0;
    rc = resolve(c, obj);
    if (rc < 0)
        ost_unlock(c->o);
    return rc;
}

void sleep_until(uint64_t t)
{
    struct timespec ts = {.tv_sec = (time_t)(t / SECOND),
                          .tv_nsec = (long)(t % SECOND)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
        ;
}

void call_end(struct call *c)
{
    ost_unlock(c->o);
    lsim_trace_end(&c->trace);
    if (c->wake > c->now)
        sleep_until(c->wake);
}

void call_end_later(struct call *c, uint64_t *wake)
{
    ost_unlock(c->o);
    lsim_trace_end(&c->trace);
    if (c->wake > *wake)
        *wake = c->wake;
}

/* Futexes need no cleaning up after a killed waiter, unlike a condition
 * variable in shared memory. */
static void wait_change(struct ost *o, uint32_t seq, uint64_t until)
{
    struct timespec ts = {.tv_sec = (time_t)(until / SECOND),
                          .tv_nsec = (long)(until % SECOND)};

    syscall(SYS_futex, &o->seq, FUTEX_WAIT_BITSET, seq, &ts, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

int call_wait(struct call *c, uint64_t until, int change)
{
    struct ost *o = c->o;
    uint32_t seq = o->seq;
    int rc;

    o->sleepers += change ? 1 : 0;
    ost_unlock(o);
    lsim_trace_end(&c->trace);
    if (change)
        wait_change(o, seq, until);
    else
        sleep_until(until);
    rc = ost_lock(o);
    if (rc < 0)
        return rc;
    if (change && o->sleepers)
        o->sleepers--;
    c->now = clock_now();
    if (!o->objects[c->object].live || o->objects[c->object].gen != c->gen)
        return -ESTALE;
    return 0;
}

void call_wake(struct ost *o)
{
    o->seq++;
    if (o->sleepers)
        syscall(SYS_futex, &o->seq, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
