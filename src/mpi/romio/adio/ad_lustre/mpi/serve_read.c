/* serve_read.c - an aggregator moves its windows from the file */
#include <errno.h>
#include <string.h>

#include "../sys/rw.h"
#include "serve.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t load(const int64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

void adl_serve_taken(struct adl_serve *s, int64_t floor)
{
    __atomic_store_n(&s->remote_taken, floor, __ATOMIC_SEQ_CST);
    adl_bell_ring(&s->remote_bell);
}

/* Direct I/O takes whole aligned blocks only. */
static int pick_fd(const struct adl_serve *s, const char *buf, int64_t off,
                   int64_t len)
{
    if (s->fd_direct < 0 || ((uintptr_t)buf | off | len) % ADL_DIRECT_ALIGN)
        return s->fd;
    return s->fd_direct;
}

/* Bytes past the end of file are not there; whoever copies them out asks the
 * gate for `eof`. */
static void read_run(struct adl_serve *s, const struct adl_cell *cell,
                     char *buf, int64_t start, int64_t len)
{
    int64_t off = cell->start + (start - cell->buf);
    size_t got = 0;
    int64_t t;

    if (s->rc < 0 || off >= s->eof)
        return;
    adl_lockmode_access(s->locks, 0, off);
    t = adl_prof_now(s->prof);
    s->rc = adl_rw_read(pick_fd(s, buf + start, off, len), buf + start, len,
                        off, &got);
    s->counts.bytes += got;
    s->counts.ns += adl_prof_agg(s->prof, ADL_READS, off, got, t);
    if (s->rc == 0 && (int64_t)got < len)
        s->eof = off + got;
}

/* The next stretch to read: wanted runs with the short gaps between them. */
static int next_stretch(const struct adl_serve *s,
                        const struct adl_cover *cover, int64_t from,
                        int64_t limit, int64_t *start, int64_t *len)
{
    int64_t gap = s->sieve ? ADL_READ_THROUGH : 1, more, n;

    if (!adl_cover_next(cover, from, limit, start, len))
        return 0;
    while (adl_cover_next(cover, *start + *len, limit, &more, &n) &&
           more - (*start + *len) < gap)
        *len = more + n - *start;
    return 1;
}

/* The cell's part of a call without holes. */
static void read_whole(struct adl_serve *s, const struct adl_cell *cell,
                       char *buf)
{
    int64_t off, len = adl_serve_part(s, cell, &off);

    if (len <= 0)
        return;
    read_run(s, cell, buf, cell->buf + (off - cell->start), len);
    s->counts.covered += len;
}

static void read_window(struct adl_serve *s, int64_t w)
{
    struct adl_sink *sink = &s->seg->sink[s->agg];
    int slot = adl_window_slot(s->window, w);
    char *buf = adl_sink_buf(s->seg, sink, slot);
    struct adl_cover cover;
    struct adl_cell cell;
    int64_t start, len;

    adl_sink_cover(s->seg, sink, slot, s->shift, &cover);
    for (int i = 0; adl_window_cell(s->window, s->agg, w, i, &cell) == 0; i++) {
        int64_t limit = cell.buf + (cell.end - cell.start);

        if (s->dense) {
            read_whole(s, &cell, buf);
            continue;
        }
        for (int64_t from = cell.buf;
             next_stretch(s, &cover, from, limit, &start, &len);
             from = start + len)
            read_run(s, &cell, buf, start, len);
    }
}

/* Nothing is marked in a dense call: see read_ahead. */
static void forget_window(struct adl_serve *s, int64_t w)
{
    struct adl_sink *sink = &s->seg->sink[s->agg];
    struct adl_cover cover;

    if (s->dense)
        return;
    adl_sink_cover(s->seg, sink, adl_window_slot(s->window, w), s->shift,
                   &cover);
    s->counts.covered += adl_cover_remove(&cover, 0, cover.size);
}

/* Windows base .. next - 1 are in memory, up to base + depth there is room. */
struct span {
    int64_t base, next;
};

/* Free what everybody has copied out. 1: something was freed. */
static int free_copied(struct adl_serve *s, struct span *at)
{
    int64_t pos = adl_segment_copied(s->seg);
    int64_t floor = min64(adl_window_first_at(s->window, s->agg, pos),
                          load(&s->remote_taken));
    int64_t last = min64(floor, at->base + adl_window_depth(s->window));

    if (floor <= at->base)
        return 0;
    for (int64_t w = at->base; w < last; w++)
        forget_window(s, w);
    at->base = floor;
    if (at->next < floor)
        at->next = floor;
    adl_gate_free(s->seg, s->agg, s->call, floor);
    return 1;
}

/* Read one window whose wishes are complete; in a dense call they are known
 * from the start. 1: there was one. */
static int read_ahead(struct adl_serve *s, struct span *at)
{
    int64_t pos = s->dense ? ADL_POS_END : adl_segment_wished(s->seg);
    int64_t floor =
        min64(adl_window_first_at(s->window, s->agg, pos), load(&s->remote));

    if (at->next >= floor || at->next - at->base >= adl_window_depth(s->window))
        return 0;
    read_window(s, at->next++);
    adl_gate_ready(s->seg, s->agg, at->next, s->eof);
    return 1;
}

static void await_remote(struct adl_serve *s, const int64_t *floor, int64_t w)
{
    for (;;) {
        uint32_t seen = adl_bell_read(&s->remote_bell);

        if (load(floor) > w)
            return;
        adl_bell_wait(&s->remote_bell, seen);
    }
}

/* With room left the next thing is a complete set of wishes. Waiting for those
 * cannot block whoever waits for a window to be freed here: it has wished for
 * more already, and the ranks that have not wait for no later window. */
static void await_change(struct adl_serve *s, const struct span *at)
{
    if (at->next - at->base < adl_window_depth(s->window)) {
        adl_segment_await_wished(s->seg,
                                 adl_window_end(s->window, s->agg, at->next));
        await_remote(s, &s->remote, at->next);
    } else {
        adl_segment_await_copied(s->seg,
                                 adl_window_end(s->window, s->agg, at->base));
        await_remote(s, &s->remote_taken, at->base);
    }
}

void adl_serve_read(struct adl_iotask *task)
{
    struct adl_serve *s = (struct adl_serve *)task;
    struct span at;

    s->eof = INT64_MAX;
    adl_lockmode_begin(s->locks, 0);
    at.base = at.next = adl_window_first_at(s->window, s->agg, s->start);
    adl_gate_free(s->seg, s->agg, s->call, at.base);
    while (at.base != ADL_WINDOW_NONE)
        if (!(free_copied(s, &at) | read_ahead(s, &at)))
            await_change(s, &at);
}
