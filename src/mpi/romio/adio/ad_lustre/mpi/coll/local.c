/* local.c - bytes between a rank and the aggregators of its own node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "local.h"

#include "../../core/messages/usercopy.h"
#include "../../core/text/minmax.h"
#include "../../sys/atomic.h"
#include "../indep/indep.h"
#include "../locks/lockmode.h"

static int slot_of(const struct adl_local *l, const struct adl_cell *cell)
{
    return adl_window_slot(l->window, cell->window);
}

static int64_t first_window(const struct adl_local *l, int owner)
{
    return adl_window_first_at(l->window, owner, l->terms->start);
}

int adl_local_admits(const struct adl_local *l, struct adl_sink *sink,
                     const struct adl_cell *cell)
{
    int64_t call = l->terms->call;

    if (sink->opened_call != call) {
        sink->opened_call = call;
        sink->opened = first_window(l, cell->owner);
    }
    if (cell->window - sink->opened >= l->seg->depth)
        sink->opened = adl_windows_freed(sink->windows, call, sink->opened);
    return cell->window - sink->opened < l->seg->depth;
}

int adl_local_is_ready(const struct adl_local *l, const struct adl_sink *sink,
                       const struct adl_cell *cell)
{
    return cell->window < adl_windows_ready(sink->windows, l->terms->call,
                                            first_window(l, cell->owner));
}

/* Place of the cell's first byte. */
static char *cell_base(const struct adl_local *l, const struct adl_sink *sink,
                       const struct adl_cell *cell)
{
    return adl_sink_buf(l->seg, sink, slot_of(l, cell)) + cell->buf;
}

static struct adl_cover cover_of(const struct adl_local *l,
                                 const struct adl_sink *sink,
                                 const struct adl_cell *cell)
{
    struct adl_cover cover;

    adl_sink_cover(l->seg, sink, slot_of(l, cell), l->terms->shift, &cover);
    return cover;
}

static void count_bytes(struct adl_local *l, struct adl_sink *sink,
                        const struct adl_cell *cell, int64_t bytes)
{
    if (l->many)
        adl_windows_moved(sink->windows, slot_of(l, cell), bytes);
}

/* ---- writing ---- */

/* In an exact call no byte is missing, so nothing is marked. */
void adl_local_put(struct adl_local *l, struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext)
{
    struct adl_cover cover = cover_of(l, sink, cell);
    char *to = cell_base(l, sink, cell);
    int marks = !l->terms->exact;
    struct adl_cover_pen pen;
    struct adl_piece piece;
    int64_t bytes = 0;

    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(ext, cell->end, &piece)) {
        adl_usercopy_in(to + (piece.off - cell->start), l->acc->buf + piece.mem,
                        piece.len);
        if (marks)
            adl_cover_pen_add(&pen, piece.off - cell->start + cell->buf,
                              piece.len);
        bytes += piece.len;
    }
    adl_cover_pen_flush(&pen);
    l->acc->traffic.copied += bytes;
    count_bytes(l, sink, cell, bytes);
}

/* ---- reading ---- */

void adl_local_ask(struct adl_local *l, struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext)
{
    struct adl_cover cover = cover_of(l, sink, cell);
    int slot = slot_of(l, cell), marks;
    struct adl_cover_pen pen;
    struct adl_piece piece;

    marks = !l->many || adl_windows_hold_open(sink->windows, l->terms->call,
                                              slot, cell->window);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(ext, cell->end, &piece))
        if (marks)
            adl_cover_pen_add(&pen, piece.off - cell->start + cell->buf,
                              piece.len);
    adl_cover_pen_flush(&pen);
    if (marks && l->many)
        adl_windows_release(sink->windows, slot, 0);
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

static int is_read(const struct adl_local *l, const struct adl_cover *cover,
                   const struct adl_cell *cell, const struct adl_piece *piece)
{
    return l->terms->whole || !l->many ||
           adl_cover_full(cover, piece->off - cell->start + cell->buf,
                          piece->len);
}

void adl_local_get(struct adl_local *l, struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext)
{
    struct adl_cover cover = cover_of(l, sink, cell);
    const char *from = cell_base(l, sink, cell);
    int64_t eof = adl_atomic_load(&sink->windows->eof);
    int64_t wanted = 0, got = 0;
    struct adl_piece piece;

    while (adl_extents_next(ext, cell->end, &piece)) {
        wanted += piece.len;
        if (!is_read(l, &cover, cell, &piece)) {
            get_late(l, &piece);
            continue;
        }
        if (piece.off >= eof)
            continue;
        piece.len = adl_min(piece.len, eof - piece.off);
        adl_usercopy_out(l->acc->buf + piece.mem,
                         from + (piece.off - cell->start), piece.len);
        got += piece.len;
    }
    l->bytes += got;
    l->acc->traffic.copied += got;
    count_bytes(l, sink, cell, wanted);
}
