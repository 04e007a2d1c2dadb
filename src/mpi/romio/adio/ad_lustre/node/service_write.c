/* service_write.c - an aggregator moves its windows to the file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/minmax.h"
#include "../sys/lock.h"
#include "../sys/lustre.h"
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
    s->counts.ns += adl_prof_io(s->prof, 1, ADL_WRITES, off, done, t);
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

/* Where the cell ends in the window's buffer. */
static int64_t limit_of(const struct adl_cell *cell)
{
    return cell->buf + (cell->end - cell->start);
}

static void fill_gaps(const struct adl_cover *cover, char *buf, int64_t from,
                      int64_t limit)
{
    int64_t start, len;

    for (; adl_cover_next(cover, from, limit, &start, &len); from = start + len)
        memset(buf + from, 0, (size_t)(start - from));
}

/* The covered bytes, a system write a run. `gap` is not 0 in a new part of the
 * file: gaps that are shorter are written too, as zeros, which are what a
 * reader finds there in any case. */
static void write_runs(struct adl_service *s, const struct adl_cell *cell,
                       const struct adl_cover *cover, char *buf, int64_t gap)
{
    int64_t start, len;

    for (int64_t from = cell->buf;
         adl_cover_stretch(cover, from, limit_of(cell), gap, &start, &len);
         from = start + len) {
        if (gap > 0)
            fill_gaps(cover, buf, start, start + len);
        write_run(s, buf + start, cell->start + (start - cell->buf), len);
    }
}

/* ---- gaps with bytes of others in them ---- */

/* `got` bytes were read of the gap's place and what follows it. Past the end of
 * file a gap reads as zeros. */
static void fill_gap(char *gap, int64_t len, const char *read, int64_t got)
{
    int64_t n = adl_max(0, adl_min(len, got));

    memcpy(gap, read, (size_t)n);
    memset(gap + n, 0, (size_t)(len - n));
}

/* Read the span, fill the gaps of the window with what was read, write all of
 * it: asked for by ds_in_coll=enable. The lock keeps other writers that lock
 * out of the gaps, those of this process too. */
static int modify(struct adl_service *s, const struct adl_cell *cell,
                  const struct adl_cover *cover, char *buf, int64_t first,
                  int64_t size)
{
    int64_t off = cell->start + (first - cell->buf), start, len;
    size_t got;
    int rc = adl_rw_read(s->fd, s->scratch, size, off, &got);

    if (rc < 0)
        return rc;
    for (int64_t from = first;
         adl_cover_next(cover, from, first + size, &start, &len);
         from = start + len)
        fill_gap(buf + from, start - from, s->scratch + (from - first),
                 (int64_t)got - (from - first));
    adl_prof_rmw(s->prof, 1, size);
    write_run(s, buf + first, off, size);
    return 0;
}

static int make_scratch(struct adl_service *s)
{
    if (!s->scratch)
        s->scratch = malloc(s->seg->window);
    return s->scratch != NULL;
}

/* `excluded`: other processes cannot access the file; threads of this one that
 * use the same descriptor can. */
static void sieve_cell(struct adl_service *s, const struct adl_cell *cell,
                       const struct adl_cover *cover, char *buf, int excluded)
{
    int64_t first, len, off;
    struct adl_lock lock;
    int rc = 0;

    if (s->rc < 0 || !adl_cover_stretch(cover, cell->buf, limit_of(cell),
                                        INT64_MAX, &first, &len))
        return;
    if (adl_cover_full(cover, first, len) || !make_scratch(s)) {
        write_runs(s, cell, cover, buf, 0);
        return;
    }
    off = cell->start + (first - cell->buf);
    if (excluded)
        adl_lock_here(s->fd, off, len, &lock);
    else
        rc = adl_lock_write(s->fd, off, len, &lock);
    if (rc == 0)
        rc = modify(s, cell, cover, buf, first, len);
    adl_lock_drop(&lock);
    if (adl_lock_is_missing(rc))
        write_runs(s, cell, cover, buf, 0);
    else
        adl_service_fail(s, rc, off);
}

/* ---- many gaps: read, modify and write while all others are excluded ---- */

/* Windows with at least this many runs are read, modified and written. */
#define MANY_RUNS 256

static int has_many_runs(const struct adl_service *s, int64_t w,
                         const struct adl_cover *cover)
{
    struct adl_cell cell;
    int runs = 0;

    for (int i = 0; adl_service_cell(s, w, i, &cell); i++)
        runs +=
            adl_cover_runs(cover, cell.buf, limit_of(&cell), MANY_RUNS - runs);
    return runs >= MANY_RUNS;
}

/* Take the group lock, if it is not held. Until it is released no other client,
 * job or descriptor reads or writes the file; only the aggregators of this open
 * share the lock. A thread holds it for as many windows as are complete when
 * their turn comes, and waits for nothing else meanwhile. 0: there is no lock.
 */
static int exclude_others(struct adl_service *s)
{
    if (!s->excluding && make_scratch(s)) {
        s->excluding = adl_lustre_group_lock(s->fd, s->gid) == 0;
        if (!s->excluding)
            s->gid = 0; /* not again */
    }
    return s->excluding;
}

/* Release the group lock, if it is held. The bytes written under it go to the
 * servers now; an error may mean that they did not arrive. */
static void admit_others(struct adl_service *s)
{
    int rc;

    if (!s->excluding)
        return;
    s->excluding = 0;
    rc = adl_lustre_group_unlock(s->fd, s->gid);
    s->stuck |= rc < 0;
    adl_service_fail(s, rc, s->sink->terms->start);
}

/* 1: all of the window is written. */
static int fill_window(struct adl_service *s, int64_t w,
                       struct adl_cover *cover, char *buf)
{
    struct adl_cell cell;

    if (!s->gid || s->rc < 0 || !has_many_runs(s, w, cover) ||
        !exclude_others(s))
        return 0;
    for (int i = 0; adl_service_cell(s, w, i, &cell); i++) {
        sieve_cell(s, &cell, cover, buf, 1);
        adl_cover_remove(cover, cell.buf, cell.end - cell.start);
    }
    return 1;
}

/* The cell's part of an exact call. */
static void write_whole(struct adl_service *s, const struct adl_cell *cell,
                        const char *buf)
{
    int64_t off,
        len = adl_terms_part(s->sink->terms, cell->start, cell->end, &off);

    if (len > 0)
        write_run(s, buf + cell->buf + (off - cell->start), off, len);
}

static void flush_cells(struct adl_service *s, int64_t w,
                        struct adl_cover *cover, char *buf)
{
    const struct adl_terms *terms = s->sink->terms;
    struct adl_cell cell;

    for (int i = 0; adl_service_cell(s, w, i, &cell); i++) {
        if (terms->exact)
            write_whole(s, &cell, buf);
        else if (cell.start >= terms->fresh)
            write_runs(s, &cell, cover, buf, ADL_WRITE_THROUGH);
        else if (s->sieve)
            sieve_cell(s, &cell, cover, buf, 0);
        else
            write_runs(s, &cell, cover, buf, 0);
        if (!terms->exact)
            adl_cover_remove(cover, cell.buf, cell.end - cell.start);
    }
}

/* Write what is in window number `w` and leave its buffer empty. */
static void flush_window(struct adl_service *s, int64_t w)
{
    char *buf = adl_windows_buf(s->sink, w);
    struct adl_cover cover;

    adl_windows_cover(s->sink, w, &cover);
    if (!fill_window(s, w, &cover, buf))
        flush_cells(s, w, &cover, buf);
    adl_windows_clear(s->sink, w);
}

/* ---- when ---- */

/* Wait until no message holds the window. A rank that must receive the rest of
 * the message may itself wait for the file: not under the group lock. */
static void await_bytes(struct adl_service *s, int64_t w)
{
    if (adl_windows_is_held(s->sink, w))
        admit_others(s);
    adl_windows_await_unheld(s->sink, w);
}

/* No rank is more than depth windows ahead, so that no more than depth windows
 * can hold data, however far the floor has moved. */
static void flush_below(struct adl_service *s, int64_t base, int64_t floor)
{
    int64_t last = adl_min(floor, base + s->sink->depth);

    for (int64_t w = base; w < last; w++) {
        await_bytes(s, w);
        flush_window(s, w);
        adl_windows_free(s->sink, w + 1 < last ? w + 1 : floor);
    }
}

int adl_service_write_step(struct adl_service *s)
{
    int64_t floor = adl_service_floor(s);

    if (floor <= s->base)
        return 0;
    flush_below(s, s->base, floor);
    s->base = floor;
    if (adl_service_is_over(s) || adl_service_floor(s) <= floor)
        admit_others(s);
    return 1;
}
