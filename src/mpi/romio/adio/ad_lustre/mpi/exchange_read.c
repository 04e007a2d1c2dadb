/* exchange_read.c - the collective engine, reading */
#include "exchange_read.h"

#include <string.h>

#include "fetch.h"
#include "indep.h"
#include "supply.h"

void adl_fetching_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    struct adl_seat *seat = eng->seg->seat[eng->seg->rank];
    int64_t at = adl_extents_at(&acc->ext);

    adl_mark_reset(&seat->copied, at);
    adl_mark_reset(&seat->wished, at);
}

static void start_serving(struct adl_fetching *x)
{
    struct adl_engine *eng = x->m.eng;
    struct adl_serve *s = &x->m.serve;

    adl_mover_serve(&x->m, adl_serve_read);
    s->sieve = eng->file->hints.ds_read != ADL_DISABLE;
    s->fd_direct = adl_lockmode_direct(x->m.fd, x->m.fd->direct_read);
    s->remote = s->remote_taken = eng->supply ? 0 : ADL_WINDOW_NONE;
    if (eng->supply)
        adl_supply_begin(eng->supply, s);
    adl_mover_submit(&x->m);
}

void adl_fetching_start(struct adl_fetching *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_claim *all,
                        ADIO_File fd)
{
    memset(x, 0, sizeof(*x));
    /* Other nodes' owners must still be told what this one wants. */
    acc->dense &= eng->file->nodes.count == 1;
    adl_mover_begin(&x->m, eng, acc, all, fd);
    x->wish.ext = x->copy.ext = acc->ext;
    if (acc->dense) {
        adl_mark_publish(&x->m.seat->wished, ADL_POS_END);
        x->wish.done = 1;
    }
    if (eng->fetch)
        adl_fetch_begin(eng->fetch, x->m.call, x->m.start, x->m.shift);
    if (eng->file->aggs.mine >= 0)
        start_serving(x);
}

/* Move a cursor to the cell of its next piece and publish that it has come
 * there. 0: no piece is left. */
static int cursor_at(struct adl_fetching *x, struct adl_cursor *cur,
                     struct adl_mark *mark)
{
    int64_t off = adl_extents_at(&cur->ext);

    if (off == INT64_MAX) {
        adl_mark_publish(mark, ADL_POS_END);
        cur->done = 1;
        return 0;
    }
    if (off < cur->cell.end)
        return 1;
    if (off == cur->cell.end && off > 0)
        adl_window_next(x->m.eng->window, &cur->cell);
    else
        adl_window_locate(x->m.eng->window, off, &cur->cell);
    adl_mark_publish(mark, off);
    return 1;
}

static int64_t first_window(struct adl_fetching *x, int owner)
{
    return adl_window_first_at(x->m.eng->window, owner, x->m.start);
}

static int window_is_free(struct adl_fetching *x, struct adl_sink *sink)
{
    const struct adl_cell *cell = &x->wish.cell;
    int depth = x->m.eng->seg->depth;

    if (sink->opened_call != x->m.call) {
        sink->opened_call = x->m.call;
        sink->opened = first_window(x, cell->owner);
    }
    if (cell->window - sink->opened >= depth)
        sink->opened = adl_gate_freed(sink->gate, x->m.call, sink->opened);
    return cell->window - sink->opened < depth;
}

static int window_is_ready(struct adl_fetching *x, struct adl_sink *sink)
{
    const struct adl_cell *cell = &x->copy.cell;

    return cell->window < adl_gate_is_ready(sink->gate, x->m.call,
                                            first_window(x, cell->owner));
}

static void mark_cell(struct adl_fetching *x, struct adl_sink *sink)
{
    struct adl_cursor *cur = &x->wish;
    int slot = adl_window_slot(x->m.eng->window, cur->cell.window);
    struct adl_cover cover;
    struct adl_cover_pen pen;
    struct adl_piece piece;

    adl_sink_cover(x->m.eng->seg, sink, slot, x->m.shift, &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(&cur->ext, cur->cell.end, &piece))
        adl_cover_pen_add(&pen, piece.off + cur->cell.buf - cur->cell.start,
                          piece.len);
    adl_cover_pen_flush(&pen);
}

/* What lies past the end of the file is not touched in the user's buffer. */
static void copy_cell(struct adl_fetching *x, struct adl_sink *sink)
{
    struct adl_cursor *cur = &x->copy;
    int slot = adl_window_slot(x->m.eng->window, cur->cell.window);
    const char *from = adl_sink_buf(x->m.eng->seg, sink, slot) + cur->cell.buf -
                       cur->cell.start;
    int64_t eof = __atomic_load_n(&sink->gate->eof, __ATOMIC_SEQ_CST);
    struct adl_piece piece;

    while (adl_extents_next(&cur->ext, cur->cell.end, &piece)) {
        if (piece.off + piece.len > eof)
            piece.len = piece.off < eof ? eof - piece.off : 0;
        memcpy(x->m.acc->buf + piece.mem, from + piece.off, piece.len);
        x->bytes += piece.len;
    }
}

/* Both cursors decide alike. */
static int goes_alone(const struct adl_fetching *x,
                      const struct adl_cursor *cur)
{
    return adl_mover_alone(&x->m, &cur->ext, &cur->cell);
}

static void read_alone(struct adl_fetching *x)
{
    struct adl_piece piece;
    MPI_Count got;
    int rc;

    adl_extents_next(&x->copy.ext, x->copy.cell.end, &piece);
    rc = adl_indep_read(x->m.fd, x->m.acc->buf + piece.mem, piece.len,
                        piece.off, &got);
    x->bytes += got;
    if (x->m.rc == 0)
        x->m.rc = rc;
}

static struct adl_sink *sink_of(struct adl_fetching *x,
                                const struct adl_cursor *cur)
{
    return &x->m.eng->seg->sink[cur->cell.owner];
}

static void mark_wishes(struct adl_fetching *x)
{
    struct adl_cursor *cur = &x->wish;

    cur->blocked = NULL;
    while (cursor_at(x, cur, &x->m.seat->wished)) {
        if (goes_alone(x, cur)) {
            struct adl_piece skipped;

            adl_extents_next(&cur->ext, cur->cell.end, &skipped);
            continue;
        }
        if (!window_is_free(x, sink_of(x, cur))) {
            cur->blocked = sink_of(x, cur);
            return;
        }
        mark_cell(x, sink_of(x, cur));
    }
}

static void copy_pieces(struct adl_fetching *x)
{
    struct adl_cursor *cur = &x->copy;

    cur->blocked = NULL;
    while (cursor_at(x, cur, &x->m.seat->copied)) {
        if (goes_alone(x, cur)) {
            read_alone(x);
            continue;
        }
        if (!window_is_ready(x, sink_of(x, cur))) {
            cur->blocked = sink_of(x, cur);
            return;
        }
        copy_cell(x, sink_of(x, cur));
    }
}

static int has_messages(const struct adl_fetching *x)
{
    return x->m.eng->fetch || x->m.eng->supply;
}

int adl_fetching_step(struct adl_fetching *x)
{
    int fetched = 1, supplied = 1;

    if (!x->wish.done)
        mark_wishes(x);
    if (!x->copy.done)
        copy_pieces(x);
    if (x->m.eng->fetch)
        fetched = adl_fetch_step(x->m.eng->fetch);
    if (x->m.eng->supply)
        supplied = adl_supply_step(x->m.eng->supply);
    return x->copy.done && fetched && supplied && adl_mover_served(&x->m);
}

/* Others may wait for our wishes while we wait for data: sleep on the bell of
 * all gates, unless all wishes are made. */
static void await_gates(struct adl_fetching *x)
{
    struct adl_sink *sink = x->copy.blocked;
    struct adl_bell *bell =
        x->wish.done ? &sink->gate->bell : &x->m.eng->seg->meeting->gates;
    uint32_t seen = adl_bell_read(bell);

    if (window_is_ready(x, sink))
        return;
    if (!x->wish.done && window_is_free(x, x->wish.blocked))
        return;
    adl_pause(&x->m.pause, bell, seen);
}

void adl_fetching_finish(struct adl_fetching *x)
{
    while (!adl_fetching_step(x)) {
        if (has_messages(x))
            adl_mover_await_messages(&x->m, x->copy.done);
        else if (x->copy.blocked)
            await_gates(x);
        else if (x->m.serving)
            adl_mover_await_io(&x->m);
    }
}

int adl_fetching_end(struct adl_fetching *x)
{
    int rc = adl_mover_end(&x->m, "read");

    if (rc == 0 && x->m.eng->supply)
        rc = adl_supply_error(x->m.eng->supply);
    return rc;
}
