/* service_write.c - an aggregator moves its windows to the file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/minmax.h"
#include "../sys/lock.h"
#include "../sys/rw.h"
#include "service.h"

/* ---- to the file ---- */

static int put_at(struct adl_service *s, int fd, const char *buf, int64_t off,
                  int64_t len)
{
    int64_t t = adl_prof_now(s->prof);
    size_t done;
    int rc = adl_rw_write(fd, buf, len, off, &done);

    s->counts.bytes += done;
    s->counts.ns += adl_prof_agg(s->prof, ADL_WRITES, off, done, t);
    return rc;
}

static int put_stretch(struct adl_service *s, const char *buf, int64_t off,
                       int64_t len)
{
    int64_t body = len;
    int rc;

    if (s->fd_direct >= 0 && off % ADL_DIRECT_ALIGN == 0 &&
        len > ADL_DIRECT_ALIGN)
        body = len - len % ADL_DIRECT_ALIGN;
    rc = put_at(s, adl_service_fd(s, buf, off, body), buf, off, body);
    if (rc == 0 && body < len)
        rc = put_at(s, s->fd, buf + body, off + body, len - body);
    return rc;
}

static void write_run(struct adl_service *s, const char *buf, int64_t off,
                      int64_t len)
{
    if (s->rc < 0)
        return;
    adl_locks_access(s->locks, 1, off);
    adl_service_fail(s, put_stretch(s, buf, off, len), off);
}

/* Exactly the covered bytes, a system write a run. */
static void write_runs(struct adl_service *s, const struct adl_cell *cell,
                       const struct adl_cover *cover, const char *buf)
{
    int64_t limit = cell->buf + (cell->end - cell->start);
    int64_t from = cell->buf, start, len;

    while (adl_cover_next(cover, from, limit, &start, &len)) {
        write_run(s, buf + start, cell->start + (start - cell->buf), len);
        from = start + len;
    }
}

/* First and last covered byte of a cell; 0 when nothing is. */
static int covered_span(const struct adl_cell *cell,
                        const struct adl_cover *cover, int64_t *first,
                        int64_t *end, int *holes)
{
    int64_t limit = cell->buf + (cell->end - cell->start);
    int64_t start, len;
    int runs = 0;

    for (int64_t from = cell->buf;
         adl_cover_next(cover, from, limit, &start, &len); from = start + len) {
        if (runs++ == 0)
            *first = start;
        *end = start + len;
    }
    *holes = runs > 1;
    return runs > 0;
}

/* Read the span, put the covered runs over it, write it back: asked for by
 * ds_in_coll=enable. The lock keeps other writers who lock out of the gap, the
 * mutex this process's own. */
static int modify(struct adl_service *s, const struct adl_cell *cell,
                  const struct adl_cover *cover, const char *buf, int64_t first,
                  int64_t end)
{
    int64_t off = cell->start + (first - cell->buf), start, len;
    size_t got;
    int rc = adl_rw_read(s->fd, s->scratch, end - first, off, &got);

    if (rc < 0)
        return rc;
    /* Past the end of file a hole reads as zeros. */
    memset(s->scratch + got, 0, (end - first) - got);
    for (int64_t from = first; adl_cover_next(cover, from, end, &start, &len);
         from = start + len)
        memcpy(s->scratch + (start - first), buf + start, len);
    adl_prof_rmw(s->prof, 1, end - first);
    write_run(s, s->scratch, off, end - first);
    return 0;
}

static void sieve_cell(struct adl_service *s, const struct adl_cell *cell,
                       const struct adl_cover *cover, const char *buf)
{
    int64_t first = 0, end = 0, off;
    int holes, rc;

    if (!covered_span(cell, cover, &first, &end, &holes) || s->rc < 0)
        return;
    if (!s->scratch)
        s->scratch = malloc(s->seg->window);
    if (!holes || !s->scratch) {
        write_runs(s, cell, cover, buf);
        return;
    }
    off = cell->start + (first - cell->buf);
    rc = adl_lock_write(s->fd, off, end - first);
    if (rc == 0) {
        pthread_mutex_lock(&s->sieving);
        rc = modify(s, cell, cover, buf, first, end);
        pthread_mutex_unlock(&s->sieving);
        adl_lock_drop(s->fd, off, end - first);
    }
    adl_service_fail(s, rc, off);
}

/* The cell's part of an exact call. */
static void write_whole(struct adl_service *s, const struct adl_cell *cell,
                        const char *buf)
{
    int64_t off, len = adl_terms_part(s->terms, cell->start, cell->end, &off);

    if (len > 0)
        write_run(s, buf + cell->buf + (off - cell->start), off, len);
}

/* Write what is in window number `w` and leave its slot empty. */
static void flush_window(struct adl_service *s, int64_t w)
{
    int slot = adl_window_slot(s->window, w);
    char *buf = adl_sink_buf(s->seg, s->sink, slot);
    struct adl_cover cover;
    struct adl_cell cell;

    adl_sink_cover(s->seg, s->sink, slot, s->terms->shift, &cover);
    for (int i = 0; adl_window_cell(s->window, s->agg, w, i, &cell) == 0; i++) {
        if (s->terms->exact)
            write_whole(s, &cell, buf);
        else if (s->sieve)
            sieve_cell(s, &cell, &cover, buf);
        else
            write_runs(s, &cell, &cover, buf);
        if (!s->terms->exact)
            adl_cover_remove(&cover, cell.buf, cell.end - cell.start);
    }
    __atomic_store_n(&s->sink->gate->moved[slot], 0, __ATOMIC_SEQ_CST);
}

/* ---- when ---- */

/* Nobody got further than depth windows, so no more than that can hold data,
 * however far the floor has moved. */
static void flush_below(struct adl_service *s, int64_t base, int64_t floor)
{
    int depth = adl_window_depth(s->window);
    int64_t last = adl_min(floor, base + depth);

    adl_gate_shut(s->sink->gate, floor);
    for (int64_t w = base; w < last; w++) {
        if (s->many)
            adl_gate_await_empty(s->sink->gate, adl_window_slot(s->window, w));
        flush_window(s, w);
        if (w + 1 < last) {
            if (s->many)
                adl_service_open(s, w + depth, w + depth + 1);
            adl_gate_free(s->sink->gate, &s->seg->meeting->gates,
                          s->terms->call, w + 1);
        }
    }
    if (s->many && floor != ADL_WINDOW_NONE)
        adl_service_open(s, floor, floor + depth);
    adl_gate_free(s->sink->gate, &s->seg->meeting->gates, s->terms->call,
                  floor);
}

/* The lowest window that somebody may still touch. */
static int64_t window_floor(struct adl_service *s, int64_t base)
{
    int64_t floor;

    if (!s->many)
        return adl_window_first_at(s->window, s->agg,
                                   adl_segment_placed(s->seg));
    floor = adl_service_settled(s);
    if (floor > base || !s->terms->exact || !adl_service_counted(s, base))
        return floor;
    return adl_service_next(s, base);
}

int adl_service_write_step(struct adl_service *s)
{
    int64_t floor = window_floor(s, s->base);

    if (floor <= s->base)
        return 0;
    flush_below(s, s->base, floor);
    s->base = floor;
    return 1;
}
