/* stats.c - consistent copies of counters and locks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "pool.h"

int lsim_stats_ost(struct lsim *ls, unsigned ost, struct lsim_counts *out)
{
    struct call c;
    int rc = call_begin(&c, ls, ost, NULL);

    if (rc < 0)
        return rc;
    *out = c.o->counts;
    call_end(&c);
    return 0;
}

int lsim_stats_client_ost(struct lsim *ls, unsigned client, unsigned ost,
                          struct lsim_counts *out)
{
    struct call c;
    int rc;

    if (client >= LSIM_MAX_CLIENTS)
        return -EINVAL;
    rc = call_begin(&c, ls, ost, NULL);
    if (rc < 0)
        return rc;
    *out = c.o->osc[client].counts;
    call_end(&c);
    return 0;
}

/* Every member of struct lsim_counts is a uint64_t. */
static void add_counts(struct lsim_counts *sum, const struct lsim_counts *more)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;

    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
}

int lsim_stats_client(struct lsim *ls, unsigned client, struct lsim_counts *out)
{
    struct lsim_counts sum = {0}, one;

    for (unsigned i = 0; i < ls->osts; i++) {
        int rc = lsim_stats_client_ost(ls, client, i, &one);

        if (rc < 0)
            return rc;
        add_counts(&sum, &one);
    }
    *out = sum;
    return 0;
}

int lsim_stats_object(struct lsim *ls, struct lsim_object *obj,
                      struct lsim_counts *out)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    *out = call_object(&c)->counts;
    call_end(&c);
    return 0;
}

/* Copy the next live object at or after slot. Returns its slot or 0. */
static uint32_t next_object(struct lsim *ls, unsigned ost, uint32_t slot,
                            struct lsim_object *obj, struct lsim_counts *out)
{
    struct call c;
    uint32_t found = 0;

    if (call_begin(&c, ls, ost, NULL) < 0)
        return 0;
    for (; slot <= c.o->object_pool.used && !found; slot++) {
        const struct object *ob = &c.o->objects[slot];

        if (!ob->live)
            continue;
        *obj = (struct lsim_object){.file = ob->file,
                                    .index = ob->index,
                                    .ost = ost,
                                    .slot = slot,
                                    .gen = ob->gen};
        *out = ob->counts;
        found = slot;
    }
    call_end(&c);
    return found;
}

int lsim_stats_objects(struct lsim *ls, unsigned ost, lsim_object_fn fn,
                       void *arg)
{
    struct lsim_object obj;
    struct lsim_counts counts;
    uint32_t slot = 0;
    int rc = 0;

    if (ost >= ls->osts)
        return -EINVAL;
    while (rc == 0 &&
           (slot = next_object(ls, ost, slot + 1, &obj, &counts)) != 0)
        rc = fn(&obj, &counts, arg);
    return rc;
}

static void reset_ost(struct ost *o)
{
    memset(&o->counts, 0, sizeof(o->counts));
    for (uint32_t i = 1; i <= o->object_pool.used; i++)
        memset(&o->objects[i].counts, 0, sizeof(o->counts));
    for (uint32_t i = 0; i < LSIM_MAX_CLIENTS; i++)
        /* Clients that never came here keep their pages untouched. */
        if (o->osc[i].cobjs || o->osc[i].counts.enqueue)
            memset(&o->osc[i].counts, 0, sizeof(o->counts));
}

int lsim_stats_reset(struct lsim *ls)
{
    struct call c;

    for (unsigned i = 0; i < ls->osts; i++) {
        int rc = call_begin(&c, ls, i, NULL);

        if (rc < 0)
            return rc;
        reset_ost(c.o);
        call_end(&c);
    }
    return 0;
}

static int by_client_start(const void *a, const void *b)
{
    const struct lsim_lock_info *x = a, *y = b;

    if (x->client != y->client)
        return x->client < y->client ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void info_of(const struct lock *l, struct lsim_lock_info *out)
{
    out->client = l->ext.client;
    out->gid = l->ext.gid;
    out->mode = (enum lsim_mode)l->ext.mode;
    out->start = l->ext.start;
    out->end = l->ext.end;
}

long lsim_locks(struct lsim *ls, struct lsim_object *obj,
                struct lsim_lock_info *out, size_t max)
{
    struct call c;
    size_t n = 0;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    for (uint32_t cs = call_object(&c)->cobjs; cs; cs = c.o->cobjs[cs].next)
        for (uint32_t at = c.o->cobjs[cs].locks; at; at = c.o->locks[at].next)
            if (c.o->locks[at].state == LOCK_GRANTED && n++ < max)
                info_of(&c.o->locks[at], &out[n - 1]);
    call_end(&c);
    qsort(out, n < max ? n : max, sizeof(*out), by_client_start);
    return (long)n;
}

long lsim_waiting(struct lsim *ls, struct lsim_object *obj)
{
    struct call c;
    long n = 0;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    for (uint32_t at = call_object(&c)->waiting; at; at = c.o->locks[at].next)
        n++;
    call_end(&c);
    return n;
}

void lsim_observe(struct lsim *ls, lsim_observe_fn fn, void *arg)
{
    ls->observe_arg = arg;
    ls->observe = fn;
}
