/* pool.c - slots of the shared arrays */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pool.h"

#include <errno.h>
#include <string.h>

#include "lock.h"
#include "runs.h"

/* Keep the compiler from moving the store that makes a slot live: a killed
 * process leaves memory as its instructions ran. */
#define BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static void *at(void *base, size_t size, uint32_t slot)
{
    return (char *)base + size * slot;
}

uint32_t pool_get(struct pool *p, void *base, size_t size, uint32_t cap)
{
    uint32_t slot = p->free;

    if (slot && slot < cap) {
        p->free = *(uint32_t *)at(base, size, slot);
    } else if (p->used + 1 < cap) {
        slot = ++p->used;
    } else {
        return 0;
    }
    memset(at(base, size, slot), 0, size);
    return slot;
}

void pool_put(struct pool *p, void *base, size_t size, uint32_t slot)
{
    *(uint32_t *)at(base, size, slot) = p->free;
    p->free = slot;
}

static uint32_t bucket(uint64_t file, uint32_t index)
{
    uint64_t h = (file ^ ((uint64_t)index << 32)) * 0x9e3779b97f4a7c15ULL;

    return (uint32_t)(h >> 40) % HASH_SIZE;
}

uint32_t object_find(struct ost *o, uint64_t file, uint32_t index)
{
    uint32_t slot = o->hash[bucket(file, index)];

    while (slot) {
        const struct object *ob = &o->objects[slot];

        if (ob->file == file && ob->index == index)
            break;
        slot = ob->next;
    }
    return slot;
}

void object_link(struct ost *o, uint32_t slot)
{
    struct object *ob = &o->objects[slot];
    uint32_t *head = &o->hash[bucket(ob->file, ob->index)];

    ob->next = *head;
    *head = slot;
}

static int is_idle(const struct ost *o, const struct object *ob)
{
    if (ob->waiting)
        return 0;
    for (uint32_t cs = ob->cobjs; cs; cs = o->cobjs[cs].next)
        if (o->cobjs[cs].locks || o->cobjs[cs].runs[RUN_DIRTY].head)
            return 0;
    return 1;
}

/* No request waits, and no lock is one that a process counts on. */
static int is_spare(const struct ost *o, const struct object *ob)
{
    if (ob->waiting)
        return 0;
    for (uint32_t cs = ob->cobjs; cs; cs = o->cobjs[cs].next)
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (o->locks[at].users || o->locks[at].ext.mode == LSIM_RULE_GROUP)
                return 0;
    return 1;
}

/* Forget one object, starting where the last search ended. Its counts stay in
 * those of the OST and the clients. */
static int reclaim_if(struct ost *o, uint32_t keep,
                      int (*may)(const struct ost *, const struct object *))
{
    for (uint32_t i = 0; i < o->object_pool.used; i++) {
        uint32_t slot = o->reclaim % o->object_pool.used + 1;

        o->reclaim = slot;
        if (slot == keep || !o->objects[slot].live)
            continue;
        if (!may(o, &o->objects[slot]))
            continue;
        object_free(o, slot);
        return 0;
    }
    return -ENOSPC;
}

/* One that is not locked. Else, since locks stay when programs end, one whose
 * locks no process uses. */
static int reclaim(struct ost *o, uint32_t keep)
{
    int rc = reclaim_if(o, keep, is_idle);

    return rc ? reclaim_if(o, keep, is_spare) : 0;
}

uint32_t object_make(struct ost *o, uint64_t file, uint32_t index)
{
    uint32_t slot = object_find(o, file, index);
    struct object *ob;

    if (slot)
        return slot;
    do {
        slot = pool_get(&o->object_pool, o->objects, sizeof(o->objects[0]),
                        MAX_OBJECTS);
    } while (!slot && reclaim(o, 0) == 0);
    if (!slot)
        return 0;
    ob = &o->objects[slot];
    ob->file = file;
    ob->index = index;
    ob->gen = ++o->gen;
    BARRIER();
    ob->live = 1;
    object_link(o, slot);
    return slot;
}

void cobj_link(struct ost *o, uint32_t slot)
{
    struct cobj *co = &o->cobjs[slot];
    struct osc *osc = &o->osc[co->client];

    co->next = o->objects[co->object].cobjs;
    o->objects[co->object].cobjs = slot;
    co->osc_prev = 0;
    co->osc_next = osc->cobjs;
    if (osc->cobjs)
        o->cobjs[osc->cobjs].osc_prev = slot;
    osc->cobjs = slot;
}

uint32_t cobj_make(struct ost *o, uint32_t object, uint32_t client)
{
    uint32_t slot = o->objects[object].cobjs;
    struct cobj *co;

    while (slot && o->cobjs[slot].client != client)
        slot = o->cobjs[slot].next;
    if (slot)
        return slot;
    do {
        slot =
            pool_get(&o->cobj_pool, o->cobjs, sizeof(o->cobjs[0]), MAX_COBJS);
    } while (!slot && reclaim(o, object) == 0);
    if (!slot)
        return 0;
    co = &o->cobjs[slot];
    co->client = client;
    co->gen = ++o->gen;
    BARRIER();
    co->object = object;
    cobj_link(o, slot);
    return slot;
}

static void cobj_free(struct ost *o, uint32_t slot)
{
    struct cobj *co = &o->cobjs[slot];
    struct osc *osc = &o->osc[co->client];

    while (co->locks)
        lock_free(o, co->locks);
    osc->dirty -= runs_cut(o, slot, RUN_DIRTY, 0, LSIM_EOF);
    runs_cut(o, slot, RUN_CACHED, 0, LSIM_EOF);
    runs_cut(o, slot, RUN_LOST, 0, LSIM_EOF);
    co->object = 0;
    BARRIER();
    if (co->osc_prev)
        o->cobjs[co->osc_prev].osc_next = co->osc_next;
    else
        osc->cobjs = co->osc_next;
    if (co->osc_next)
        o->cobjs[co->osc_next].osc_prev = co->osc_prev;
    pool_put(&o->cobj_pool, o->cobjs, sizeof(o->cobjs[0]), slot);
}

static void unhash(struct ost *o, uint32_t slot)
{
    struct object *ob = &o->objects[slot];
    uint32_t *link = &o->hash[bucket(ob->file, ob->index)];

    while (*link && *link != slot)
        link = &o->objects[*link].next;
    if (*link)
        *link = ob->next;
}

void object_free(struct ost *o, uint32_t slot)
{
    struct object *ob = &o->objects[slot];

    while (ob->waiting)
        lock_free(o, ob->waiting);
    while (ob->cobjs) {
        uint32_t cs = ob->cobjs;

        ob->cobjs = o->cobjs[cs].next;
        cobj_free(o, cs);
    }
    unhash(o, slot);
    ob->live = 0;
    BARRIER();
    if (o->head_object == slot)
        o->head_object = 0;
    pool_put(&o->object_pool, o->objects, sizeof(o->objects[0]), slot);
}
