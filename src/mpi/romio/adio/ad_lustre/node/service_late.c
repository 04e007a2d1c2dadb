/* service_late.c - runs that were asked for after their window was read
 *
 * A window of which parts are wanted is read once; what is asked for later goes
 * straight from the file into the reply.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/err.h"
#include "../core/text/minmax.h"
#include "../sys/rw.h"
#include "service.h"

struct late {
    struct adl_service *s;
    int64_t window;
    char *packed; /* the next byte of the message */
    int64_t done;
    /* the rest of the current run, a place in the window; len 0: none left */
    struct adl_pattern_iter it;
    int64_t off, len;
};

/* The cell that place `off` of a window lies in, and where it ends there. */
static int cell_at(const struct late *t, struct adl_cell *cell, int64_t *limit)
{
    for (int i = 0;
         adl_window_cell(t->s->window, t->s->agg, t->window, i, cell) == 0;
         i++) {
        *limit = cell->buf + (cell->end - cell->start);
        if (t->off >= cell->buf && t->off < *limit)
            return 0;
    }
    return -EPROTO;
}

/* `n` bytes of the run are done with. */
static int advance(struct late *t, int64_t n)
{
    int more = 1;

    t->off += n;
    t->len -= n;
    if (t->len == 0)
        more = adl_pattern_next(&t->it, &t->off, &t->len);
    if (more == 0)
        t->len = 0;
    return more < 0 ? more : 0;
}

static int file_read(struct late *t, char *to, int64_t len, int64_t off,
                     size_t *got)
{
    struct adl_service *s = t->s;
    int64_t began = adl_prof_now(s->prof);
    int rc = adl_rw_read(s->fd, to, len, off, got);

    adl_prof_own(s->prof, ADL_READS, off, *got, began);
    if (rc == 0 && (int64_t)*got < len)
        rc = -ENODATA; /* the file ends here: so does what is sent back */
    return rc;
}

/* Where the stretch ends that begins with the current run: runs of one cell
 * with short gaps between them, as many as fit into the scratch buffer. */
static int64_t stretch_to(const struct late *t, int64_t limit)
{
    struct adl_pattern_iter look = t->it;
    int64_t gap = t->s->sieve ? ADL_READ_THROUGH : 1;
    int64_t end = adl_min(t->off + t->len, limit), off, len;

    while (end < limit && adl_pattern_next(&look, &off, &len) == 1 &&
           off < limit && off - end < gap &&
           adl_min(off + len, limit) - t->off <= t->s->seg->window)
        end = adl_min(off + len, limit);
    return end;
}

/* The runs before `end`, whose stretch is in the scratch buffer as far
 * as `got` bytes, into the message. */
static int pick_runs(struct late *t, int64_t end, int64_t got)
{
    int64_t start = t->off;
    int rc = 0;

    while (rc == 0 && t->len > 0 && t->off < end) {
        int64_t len = adl_min(t->len, end - t->off);
        int64_t have = adl_min(len, start + got - t->off);

        if (have > 0) {
            memcpy(t->packed, t->s->scratch + (t->off - start), (size_t)have);
            t->packed += have;
            t->done += have;
        }
        rc = advance(t, len);
    }
    return rc;
}

/* The next stretch, in one read. `off`: its place in the file. */
static int read_late_stretch(struct late *t, int64_t limit, int64_t off)
{
    struct adl_service *s = t->s;
    int64_t end = stretch_to(t, limit), first = adl_min(t->len, limit - t->off);
    size_t got = 0;
    int rc, rc2;

    if (end > t->off + first && !s->scratch)
        s->scratch = malloc(s->seg->window);
    if (end == t->off + first || !s->scratch) {
        rc = file_read(t, t->packed, first, off, &got);
        t->packed += got;
        t->done += got;
        return rc < 0 ? rc : advance(t, first);
    }
    rc = file_read(t, s->scratch, end - t->off, off, &got);
    rc2 = pick_runs(t, end, (int64_t)got);
    return rc < 0 ? rc : rc2;
}

static int read_next(struct late *t)
{
    struct adl_cell cell;
    int64_t limit, off;
    int rc = cell_at(t, &cell, &limit);

    if (rc < 0)
        return rc;
    off = cell.start + (t->off - cell.buf);
    return read_late_stretch(t, limit, off);
}

int adl_service_read_late(struct adl_service *s, int64_t window,
                          const struct adl_runs_of *runs, char *packed,
                          int64_t *done)
{
    struct late t = {.s = s, .window = window, .packed = packed};
    struct adl_err err;
    int rc;

    rc = adl_pattern_open(&t.it, runs->pattern, runs->size, runs->window, &err);
    if (rc == 0)
        rc = advance(&t, 0);
    while (rc == 0 && t.len > 0)
        rc = read_next(&t);
    *done = t.done;
    return rc == -ENODATA ? 0 : rc;
}
