/* rpc.c - client cache, write-back, read RPCs and the OST's queue
 *
 * Dirty data of one object leaves in offset order, in RPCs of up to rpc_size
 * bytes whether contiguous or not, as a real client packs them (two clients
 * under a group lock, every second 256 KiB of 8 MiB: one RPC of 4 MiB each).
 * An OST serves one RPC after the other: its queue is the time when it will
 * be free next.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "rpc.h"

#include <errno.h>

#include "runs.h"

#define US 1000ULL
#define SECOND 1000000000ULL
#define MAX_PIECES 256 /* of a write RPC (W3) */

/* One RPC being put together. */
struct rpc {
    uint32_t cobj;
    enum lsim_op op;
    uint64_t start, end; /* of the object */
    uint64_t bytes;      /* in it */
    uint64_t seeks, skips;
    unsigned pieces;
    uint64_t at; /* when sent */
    uint64_t done;
    uint64_t commit_us;
};

static unsigned size_class(uint64_t bytes)
{
    unsigned i = 0;

    while (i < LSIM_HIST - 1 && bytes > LSIM_RULE_PAGE << i)
        i++;
    return i;
}

static uint64_t transfer_ns(const struct call *c, uint64_t bytes, uint64_t bw)
{
    uint64_t slow = c->o->slow ? c->o->slow : 1;

    return (uint64_t)((double)bytes * (double)slow * 1e9 / (double)bw);
}

/* The object's own queue, where one object is slower than its OST (a limit of
 * the file system below). Objects do not wait for each other in it. */
static uint64_t serve_object(struct call *c, const struct rpc *r, uint64_t us)
{
    struct object *ob = &c->o->objects[c->o->cobjs[r->cobj].object];
    uint64_t bw = c->ls->profile.object_bandwidth;

    if (!bw)
        return 0;
    ob->free_at =
        later(r->at, ob->free_at) + us * US + transfer_ns(c, r->bytes, bw);
    return ob->free_at;
}

/* The OST works on an RPC: returns when it is done. */
static uint64_t serve_rpc(struct call *c, const struct rpc *r)
{
    const struct lsim_profile *p = &c->ls->profile;
    uint64_t start = r->at > c->o->free_at ? r->at : c->o->free_at;
    uint64_t us = p->rpc_us + r->commit_us;

    if (!p->timed)
        return 0;
    us += r->seeks * p->seek_us + r->skips * p->skip_us;
    c->o->free_at = start + us * US + transfer_ns(c, r->bytes, p->bandwidth);
    return later(c->o->free_at, serve_object(c, r, us));
}

static void ring_pop(struct osc *osc)
{
    osc->in_flight -= osc->ring[osc->ring_first].bytes;
    osc->ring_first = (osc->ring_first + 1) % RING;
    osc->ring_count--;
}

static void ring_push(struct osc *osc, uint64_t done, uint64_t bytes)
{
    uint32_t at;

    if (osc->ring_count >= RING)
        ring_pop(osc);
    at = (osc->ring_first + osc->ring_count++) % RING;
    osc->ring[at].done = done;
    osc->ring[at].bytes = bytes;
    osc->in_flight += bytes;
}

/* What an RPC moves, and how long it waits for the OST. */
static struct lsim_extent reach(const struct call *c, const struct rpc *r)
{
    uint64_t begin = r->at > c->o->free_at ? r->at : c->o->free_at;

    return (struct lsim_extent){
        .start = r->start,
        .end = r->end,
        .bytes = r->bytes,
        .delay = c->ls->profile.timed && begin > c->now ? begin - c->now : 0};
}

static void send(struct call *c, struct rpc *r)
{
    struct cobj *co = &c->o->cobjs[r->cobj];
    size_t hist = size_class(r->bytes) * sizeof(uint64_t);
    struct lsim_extent ext = reach(c, r);

    if (!r->bytes)
        return;
    r->done = serve_rpc(c, r);
    COUNT(c, r->cobj, seek, r->seeks + r->skips);
    if (r->op == LSIM_WRITE) {
        COUNT(c, r->cobj, write_rpc, 1);
        COUNT(c, r->cobj, write_bytes, r->bytes);
        count_at(c, r->cobj, offsetof(struct lsim_counts, write_hist) + hist,
                 1);
        co->last_done = r->done;
        c->o->changed = 1;
        if (c->ls->profile.timed)
            ring_push(&c->o->osc[co->client], r->done, r->bytes);
        call_io(c, LSIM_OST_WRITE, r->cobj, ext);
    } else {
        COUNT(c, r->cobj, read_rpc, 1);
        COUNT(c, r->cobj, read_bytes, r->bytes);
        count_at(c, r->cobj, offsetof(struct lsim_counts, read_hist) + hist, 1);
        call_io(c, LSIM_OST_READ, r->cobj, ext);
    }
    r->bytes = r->seeks = r->skips = 0;
    r->pieces = 0;
    r->commit_us = 0;
}

/* One piece of object into the RPC. The disk's head is where the last piece
 * ended, on whichever object. */
static void add_rpc_piece(struct call *c, struct rpc *r, uint64_t start,
                          uint64_t end)
{
    uint32_t object = c->o->cobjs[r->cobj].object;

    if (c->o->head_object != object || c->o->head_offset != start) {
        if (r->bytes)
            r->skips++;
        else
            r->seeks++;
    }
    c->o->head_object = object;
    c->o->head_offset = end;
    if (!r->bytes)
        r->start = start;
    r->end = end;
    r->bytes += end - start;
    r->pieces++;
}

/* [start, end) into RPCs, the last of which may stay open. */
static void add_rpc_range(struct call *c, struct rpc *r, uint64_t start,
                          uint64_t end)
{
    while (start < end) {
        uint64_t room = c->ls->profile.rpc_size - r->bytes;
        uint64_t n = end - start < room ? end - start : room;

        add_rpc_piece(c, r, start, start + n);
        start += n;
        if (r->bytes == c->ls->profile.rpc_size)
            send(c, r);
    }
}

/* An extent of dirty data into the RPC: whole, or into the next one (W3). */
static void add_rpc_extent(struct call *c, struct rpc *r, uint64_t start,
                           uint64_t end)
{
    if (r->pieces == MAX_PIECES ||
        r->bytes + (end - start) > c->ls->profile.rpc_size)
        send(c, r);
    add_rpc_range(c, r, start, end);
}

/* Write back a cobj's dirty data in [start, end). Extents end at multiples of
 * the RPC size. */
static uint64_t write_back_by_rpc(struct call *c, struct rpc *r, uint64_t start,
                                  uint64_t end)
{
    struct ost *o = c->o;
    uint64_t size = c->ls->profile.rpc_size;
    uint32_t at = runs_after(o, r->cobj, RUN_DIRTY, start);

    for (; at && o->runs[at].start < end; at = o->runs[at].next) {
        uint64_t s = o->runs[at].start, e = o->runs[at].end, cut;

        s = s < start ? start : s;
        e = e > end ? end : e;
        for (; s < e; s = cut) {
            cut = s - s % size + size;
            cut = cut < e ? cut : e;
            add_rpc_extent(c, r, s, cut);
        }
    }
    send(c, r);
    o->osc[o->cobjs[r->cobj].client].dirty -=
        runs_cut(o, r->cobj, RUN_DIRTY, start, end);
    return r->done;
}

uint64_t rpc_write_back(struct call *c, uint32_t cobj, uint64_t start,
                        uint64_t end, uint64_t at, int forced)
{
    struct rpc r = {.cobj = cobj, .op = LSIM_WRITE, .at = at, .done = at};

    if (!c->o->cobjs[cobj].runs[RUN_DIRTY].head)
        return at;
    if (forced)
        r.commit_us = c->ls->profile.commit_us;
    return write_back_by_rpc(c, &r, start, end);
}

/* Is all of [start, end) dirty? Neighbours are merged, so that one run has it;
 * it is looked for at `from`, a place in it that was written last and is found
 * without a search. */
static int is_all_dirty(struct call *c, uint32_t cobj, uint64_t from,
                        uint64_t start, uint64_t end)
{
    uint32_t at = runs_after(c->o, cobj, RUN_DIRTY, from);

    return at && c->o->runs[at].start <= start && c->o->runs[at].end >= end;
}

/* An aligned range of the RPC size leaves when the write that completes it
 * ends (W2). */
static int send_full(struct call *c, uint32_t cobj, uint64_t start,
                     uint64_t end)
{
    uint64_t size = c->ls->profile.rpc_size;

    for (uint64_t at = start - start % size; at < end; at += size) {
        struct rpc r = {.cobj = cobj, .op = LSIM_WRITE, .at = c->now};

        if (!is_all_dirty(c, cobj, later(at, start), at, at + size))
            continue;
        if (c->o->osc[c->ls->client].evicted)
            return -EIO;
        write_back_by_rpc(c, &r, at, at + size);
    }
    return 0;
}

/* Too much dirty data in objects that never fill an RPC: write back the
 * client's objects until half is free. */
static int send_some(struct call *c, struct osc *osc)
{
    uint64_t limit = c->ls->profile.dirty_limit;

    if (osc->dirty <= limit)
        return 0;
    if (osc->evicted)
        return -EIO;
    for (uint32_t cs = osc->cobjs; cs && osc->dirty > limit / 2;
         cs = c->o->cobjs[cs].osc_next)
        rpc_write_back(c, cs, 0, LSIM_EOF, c->now, 0);
    return 0;
}

/* Wait until so many RPCs are done that dirty and travelling data are below
 * the limit, and no more RPCs travel than may. */
static void throttle(struct call *c, struct osc *osc)
{
    const struct lsim_profile *p = &c->ls->profile;

    while (osc->ring_count && osc->ring[osc->ring_first].done <= c->now)
        ring_pop(osc);
    while (osc->ring_count > p->rpcs_in_flight ||
           (osc->ring_count && osc->in_flight + osc->dirty > p->dirty_limit)) {
        call_until(c, osc->ring[osc->ring_first].done);
        ring_pop(osc);
    }
}

int rpc_write(struct call *c, uint64_t start, uint64_t end)
{
    struct osc *osc = &c->o->osc[c->ls->client];
    struct object *ob = call_object(c);
    int rc;

    osc->dirty += runs_add(c->o, c->cobj, RUN_DIRTY, start, end);
    runs_add(c->o, c->cobj, RUN_CACHED, start, end);
    if (end > ob->size)
        ob->size = end;
    rc = send_full(c, c->cobj, start, end);
    if (rc == 0)
        rc = send_some(c, osc);
    if (c->ls->profile.timed)
        throttle(c, osc);
    return rc;
}

/* An RPC that is waited for leaves when the lock is there. */
static uint64_t granted_at(const struct call *c)
{
    return c->wake > c->now ? c->wake : c->now;
}

uint64_t rpc_cached(struct call *c, uint64_t start)
{
    uint32_t at = runs_after(c->o, c->cobj, RUN_CACHED, start);

    return at && c->o->runs[at].start <= start ? c->o->runs[at].end : start;
}

/* What is missing of [start, end) into the RPC. */
static void fetch_by_rpc(struct call *c, struct rpc *r, uint64_t start,
                         uint64_t end)
{
    struct ost *o = c->o;

    while (start < end) {
        uint32_t at = runs_after(o, c->cobj, RUN_CACHED, start);
        uint64_t gap = at ? o->runs[at].start : end;

        if (gap > start)
            add_rpc_range(c, r, start, gap < end ? gap : end);
        start = at ? o->runs[at].end : end;
    }
}

/* Whole pages, but not beyond the end of the object. */
static void widen(const struct object *ob, uint64_t *start, uint64_t *end)
{
    uint64_t want = *end;

    lsim_rule_pages(start, end);
    if (*end > ob->size)
        *end = want > ob->size ? want : ob->size;
}

void rpc_read(struct call *c, const struct lsim_range *range, size_t n)
{
    struct rpc r = {.cobj = c->cobj, .op = LSIM_READ, .at = granted_at(c)};

    for (size_t i = 0; i < n; i++) {
        uint64_t start = range[i].start, end = range[i].end;

        widen(call_object(c), &start, &end);
        fetch_by_rpc(c, &r, start, end);
        runs_add(c->o, c->cobj, RUN_CACHED, start, end);
        if (end > call_object(c)->size)
            call_object(c)->size = end;
    }
    send(c, &r);
    call_until(c, r.done);
}

void rpc_direct(struct call *c, enum lsim_op op, uint64_t start, uint64_t end)
{
    struct rpc r = {.cobj = c->cobj, .op = op, .at = granted_at(c)};
    struct object *ob = call_object(c);
    uint64_t size = c->ls->profile.rpc_size;

    if (end > ob->size)
        ob->size = end;
    for (uint64_t cut; start < end; start = cut) {
        cut = start - start % size + size;
        cut = cut < end ? cut : end;
        add_rpc_range(c, &r, start, cut);
        send(c, &r);
    }
    call_until(c, r.done);
}

void rpc_forget(struct ost *o, uint32_t cobj, uint64_t start, uint64_t end)
{
    o->osc[o->cobjs[cobj].client].dirty -=
        runs_cut(o, cobj, RUN_DIRTY, start, end);
    runs_cut(o, cobj, RUN_CACHED, start, end);
}
