/* reader.c - buffered reads: locks, cache, what is read ahead */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE UINT64_C(4096)
#define MAX_RANGES 4096 /* of strides looked ahead in one go */

/* Ranges of objects to be fetched together, in file order. */
struct wish {
    int number;
    struct lsim_range range;
};

struct batch {
    struct wish *list;
    size_t n;
    uint64_t stop; /* the file offset where it had to end, or UINT64_MAX */
};

struct reading {
    struct lsim *ls;
    struct sim_open *open;
    unsigned flags;
    uint32_t gid; /* of the group lock that serves instead of others */
    uint64_t wake;
    int passed; /* something was missing */
};

/* How far into the file the client may read ahead on this object. */
static uint64_t locked_until(struct reading *r, const struct sim_extent *e)
{
    struct sim_file *f = r->open->file;
    struct lsim_object obj;
    uint64_t end;

    if (r->gid)
        return UINT64_MAX;
    if (sim_file_object(f, r->ls, e->number, &obj) ||
        lsim_covered(r->ls, &obj, e->start, &end) || end == 0)
        return e->file_off;
    return end >= e->end ? UINT64_MAX : sim_file_offset(f, e->number, end);
}

/* [from, to) into the batch, up to where a lock is missing. */
static int add_range(struct reading *r, uint64_t from, uint64_t to,
                     struct batch *b)
{
    struct sim_extents ex;
    int rc = sim_file_map(r->open->file, from, to, &ex);

    for (int i = 0; i < ex.n && rc == 0; i++) {
        uint64_t stop = locked_until(r, &ex.list[i]);

        b->stop = stop < b->stop ? stop : b->stop;
    }
    if (rc == 0 && b->stop < to) {
        sim_extents_clear(&ex);
        rc = b->stop <= from ? 0
                             : sim_file_map(r->open->file, from, b->stop, &ex);
    }
    for (int i = 0; i < ex.n && rc == 0 && b->n < MAX_RANGES; i++)
        b->list[b->n++] = (struct wish){ex.list[i].number,
                                        {ex.list[i].start, ex.list[i].end}};
    sim_extents_clear(&ex);
    return rc;
}

/* Every wanted piece of a strided read, the first of which may be a part. */
static int add_strides(struct reading *r, const struct sim_ahead *a,
                       struct batch *b)
{
    uint64_t first =
        a->from < a->stride_from ? 0 : (a->from - a->stride_from) / a->stride;
    uint64_t at = a->stride_from + first * a->stride;
    int rc = 0;

    for (; at < a->to && rc == 0 && b->stop == UINT64_MAX && b->n < MAX_RANGES;
         at += a->stride) {
        uint64_t from = at < a->from ? a->from : at;
        uint64_t to = at + a->stride_bytes;

        to = to < a->to ? to : a->to;
        if (from < to)
            rc = add_range(r, from, to, b);
    }
    return rc;
}

/* The ranges of one object, which are in order, and mark them as done. */
static void fetch_object(struct reading *r, struct batch *b, size_t first,
                         struct lsim_range *ranges)
{
    int number = b->list[first].number;
    struct lsim_object obj;
    size_t n = 0;

    for (size_t i = first; i < b->n; i++)
        if (b->list[i].number == number) {
            ranges[n++] = b->list[i].range;
            b->list[i].number = -1;
        }
    if (sim_file_object(r->open->file, r->ls, number, &obj))
        return;
    lsim_fetch(r->ls, &obj, ranges, n, &r->wake);
    sim_file_object_put(r->open->file, number, &obj);
}

/* Fetch what was planned; returns where it ended, or -errno. */
static int64_t fetch(struct reading *r, const struct sim_ahead *a)
{
    struct batch b = {.list = malloc(MAX_RANGES * sizeof(*b.list)),
                      .stop = UINT64_MAX};
    struct lsim_range *ranges = malloc(MAX_RANGES * sizeof(*ranges));
    int rc = b.list && ranges ? 0 : -ENOMEM;

    /* Strides of less than two pages are no gaps to whole pages. */
    if (rc == 0)
        rc = a->stride >= 2 * PAGE ? add_strides(r, a, &b)
                                   : add_range(r, a->from, a->to, &b);
    for (size_t i = 0; i < b.n && rc == 0; i++)
        if (b.list[i].number >= 0)
            fetch_object(r, &b, i, ranges);
    free(b.list);
    free(ranges);
    if (rc)
        return rc;
    return b.stop < a->to ? (int64_t)b.stop : (int64_t)a->to;
}

/* The lock for a stripe of the read, and where in the file what the client
 * has cached of it ends. */
static int lock_stripe(struct reading *r, const struct sim_extent *e,
                       uint64_t *cached)
{
    struct lsim_access a = {.op = LSIM_READ,
                            .flags = r->flags | LSIM_LOCK_ONLY |
                                     (e->on_mdt ? LSIM_WHOLE : 0),
                            .start = e->start,
                            .end = e->end,
                            .gid = r->gid,
                            .wake = &r->wake};
    struct sim_file *f = r->open->file;
    struct lsim_object obj;
    uint64_t end;
    int rc = sim_file_object(f, r->ls, e->number, &obj);

    if (rc == 0)
        rc = lsim_io(r->ls, &obj, &a);
    if (rc == 0)
        rc = lsim_cached(r->ls, &obj, e->start, &end);
    sim_file_object_put(f, e->number, &obj);
    if (rc == 0)
        *cached = e->file_off + (end < e->end ? end : e->end) - e->start;
    return rc;
}

/* Something is missing at `pos`: exactly that without read-ahead. */
static int64_t missed(struct reading *r, uint64_t pos, uint64_t end,
                      uint64_t size)
{
    struct sim_ahead plan = {.from = pos, .to = end};
    int64_t upto;

    r->passed = 1;
    if (r->open->random)
        return fetch(r, &plan);
    sim_readahead_miss(&r->open->ahead, pos, end, size, &plan);
    upto = fetch(r, &plan);
    if (upto >= 0)
        sim_readahead_fetched(&r->open->ahead, upto);
    return upto;
}

/* One stripe; *pos moves behind what was read. */
static int read_stripe(struct reading *r, uint64_t *pos, uint64_t end,
                       uint64_t size)
{
    struct sim_extent e;
    uint64_t stripe_end, cached = 0;
    int64_t upto;
    int rc = sim_file_stripe(r->open->file, *pos, end, &e, &stripe_end);

    if (rc == 1) {
        rc = lock_stripe(r, &e, &cached);
        if (rc < 0)
            return rc;
        if (cached < stripe_end) {
            upto = missed(r, cached, end, size);
            if (upto < 0)
                return (int)upto;
            stripe_end =
                (uint64_t)upto > stripe_end ? (uint64_t)upto : stripe_end;
        }
    }
    *pos = stripe_end < end ? stripe_end : end;
    return rc < 0 ? rc : 0;
}

static void read_on(struct reading *r, uint64_t pos, uint64_t size)
{
    struct sim_ahead plan;
    int64_t upto;

    if (r->passed || r->open->random ||
        !sim_readahead_hit(&r->open->ahead, pos, size, &plan))
        return;
    upto = fetch(r, &plan);
    if (upto >= 0)
        sim_readahead_fetched(&r->open->ahead, upto);
}

int sim_reader_read(struct lsim *ls, const struct sim_io *io, uint64_t end,
                    uint64_t size, unsigned flags)
{
    struct reading r = {.ls = ls,
                        .open = io->open,
                        .flags = flags,
                        .gid = io->open->hollow ? 0 : io->open->gid};
    uint64_t pos = io->off;
    int rc = 0;

    pthread_mutex_lock(&io->open->lock);
    if (!io->open->ahead.rpc)
        io->open->ahead.rpc = lsim_rpc_size(ls);
    sim_readahead_enter(&io->open->ahead, pos, end - pos, size);
    while (pos < end && rc == 0)
        rc = read_stripe(&r, &pos, end, size);
    if (rc == 0)
        read_on(&r, io->off, size);
    pthread_mutex_unlock(&io->open->lock);
    lsim_wait(r.wake);
    return rc;
}
