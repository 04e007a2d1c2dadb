/* service_read.c - an aggregator moves its windows from the file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/minmax.h"
#include "../sys/rw.h"
#include "service.h"

/* Bytes past the end of file are not there; a rank that copies them out looks
 * at `eof`. */
static void read_run(struct adl_service *s, const struct adl_cell *cell,
                     char *buf, int64_t start, int64_t len)
{
    int64_t off = cell->start + (start - cell->buf), t;
    size_t got = 0;
    int rc;

    if (s->rc < 0 || off >= s->eof)
        return;
    adl_locks_access(s->locks, 0, off);
    t = adl_prof_now(s->prof);
    rc = adl_rw_read(adl_service_fd(s, buf + start, off, len), buf + start, len,
                     off, &got);
    s->counts.bytes += got;
    s->counts.ns +=
        adl_prof_io(s->prof, !s->late, ADL_READS, off, (int64_t)got, t);
    adl_service_fail(s, rc, off);
    if (rc == 0 && (int64_t)got < len)
        s->eof = off + got;
}

/* The cell's part of the span. */
static void read_whole(struct adl_service *s, const struct adl_cell *cell,
                       char *buf)
{
    int64_t off,
        len = adl_terms_part(s->sink->terms, cell->start, cell->end, &off);

    if (len > 0)
        read_run(s, cell, buf, cell->buf + (off - cell->start), len);
}

static void read_cells(struct adl_service *s, int64_t w,
                       const struct adl_cover *cover, char *buf)
{
    int64_t gap = s->sieve ? ADL_READ_THROUGH : 0, start, len;
    struct adl_cell cell;

    for (int i = 0; adl_service_cell(s, w, i, &cell); i++) {
        int64_t limit = cell.buf + (cell.end - cell.start);

        if (s->sink->terms->whole) {
            read_whole(s, &cell, buf);
            continue;
        }
        for (int64_t from = cell.buf;
             adl_cover_stretch(cover, from, limit, gap, &start, &len);
             from = start + len)
            read_run(s, &cell, buf, start, len);
    }
}

/* Nothing is marked where windows are read whole. */
static void forget_window(struct adl_service *s, int64_t w)
{
    struct adl_cover cover;

    adl_windows_await_unheld(s->sink, w);
    adl_windows_clear(s->sink, w);
    if (s->sink->terms->whole)
        return;
    adl_windows_cover(s->sink, w, &cover);
    adl_cover_remove(&cover, 0, cover.size);
}

/* Free the windows that all ranks have copied out. 1: some were freed. */
static int free_taken(struct adl_service *s)
{
    int64_t floor = adl_service_floor(s);
    int64_t last = adl_min(floor, s->base + s->sink->depth);

    if (floor <= s->base)
        return 0;
    for (int64_t w = s->base; w < last; w++)
        forget_window(s, w);
    s->base = floor;
    s->next = adl_max(s->next, floor);
    adl_windows_free(s->sink, floor);
    return 1;
}

/* Read one window. 1: there was one. */
static int read_ahead(struct adl_service *s)
{
    int whole = s->sink->terms->whole;
    struct adl_cover cover;

    if (s->next - s->base >= s->sink->depth ||
        (whole ? adl_windows_bytes(s->sink, s->next) == 0
               : s->next >= adl_service_asked(s)))
        return 0;
    if (!whole) { /* no rank marks any more */
        adl_windows_close(s->sink, s->next + 1);
        adl_windows_await_unheld(s->sink, s->next);
    }
    adl_windows_cover(s->sink, s->next, &cover);
    read_cells(s, s->next, &cover, adl_windows_buf(s->sink, s->next));
    adl_windows_set_ready(s->sink, ++s->next, s->eof);
    return 1;
}

int adl_service_read_step(struct adl_service *s)
{
    return free_taken(s) | read_ahead(s);
}

/* The io thread goes on with `s`: what this thread changes is its own. */
int adl_service_read_late(struct adl_service *s, int64_t number,
                          const struct adl_runs_of *runs, const char **window,
                          int64_t *eof)
{
    size_t bits = adl_cover_memory(s->sink->size, s->sink->terms->shift);
    struct adl_locks none = {0};
    struct adl_service late = {.seg = s->seg,
                               .sink = s->sink,
                               .fd = s->fd,
                               .fd_direct = -1,
                               .sieve = s->sieve,
                               .late = 1,
                               .locks = &none,
                               .prof = s->prof,
                               .eof = INT64_MAX};
    struct adl_cover cover;
    int64_t bytes;
    int rc;

    if (!s->scratch)
        s->scratch = malloc((size_t)s->sink->size + bits);
    if (!s->scratch)
        return -ENOMEM;
    memset(s->scratch + s->sink->size, 0, bits);
    adl_cover_init(&cover, s->scratch + s->sink->size, s->sink->size,
                   s->sink->terms->shift);
    rc = adl_pack_mark(runs, &cover, &bytes);
    if (rc == 0)
        read_cells(&late, number, &cover, s->scratch);
    *window = s->scratch;
    *eof = late.eof;
    return rc < 0 ? rc : late.rc;
}
