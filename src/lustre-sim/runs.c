/* runs.c - sorted lists of byte ranges */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "runs.h"

#include "pool.h"

#define BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Runs of one list beyond this are forgotten, lowest first: a client's memory
 * is finite, and searches stay short. */
#define RUNS_MAX 4096

static struct runs *list_of(struct ost *o, uint32_t cobj, enum run_kind kind)
{
    return &o->cobjs[cobj].runs[kind];
}

/* The last run that starts at or before pos, or 0. Programs mostly go
 * forwards, so the last place is tried first. */
static uint32_t find_run(struct ost *o, struct runs *l, uint64_t pos)
{
    uint32_t at = l->head, prev = 0;

    if (l->hint && o->runs[l->hint].start <= pos)
        at = l->hint;
    l->steps++;
    while (at && o->runs[at].start <= pos) {
        l->steps++;
        prev = at;
        at = o->runs[at].next;
    }
    return prev;
}

static void drop(struct ost *o, struct runs *l, uint32_t prev, uint32_t slot)
{
    struct run *r = &o->runs[slot];

    l->bytes -= r->end - r->start;
    l->count--;
    if (prev)
        o->runs[prev].next = r->next;
    else
        l->head = r->next;
    if (l->hint == slot)
        l->hint = prev;
    r->cobj = 0;
    BARRIER();
    pool_put(&o->run_pool, o->runs, sizeof(o->runs[0]), slot);
}

static uint32_t insert(struct ost *o, uint32_t cobj, enum run_kind kind,
                       uint32_t prev, uint64_t start)
{
    struct runs *l = list_of(o, cobj, kind);
    uint32_t slot =
        pool_get(&o->run_pool, o->runs, sizeof(o->runs[0]), MAX_RUNS);
    struct run *r = &o->runs[slot];

    if (!slot)
        return 0;
    r->kind = kind;
    r->start = r->end = start;
    r->next = prev ? o->runs[prev].next : l->head;
    BARRIER();
    r->cobj = cobj;
    if (prev)
        o->runs[prev].next = slot;
    else
        l->head = slot;
    l->count++;
    return slot;
}

/* Let a run reach to end, swallowing those it meets. */
static void extend(struct ost *o, struct runs *l, uint32_t slot, uint64_t end)
{
    struct run *r = &o->runs[slot];

    if (end > r->end) {
        l->bytes += end - r->end;
        r->end = end;
    }
    while (r->next && o->runs[r->next].start <= r->end) {
        struct run *n = &o->runs[r->next];
        uint64_t n_end = n->end;

        if (n_end > r->end) {
            l->bytes += n_end - r->end;
            r->end = n_end;
        }
        drop(o, l, slot, r->next);
    }
}

uint64_t runs_add(struct ost *o, uint32_t cobj, enum run_kind kind,
                  uint64_t start, uint64_t end)
{
    struct runs *l = list_of(o, cobj, kind);
    uint64_t before = l->bytes, added;
    uint32_t at = find_run(o, l, start);

    if (start >= end)
        return 0;
    if (!at || o->runs[at].end < start)
        at = insert(o, cobj, kind, at, start);
    if (!at)
        return 0;
    extend(o, l, at, end);
    l->hint = at;
    added = l->bytes - before;
    if (kind == RUN_CACHED && l->count > RUNS_MAX)
        drop(o, l, 0, l->head);
    return added;
}

/* Take [start, end) out of one run, which overlaps it. */
static void cut_one(struct ost *o, struct runs *l, uint32_t prev, uint32_t slot,
                    uint64_t start, uint64_t end)
{
    struct run *r = &o->runs[slot];
    uint64_t r_end = r->end;
    uint32_t rest;

    if (start <= r->start && end >= r_end) {
        drop(o, l, prev, slot);
        return;
    }
    if (start <= r->start) {
        l->bytes -= end - r->start;
        r->start = end;
        return;
    }
    l->bytes -= r_end - start;
    r->end = start;
    if (end >= r_end)
        return;
    rest = insert(o, r->cobj, r->kind, slot, end);
    if (rest)
        extend(o, l, rest, r_end);
}

uint64_t runs_cut(struct ost *o, uint32_t cobj, enum run_kind kind,
                  uint64_t start, uint64_t end)
{
    struct runs *l = list_of(o, cobj, kind);
    uint64_t before = l->bytes;
    uint32_t prev = 0, at;

    if (start >= end)
        return 0;
    /* One that begins before the range keeps its head. */
    if (start > 0)
        prev = find_run(o, l, start - 1);
    if (prev && o->runs[prev].end > start)
        cut_one(o, l, 0, prev, start, end);
    at = prev ? o->runs[prev].next : l->head;
    while (at && o->runs[at].start < end) {
        uint32_t next = o->runs[at].next;

        if (o->runs[at].end > start) {
            cut_one(o, l, prev, at, start, end);
            at = prev ? o->runs[prev].next : l->head;
            if (at == next)
                continue;
        }
        prev = at;
        at = next;
    }
    return before - l->bytes;
}

uint32_t runs_after(struct ost *o, uint32_t cobj, enum run_kind kind,
                    uint64_t pos)
{
    struct runs *l = list_of(o, cobj, kind);
    uint32_t at = find_run(o, l, pos);

    if (!at)
        return l->head;
    return o->runs[at].end > pos ? at : o->runs[at].next;
}

void runs_relink(struct ost *o, uint32_t slot)
{
    struct run *r = &o->runs[slot];
    struct runs *l = list_of(o, r->cobj, r->kind);
    uint32_t prev = find_run(o, l, r->start);

    if (prev)
        r->next = o->runs[prev].next;
    else
        r->next = l->head;
    if (prev)
        o->runs[prev].next = slot;
    else
        l->head = slot;
    l->count++;
    l->bytes += r->end - r->start;
    l->hint = slot;
}

void runs_merge(struct ost *o, uint32_t cobj)
{
    for (int kind = 0; kind < RUN_KINDS; kind++) {
        struct runs *l = list_of(o, cobj, kind);

        for (uint32_t at = l->head; at; at = o->runs[at].next)
            extend(o, l, at, o->runs[at].end);
    }
}
