/* prefetch.c - an aggregator reads on between collective reads */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "prefetch.h"

#include <errno.h>
#include <stdlib.h>

#include "../core/text/minmax.h"
#include "../sys/inode.h"
#include "../sys/rw.h"

/* Bytes of one read(): as long as that takes others have to wait. */
#define SCRATCH (1 << 20)

/* One call's. */
struct reading {
    struct adl_iotask task;
    struct adl_prefetch *of;
    struct adl_prefetch_from from;
    struct adl_ahead_range range;
    int64_t number;
    int64_t row; /* number of the sequence */
};

/* Of two, one is idle: that of the call before may still be at its last read(),
 * but of the one before that the io thread has made an end, since it had the
 * windows of a call after it. */
struct adl_prefetch {
    struct adl_iothread *io;
    struct adl_ahead ahead;
    struct reading reading[2];
    int64_t number; /* of the one that may go on */
    char *scratch;  /* NULL until the first use */
    int64_t rows;   /* number of the sequence that may go on */
    /* io thread: size of the file, as far as was seen; the sequence of which it
     * has read its part, of all below `done` */
    int64_t size, row, done;
};

/* ---- on the io thread ---- */

static int may_go_on(const struct reading *r)
{
    return __atomic_load_n(&r->of->number, __ATOMIC_SEQ_CST) == r->number;
}

/* To read past the end would ask all OSTs of the file for its size. */
static void cut_at_end(struct reading *r)
{
    struct adl_prefetch *p = r->of;

    if (r->range.end > p->size)
        p->size = adl_inode_size_seen(r->from.fd);
    r->range.end = adl_min(r->range.end, p->size);
}

/* What was read after an earlier call of the sequence is not read again. */
static void skip_done(struct reading *r)
{
    struct adl_prefetch *p = r->of;

    if (p->row != r->row)
        p->done = 0;
    p->row = r->row;
    r->range.start = adl_max(r->range.start, p->done);
}

static void run_reading(struct adl_iotask *task)
{
    struct reading *r = (struct reading *)task;
    int64_t off, len;
    size_t done;

    if (!may_go_on(r))
        return;
    cut_at_end(r);
    skip_done(r);
    while (may_go_on(r) && adl_ahead_piece(&r->range, r->from.owner,
                                           r->from.agg, SCRATCH, &off, &len)) {
        if (adl_rw_read(r->from.fd, r->of->scratch, len, off, &done) < 0)
            return;
        r->of->done = off + len;
    }
}

/* ---- on the caller's ---- */

int adl_prefetch_create(struct adl_iothread *io, struct adl_prefetch **out)
{
    struct adl_prefetch *p = calloc(1, sizeof(*p));

    if (!p)
        return -ENOMEM;
    p->io = io;
    for (int i = 0; i < 2; i++) {
        p->reading[i].of = p;
        p->reading[i].task.run = run_reading;
        p->reading[i].task.done = 1;
    }
    *out = p;
    return 0;
}

void adl_prefetch_destroy(struct adl_prefetch *p)
{
    if (!p)
        return;
    adl_prefetch_wait(p);
    free(p->scratch);
    free(p);
}

/* Whatever is under way ends. The number that the next one will have. */
static int64_t stop_reading(struct adl_prefetch *p)
{
    return __atomic_add_fetch(&p->number, 1, __ATOMIC_SEQ_CST);
}

static struct reading *idle_reading(struct adl_prefetch *p)
{
    for (int i = 0; i < 2; i++)
        if (adl_iothread_done(p->io, &p->reading[i].task))
            return &p->reading[i];
    return NULL;
}

static int has_scratch(struct adl_prefetch *p)
{
    if (!p->scratch)
        p->scratch = malloc(SCRATCH);
    return p->scratch != NULL;
}

void adl_prefetch_follow(struct adl_prefetch *p,
                         const struct adl_prefetch_from *from, int64_t start,
                         int64_t end, int64_t room)
{
    struct adl_ahead_range range;
    struct reading *r;
    int64_t number;

    if (!p)
        return;
    number = stop_reading(p);
    r = idle_reading(p);
    if (!adl_ahead_follow(&p->ahead, start, end, room, &range)) {
        p->rows++;
        return;
    }
    if (room == 0 || !r || !has_scratch(p))
        return;
    r->from = *from;
    r->range = range;
    r->number = number;
    r->row = p->rows;
    adl_iothread_submit(p->io, &r->task);
}

void adl_prefetch_forget(struct adl_prefetch *p)
{
    if (!p)
        return;
    stop_reading(p);
    adl_ahead_forget(&p->ahead);
    p->rows++;
}

void adl_prefetch_wait(struct adl_prefetch *p)
{
    if (!p)
        return;
    adl_prefetch_forget(p);
    for (int i = 0; i < 2; i++)
        adl_iothread_wait(p->io, &p->reading[i].task);
    p->size = 0;
}
