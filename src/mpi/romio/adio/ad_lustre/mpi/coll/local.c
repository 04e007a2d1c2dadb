/* local.c - bytes between a rank and the aggregators of its own node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "local.h"

#include "../../core/messages/usercopy.h"
#include "../../core/text/minmax.h"
#include "../../sys/atomic.h"
#include "../indep/indep.h"
#include "../locks/lockmode.h"

static int64_t place_in(const struct adl_cell *cell,
                        const struct adl_piece *piece)
{
    return piece->off - cell->start + cell->buf;
}

/* ---- writing ---- */

/* In an exact call no byte is missing, so nothing is marked. */
void adl_local_put(struct adl_local *l, const struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext)
{
    char *to = adl_windows_buf(sink, cell->window);
    int marks = !sink->terms->exact;
    struct adl_cover_pen pen;
    struct adl_cover cover;
    struct adl_piece piece;
    int64_t bytes = 0;

    adl_windows_cover(sink, cell->window, &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(ext, cell->end, &piece)) {
        int64_t at = place_in(cell, &piece);

        adl_usercopy_in(to + at, l->acc->buf + piece.mem, piece.len);
        if (marks)
            adl_cover_pen_add(&pen, at, piece.len);
        bytes += piece.len;
    }
    adl_cover_pen_flush(&pen);
    l->acc->traffic.copied += bytes;
    adl_windows_moved(sink, cell->window, bytes);
}

/* ---- reading ---- */

void adl_local_ask(const struct adl_sink *sink, const struct adl_cell *cell,
                   struct adl_extents *ext)
{
    int marks = adl_windows_hold_open(sink, cell->window);
    struct adl_cover_pen pen;
    struct adl_cover cover;
    struct adl_piece piece;

    adl_windows_cover(sink, cell->window, &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(ext, cell->end, &piece))
        if (marks)
            adl_cover_pen_add(&pen, place_in(cell, &piece), piece.len);
    adl_cover_pen_flush(&pen);
    if (marks)
        adl_windows_release(sink, cell->window, 0);
}

/* A window that is read in parts may have been read before this rank asked for
 * the piece: then it comes straight from the file. */
static void get_late(struct adl_local *l, const struct adl_piece *piece)
{
    int joined = adl_lockmode_join(l->fd);
    MPI_Count done = 0;
    int rc = adl_indep_read(l->fd, l->acc->buf + piece->mem, piece->len,
                            piece->off, &done);

    adl_lockmode_leave_group(l->fd, joined);
    l->bytes += done;
    if (rc < 0 && l->rc == 0) {
        l->rc = rc;
        l->rc_offset = piece->off + done;
    }
}

void adl_local_get(struct adl_local *l, const struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext)
{
    int all = sink->terms->whole || !sink->many; /* that was asked is read */
    const char *from = adl_windows_buf(sink, cell->window);
    int64_t eof = adl_atomic_load(&sink->windows->eof);
    int64_t wanted = 0, got = 0;
    struct adl_cover cover;
    struct adl_piece piece;

    adl_windows_cover(sink, cell->window, &cover);
    while (adl_extents_next(ext, cell->end, &piece)) {
        int64_t at = place_in(cell, &piece);

        wanted += piece.len;
        if (!all && !adl_cover_full(&cover, at, piece.len)) {
            get_late(l, &piece);
            continue;
        }
        if (piece.off >= eof)
            continue;
        piece.len = adl_min(piece.len, eof - piece.off);
        adl_usercopy_out(l->acc->buf + piece.mem, from + at, piece.len);
        got += piece.len;
    }
    l->bytes += got;
    l->acc->traffic.copied += got;
    adl_windows_moved(sink, cell->window, wanted);
}
