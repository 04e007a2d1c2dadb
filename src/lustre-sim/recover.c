/* recover.c - rebuild an OST's lists from its arrays
 *
 * The lists are only an index over the arrays. If a process is killed in the
 * middle of an update, this module discards the lists and makes new ones, top
 * down: objects, the clients' parts, locks, runs. A slot whose owner is not
 * live is free.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "recover.h"

#include <string.h>

#include "lock.h"
#include "pool.h"
#include "runs.h"

static uint32_t bounded(struct pool *p, uint32_t cap)
{
    if (p->used >= cap)
        p->used = cap - 1;
    p->free = 0;
    return p->used;
}

static void clear_heads(struct ost *o)
{
    memset(o->hash, 0, sizeof(o->hash));
    for (uint32_t i = 0; i < LSIM_MAX_CLIENTS; i++) {
        struct osc *osc = &o->osc[i];

        /* Most were never used; do not touch their pages. */
        if (!osc->cobjs && !osc->lru_head && !osc->ring_count)
            continue;
        osc->cobjs = osc->lru_head = osc->lru_tail = osc->lru_count = 0;
        osc->dirty = 0;
        osc->ring_first = osc->ring_count = 0;
        osc->in_flight = 0;
    }
}

static void objects(struct ost *o)
{
    uint32_t n = bounded(&o->object_pool, MAX_OBJECTS);

    for (uint32_t s = 1; s <= n; s++) {
        struct object *ob = &o->objects[s];

        if (!ob->live) {
            pool_put(&o->object_pool, o->objects, sizeof(*ob), s);
            continue;
        }
        ob->cobjs = ob->waiting = 0;
        object_link(o, s);
    }
}

static void cobjs(struct ost *o)
{
    uint32_t n = bounded(&o->cobj_pool, MAX_COBJS);

    for (uint32_t s = 1; s <= n; s++) {
        struct cobj *co = &o->cobjs[s];

        if (!co->object || co->object >= MAX_OBJECTS ||
            !o->objects[co->object].live || co->client >= LSIM_MAX_CLIENTS) {
            co->object = 0;
            pool_put(&o->cobj_pool, o->cobjs, sizeof(*co), s);
            continue;
        }
        co->locks = co->lock_hint = 0;
        memset(co->runs, 0, sizeof(co->runs));
        cobj_link(o, s);
    }
}

static void locks(struct ost *o)
{
    uint32_t n = bounded(&o->lock_pool, MAX_LOCKS);

    for (uint32_t s = 1; s <= n; s++) {
        struct lock *l = &o->locks[s];

        if (l->state == LOCK_FREE || l->cobj >= MAX_COBJS ||
            !o->cobjs[l->cobj].object) {
            l->state = LOCK_FREE;
            pool_put(&o->lock_pool, o->locks, sizeof(*l), s);
            continue;
        }
        lock_relink(o, s);
    }
}

static void runs(struct ost *o)
{
    uint32_t n = bounded(&o->run_pool, MAX_RUNS);

    for (uint32_t s = 1; s <= n; s++) {
        struct run *r = &o->runs[s];

        if (!r->cobj || r->cobj >= MAX_COBJS || !o->cobjs[r->cobj].object ||
            r->start >= r->end || r->kind >= RUN_KINDS) {
            r->cobj = 0;
            pool_put(&o->run_pool, o->runs, sizeof(*r), s);
            continue;
        }
        runs_relink(o, s);
    }
}

static void merge(struct ost *o)
{
    for (uint32_t s = 1; s <= o->cobj_pool.used; s++) {
        struct cobj *co = &o->cobjs[s];

        if (!co->object)
            continue;
        runs_merge(o, s);
        o->osc[co->client].dirty += co->runs[RUN_DIRTY].bytes;
    }
}

void ost_recover(struct ost *o)
{
    clear_heads(o);
    objects(o);
    cobjs(o);
    locks(o);
    runs(o);
    merge(o);
    o->head_object = 0;
    o->recovered++;
}
