/* exchange.c - move the pieces of one collective call: start, step, done */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "exchange.h"

#include <string.h>

#include "../../core/text/minmax.h"
#include "../../sys/atomic.h"
#include "../descriptor.h"
#include "../fatal.h"
#include "../indep.h"
#include "../locks/lockmode.h"

/* Whole cells of at least this size need not be copied, see goes_alone. */
#define ALONE_MIN 65536

/* A call of so many bytes is not worth waking the io thread for, nor waiting
 * until its messages have been taken. */
#define FEW_BYTES 262144

/* ---- start ---- */

void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    struct adl_seat *seat = &eng->seg->seat[eng->seg->rank];
    int64_t at = adl_extents_at(&acc->ext);

    adl_mark_reset(&seat->placed, at);
    adl_mark_reset(&seat->wished, at);
    adl_atomic_store(&seat->settled, at);
}

/* A file that cannot be read is written without filling holes. */
static int wants_sieve(const struct adl_exchange *x)
{
    const struct adl_hints *h = &x->eng->file->hints;

    if (!x->terms->write)
        return h->ds_read != ADL_DISABLE;
    return h->ds_in_coll == ADL_ENABLE && adl_descriptor_ready(x->fd, 1) == 0;
}

static int is_small(const struct adl_exchange *x)
{
    return x->terms->exact && x->terms->bytes <= FEW_BYTES;
}

/* Not a nonblocking call: whoever tests it would wait for the disk. */
static int is_for_steps(const struct adl_exchange *x)
{
    return x->service.many && is_small(x) && !x->acc->nonblocking;
}

static void start_serving(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    struct adl_service *s = &x->service;
    int write = x->terms->write;

    s->sieve = wants_sieve(x); /* may change the descriptor */
    s->terms = x->terms;
    s->window = eng->window;
    s->seg = eng->seg;
    s->sink = eng->mine;
    s->agg = eng->file->aggs.mine;
    s->fd = x->fd->fd_sys;
    s->fd_direct = adl_lockmode_direct(x->fd, write ? x->fd->direct_write
                                                    : x->fd->direct_read);
    s->many = eng->file->nodes.count > 1;
    s->locks = &eng->file->locks;
    s->prof = eng->file->prof;
    pthread_mutex_init(&s->sieving, NULL);
    s->task.run = adl_service_run;
    if (eng->inbox)
        adl_inbox_begin(eng->inbox, s);
    if (write)
        x->fd->dirty_write = 1;
    x->serving = 1;
    s->in_steps = is_for_steps(x);
    if (s->in_steps)
        adl_service_begin(s);
    else
        adl_iothread_submit(eng->io, &s->task);
}

void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_terms *terms,
                        ADIO_File fd)
{
    memset(x, 0, sizeof(*x));
    x->eng = eng;
    x->fd = fd;
    x->acc = acc;
    x->terms = terms;
    x->seat = &eng->seg->seat[eng->seg->rank];
    x->move.ext = x->wish.ext = acc->ext;
    x->rc_offset = -1;
    x->rounds = eng->file->nodes.count > 1 && !terms->exact;
    x->wish.done =
        terms->write || (terms->whole && eng->file->nodes.count == 1);
    if (x->wish.done)
        adl_mark_publish(&x->seat->wished, ADL_POS_END);
    if (eng->wishes)
        adl_wishes_begin(eng->wishes, terms->shift);
    if (eng->outbox)
        adl_outbox_begin(eng->outbox, is_small(x));
    if (x->rounds && eng->leaders)
        adl_frontier_begin(&eng->frontier, terms);
    if (eng->mine)
        start_serving(x);
}

/* ---- cells ---- */

static struct adl_sink *sink_of(const struct adl_exchange *x,
                                const struct adl_cell *cell)
{
    int i = x->eng->sink_of[cell->owner];

    return i < 0 ? NULL : &x->eng->seg->sink[i];
}

static int slot_of(const struct adl_exchange *x, const struct adl_cell *cell)
{
    return adl_window_slot(x->eng->window, cell->window);
}

static int64_t first_window(const struct adl_exchange *x, int owner)
{
    return adl_window_first_at(x->eng->window, owner, x->terms->start);
}

/* Has the window a buffer? Looks at the gate only when what it showed last time
 * is not enough. */
static int window_is_free(struct adl_exchange *x, struct adl_sink *sink,
                          const struct adl_cell *cell)
{
    int depth = x->eng->seg->depth;

    if (sink->opened_call != x->terms->call) {
        sink->opened_call = x->terms->call;
        sink->opened = first_window(x, cell->owner);
    }
    if (cell->window - sink->opened >= depth)
        sink->opened = adl_gate_freed(sink->gate, x->terms->call, sink->opened);
    return cell->window - sink->opened < depth;
}

static int window_is_ready(const struct adl_exchange *x,
                           const struct adl_sink *sink,
                           const struct adl_cell *cell)
{
    return cell->window < adl_gate_is_ready(sink->gate, x->terms->call,
                                            first_window(x, cell->owner));
}

/* Move a cursor to the cell of its next piece and publish that it has come
 * there. 0: no piece is left. */
static int cursor_at(struct adl_exchange *x, struct adl_cursor *cur,
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
        adl_window_next(x->eng->window, &cur->cell);
    else
        adl_window_locate(x->eng->window, off, &cur->cell);
    adl_mark_publish(mark, off);
    return 1;
}

static void skip_cell(struct adl_cursor *cur)
{
    struct adl_piece piece;

    while (adl_extents_next(&cur->ext, cur->cell.end, &piece))
        ;
}

/* ---- this rank on its own ---- */

/* May a piece that is alone in its cell go between the user's memory and the
 * file directly? Away from Lustre no lock ties an object to its owner, and
 * copying pays for small pieces only. Not in an exact call: there the owner
 * moves every cell; nor between nodes, where owners count what comes. */
static int goes_alone(const struct adl_exchange *x,
                      const struct adl_cursor *cur)
{
    const struct adl_cell *cell = &cur->cell;
    struct adl_extents look = cur->ext;
    struct adl_piece piece;

    return !x->eng->file->on_lustre && !x->terms->exact &&
           x->eng->file->nodes.count == 1 &&
           cell->end - cell->start >= ALONE_MIN &&
           adl_extents_next(&look, cell->end, &piece) &&
           piece.off == cell->start && piece.off + piece.len == cell->end;
}

/* A piece straight to or from the file. */
static void move_piece(struct adl_exchange *x, const struct adl_piece *piece)
{
    char *at = x->acc->buf + piece->mem;
    MPI_Count done = 0;
    int rc;

    if (x->terms->write)
        rc = adl_indep_write(x->fd, at, piece->len, piece->off, &done);
    else
        rc = adl_indep_read(x->fd, at, piece->len, piece->off, &done);
    x->bytes += done;
    if (rc < 0 && x->rc == 0) {
        x->rc = rc;
        x->rc_offset = piece->off + done;
    }
}

static void move_cell_alone(struct adl_exchange *x, struct adl_cursor *cur)
{
    struct adl_piece piece;

    while (adl_extents_next(&cur->ext, cur->cell.end, &piece))
        move_piece(x, &piece);
}

/* ---- aggregators of this node ---- */

static int enter_cell(const struct adl_exchange *x, struct adl_sink *sink,
                      const struct adl_cell *cell)
{
    return x->eng->file->nodes.count == 1 ||
           adl_gate_enter(sink->gate, x->terms->call, slot_of(x, cell),
                          cell->window);
}

static int enter_to_mark(const struct adl_exchange *x, struct adl_sink *sink,
                         const struct adl_cell *cell)
{
    return x->eng->file->nodes.count == 1 ||
           adl_gate_enter_wish(sink->gate, x->terms->call, slot_of(x, cell),
                               cell->window);
}

static void leave_cell(const struct adl_exchange *x, struct adl_sink *sink,
                       const struct adl_cell *cell, int64_t bytes)
{
    if (x->eng->file->nodes.count > 1)
        adl_gate_leave(sink->gate, slot_of(x, cell), bytes);
}

/* Place of file offset 0 in the cell's window buffer. */
static char *cell_base(const struct adl_exchange *x,
                       const struct adl_sink *sink, const struct adl_cell *cell)
{
    return adl_sink_buf(x->eng->seg, sink, slot_of(x, cell)) + cell->buf;
}

static int64_t copy_marked(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_cell *cell = &x->move.cell;
    char *to = cell_base(x, sink, cell);
    const char *from = x->acc->buf;
    struct adl_cover cover;
    struct adl_cover_pen pen;
    struct adl_piece piece;
    int64_t bytes = 0;

    adl_sink_cover(x->eng->seg, sink, slot_of(x, cell), x->terms->shift,
                   &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(&x->move.ext, cell->end, &piece)) {
        memcpy(to + (piece.off - cell->start), from + piece.mem, piece.len);
        adl_cover_pen_add(&pen, piece.off - cell->start + cell->buf, piece.len);
        bytes += piece.len;
    }
    adl_cover_pen_flush(&pen);
    return bytes;
}

static int64_t copy_unmarked(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_cell *cell = &x->move.cell;
    char *to = cell_base(x, sink, cell);
    const char *from = x->acc->buf;
    struct adl_piece piece;
    int64_t bytes = 0;

    while (adl_extents_next(&x->move.ext, cell->end, &piece)) {
        memcpy(to + (piece.off - cell->start), from + piece.mem, piece.len);
        bytes += piece.len;
    }
    return bytes;
}

/* Where it is known that nothing will be missing nobody marks. */
static void copy_in(struct adl_exchange *x, struct adl_sink *sink)
{
    int64_t bytes;

    if (!enter_cell(x, sink, &x->move.cell)) {
        move_cell_alone(x, &x->move);
        return;
    }
    bytes = x->terms->exact ? copy_unmarked(x, sink) : copy_marked(x, sink);
    x->acc->traffic.copied += bytes;
    leave_cell(x, sink, &x->move.cell, bytes);
}

/* Is the piece in the window? Read in parts, a window may have been read before
 * this rank said what it wants. */
static int is_read(const struct adl_exchange *x, const struct adl_cover *cover,
                   const struct adl_piece *piece)
{
    const struct adl_cell *cell = &x->move.cell;

    return x->terms->whole || x->eng->file->nodes.count == 1 ||
           adl_cover_full(cover, piece->off - cell->start + cell->buf,
                          piece->len);
}

static void copy_pieces_out(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_cell *cell = &x->move.cell;
    const char *from = cell_base(x, sink, cell);
    int64_t eof = adl_atomic_load(&sink->gate->eof);
    int64_t wanted = 0, got = 0;
    struct adl_cover cover;
    struct adl_piece piece;

    adl_sink_cover(x->eng->seg, sink, slot_of(x, cell), x->terms->shift,
                   &cover);
    while (adl_extents_next(&x->move.ext, cell->end, &piece)) {
        wanted += piece.len;
        if (!is_read(x, &cover, &piece)) {
            move_piece(x, &piece);
            continue;
        }
        if (piece.off >= eof)
            continue;
        piece.len = adl_min(piece.len, eof - piece.off);
        memcpy(x->acc->buf + piece.mem, from + (piece.off - cell->start),
               piece.len);
        got += piece.len;
    }
    x->bytes += got;
    x->acc->traffic.copied += got;
    leave_cell(x, sink, cell, wanted);
}

static void copy_out(struct adl_exchange *x, struct adl_sink *sink)
{
    if (enter_cell(x, sink, &x->move.cell))
        copy_pieces_out(x, sink);
    else
        move_cell_alone(x, &x->move);
}

static void mark_wishes(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_cell *cell = &x->wish.cell;
    struct adl_cover cover;
    struct adl_cover_pen pen;
    struct adl_piece piece;

    if (x->terms->whole || !enter_to_mark(x, sink, cell)) {
        skip_cell(&x->wish);
        return;
    }
    adl_sink_cover(x->eng->seg, sink, slot_of(x, cell), x->terms->shift,
                   &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(&x->wish.ext, cell->end, &piece))
        adl_cover_pen_add(&pen, piece.off - cell->start + cell->buf, piece.len);
    adl_cover_pen_flush(&pen);
    leave_cell(x, sink, cell, 0);
}

/* ---- aggregators elsewhere ---- */

/* The next part of a cell, as large as a direct one may be. */
static int describe_part(struct adl_exchange *x, struct adl_cursor *cur,
                         int64_t bytes, int64_t runs, struct adl_pack *pack)
{
    struct adl_pack_limit limit = {cur->cell.end, bytes, runs};

    return adl_pack_describe(&cur->ext, cur->cell.buf - cur->cell.start, &limit,
                             x->eng->pattern, pack);
}

static struct adl_direct_of direct_of(const struct adl_exchange *x,
                                      const struct adl_cursor *cur,
                                      const struct adl_extents *from)
{
    return (struct adl_direct_of){&cur->cell, x->terms->call, x->acc->buf,
                                  from};
}

/* Where the window of the cursor's cell ends; asked for at every cell, found
 * once a window. */
static int64_t window_end(struct adl_exchange *x, const struct adl_cell *cell)
{
    if (x->window_end_of != cell->window || x->window_end_agg != cell->owner ||
        x->window_end == 0)
        x->window_end =
            adl_window_end(x->eng->window, cell->owner, cell->window);
    x->window_end_of = cell->window;
    x->window_end_agg = cell->owner;
    return x->window_end;
}

static struct adl_outbox_to place_of(struct adl_exchange *x,
                                     const struct adl_cell *cell)
{
    return (struct adl_outbox_to){.cell = cell,
                                  .call = x->terms->call,
                                  .window_end = window_end(x, cell),
                                  .courier = -1 - x->eng->sink_of[cell->owner]};
}

/* Add a part to the node's message for the window. 0: there is no room. */
static int post(struct adl_exchange *x, const struct adl_extents *from,
                const struct adl_pack *pack)
{
    struct adl_cell *cell = &x->move.cell;
    struct adl_outbox_to to = place_of(x, cell);
    struct adl_extents pieces = *from;
    char *at = adl_outbox_add(x->eng->outbox, &to, pack);

    if (!at)
        return 0;
    if (pack->contig)
        memcpy(at, x->acc->buf + pack->mem, pack->bytes);
    else
        adl_pack_from_user(&pieces, cell->end, x->acc->buf, at, pack->bytes);
    adl_outbox_sealed(x->eng->outbox);
    return 1;
}

/* Runs whose description fits into so many bytes, and into the encoder. */
static int64_t runs_in(int64_t bytes)
{
    return adl_min(bytes / 20, ADL_DIRECT_RUNS);
}

/* Send the next part of the cell. 0: there is no room. */
static int send_part(struct adl_exchange *x)
{
    struct adl_extents from = x->move.ext;
    struct adl_direct_of of = direct_of(x, &x->move, &from);
    int64_t half = x->eng->pool_room / 2;
    struct adl_pack pack;

    if (!adl_direct_has_room(x->eng->direct) ||
        !adl_pool_has_room(x->eng->pool, adl_extents_at(&from)))
        return 0;
    describe_part(x, &x->move, ADL_DIRECT_BYTES, ADL_DIRECT_RUNS, &pack);
    if (pack.contig && pack.bytes >= ADL_DIRECT_MIN &&
        adl_direct_send(x->eng->direct, &of, &pack) == 0)
        return 1;
    if (pack.bytes + (int64_t)pack.pattern_size + 64 > x->eng->pool_room) {
        x->move.ext = from;
        describe_part(x, &x->move, half - 64, runs_in(half), &pack);
    }
    if (post(x, &from, &pack))
        return 1;
    x->move.ext = from;
    return 0;
}

/* 0: not all of the cell's pieces could be sent yet. */
static int send_cell(struct adl_exchange *x)
{
    while (adl_extents_at(&x->move.ext) < x->move.cell.end)
        if (!send_part(x))
            return 0;
    return 1;
}

/* Ask for the next part of the cell: alone where it is large, else together
 * with the node's other ranks. 0: there is no room. */
static int ask_for_part(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    struct adl_extents from = x->wish.ext;
    struct adl_direct_of of = direct_of(x, &x->wish, &from);
    struct adl_outbox_to to = place_of(x, &x->wish.cell);
    int64_t half = eng->pool_room / 2;
    struct adl_pack pack;

    if (!adl_direct_has_room(eng->direct) ||
        !adl_wishes_has_room(eng->wishes) ||
        !adl_pool_has_room(eng->pool, adl_extents_at(&from)))
        return 0;
    describe_part(x, &x->wish, ADL_DIRECT_BYTES, ADL_DIRECT_RUNS, &pack);
    if (pack.bytes >= ADL_DIRECT_MIN &&
        adl_direct_read(eng->direct, &of, &pack) == 0)
        return 1;
    if (pack.bytes + 18 * pack.runs + 256 > eng->pool_room) {
        x->wish.ext = from;
        describe_part(x, &x->wish, half - 256, runs_in(half), &pack);
    }
    if (adl_wishes_add(eng->wishes, &to, &pack, &from, x->acc->buf))
        return 1;
    x->wish.ext = from;
    return 0;
}

/* 0: not all of the cell's pieces could be asked for yet. */
static int ask_for_cell(struct adl_exchange *x)
{
    while (adl_extents_at(&x->wish.ext) < x->wish.cell.end)
        if (!ask_for_part(x))
            return 0;
    return 1;
}

/* ---- step ---- */

static void wish_pieces(struct adl_exchange *x)
{
    struct adl_cursor *cur = &x->wish;

    cur->blocked = 0;
    while (!cur->blocked && cursor_at(x, cur, &x->seat->wished)) {
        struct adl_sink *sink = sink_of(x, &cur->cell);

        if (goes_alone(x, cur))
            skip_cell(cur);
        else if (!sink)
            cur->blocked = !ask_for_cell(x);
        else if (x->terms->whole || window_is_free(x, sink, &cur->cell))
            mark_wishes(x, sink);
        else
            cur->blocked = 1;
    }
}

static void write_pieces(struct adl_exchange *x)
{
    struct adl_cursor *cur = &x->move;

    cur->blocked = 0;
    while (!cur->blocked && cursor_at(x, cur, &x->seat->placed)) {
        struct adl_sink *sink = sink_of(x, &cur->cell);

        if (goes_alone(x, cur))
            move_cell_alone(x, cur);
        else if (!sink)
            cur->blocked = !send_cell(x);
        else if (window_is_free(x, sink, &cur->cell))
            copy_in(x, sink);
        else
            cur->blocked = 1;
    }
}

/* What has been asked for elsewhere comes by itself. */
static void skip_asked(struct adl_exchange *x)
{
    struct adl_cursor *cur = &x->move;
    int64_t end = adl_min(cur->cell.end, adl_extents_at(&x->wish.ext));
    struct adl_piece piece;

    while (adl_extents_next(&cur->ext, end, &piece))
        ;
}

static void read_pieces(struct adl_exchange *x)
{
    struct adl_cursor *cur = &x->move;

    cur->blocked = 0;
    while (!cur->blocked && cursor_at(x, cur, &x->seat->placed)) {
        struct adl_sink *sink = sink_of(x, &cur->cell);

        if (!x->wish.done &&
            adl_extents_at(&cur->ext) >= adl_extents_at(&x->wish.ext))
            cur->blocked = 1;
        else if (!sink)
            skip_asked(x);
        else if (goes_alone(x, cur))
            move_cell_alone(x, cur);
        else if (window_is_ready(x, sink, &cur->cell))
            copy_out(x, sink);
        else
            cur->blocked = 1;
    }
}

/* How far nothing of this rank is waited for any more. */
static void publish_settled(struct adl_exchange *x)
{
    int64_t at = x->move.done ? ADL_POS_END : adl_extents_at(&x->move.ext);

    at = adl_min(at, adl_direct_lowest(x->eng->direct));
    adl_atomic_store(&x->seat->settled,
                     adl_min(at, adl_wishes_lowest(x->eng->wishes)));
}

static int served(const struct adl_exchange *x)
{
    if (x->service.in_steps)
        return adl_service_is_over(&x->service);
    return !x->serving ||
           adl_iothread_done(x->eng->io, (struct adl_iotask *)&x->service.task);
}

/* Will nothing more come to this aggregator? */
static int is_over(const struct adl_exchange *x)
{
    if (!x->rounds)
        return served(x);
    return adl_meeting_settled(x->eng->seg, x->terms->call, 0) == ADL_POS_END;
}

/* Messages between nodes. 1: this rank's part in them is done. */
static int step_messages(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    int64_t came = adl_direct_step(eng->direct);
    int done;

    if (!x->terms->write)
        x->bytes += came + adl_wishes_pick(eng->wishes);
    publish_settled(x);
    done = x->move.done && !adl_direct_busy(eng->direct) &&
           !adl_wishes_pending(eng->wishes);
    if (eng->courier && x->terms->write)
        done &= adl_outbox_step(eng->outbox, adl_segment_placed(eng->seg));
    else if (eng->courier)
        done &= adl_wishes_step(eng->wishes, adl_segment_wished(eng->seg));
    if (eng->inbox)
        done &= adl_inbox_step(eng->inbox, is_over(x));
    if (x->rounds && eng->leaders)
        done &= adl_frontier_step(&eng->frontier);
    return done;
}

/* Anything that tells one state from another. */
static uint64_t state_of(const struct adl_exchange *x)
{
    const struct adl_engine *eng = x->eng;
    uint64_t sum = (uint64_t)(x->move.ext.left + x->wish.ext.left) * 31;

    if (eng->direct)
        sum += adl_direct_ticks(eng->direct) + adl_outbox_ticks(eng->outbox) +
               adl_wishes_ticks(eng->wishes) + (uint64_t)eng->frontier.rounds;
    if (eng->inbox)
        sum += adl_inbox_ticks(eng->inbox);
    return sum;
}

int adl_exchange_step(struct adl_exchange *x)
{
    int done = 1;

    if (!x->wish.done)
        wish_pieces(x);
    if (!x->move.done && x->terms->write)
        write_pieces(x);
    else if (!x->move.done)
        read_pieces(x);
    while (x->service.in_steps && adl_service_step(&x->service))
        ;
    if (x->eng->direct)
        done = step_messages(x);
    x->moved = state_of(x);
    return done && x->wish.done && x->move.done && served(x);
}

/* ---- waiting ---- */

int adl_exchange_has_messages(const struct adl_exchange *x)
{
    const struct adl_engine *eng = x->eng;

    return eng->direct &&
           (eng->inbox || eng->courier || adl_direct_busy(eng->direct) ||
            adl_wishes_pending(eng->wishes) || (x->rounds && eng->leaders));
}

/* Others may wait for our wishes while we wait for data: the bell of all
 * gates. */
static struct adl_bell *bell_reading(struct adl_exchange *x, uint32_t *seen)
{
    struct adl_bell *bell = &x->eng->seg->meeting->gates;
    struct adl_sink *here = sink_of(x, &x->move.cell);
    struct adl_sink *wished = sink_of(x, &x->wish.cell);

    *seen = adl_bell_read(bell);
    if (x->move.cell.end && here && window_is_ready(x, here, &x->move.cell))
        return NULL;
    if (x->wish.blocked && wished && window_is_free(x, wished, &x->wish.cell))
        return NULL;
    return bell;
}

static struct adl_bell *bell_writing(struct adl_exchange *x, uint32_t *seen)
{
    struct adl_cell *cell = &x->move.cell;
    struct adl_sink *sink = sink_of(x, cell);
    struct adl_bell *bell;

    if (sink) {
        *seen = adl_bell_read(&sink->gate->bell);
        adl_gate_want(sink->gate, cell->window - x->eng->seg->depth + 1);
        return window_is_free(x, sink, cell) ? NULL : &sink->gate->bell;
    }
    bell = adl_pool_bell(x->eng->pool);
    *seen = adl_bell_read(bell);
    return adl_pool_has_room(x->eng->pool, adl_extents_at(&x->move.ext)) ? NULL
                                                                         : bell;
}

struct adl_bell *adl_exchange_bell(struct adl_exchange *x, uint32_t *seen)
{
    struct adl_bell *bell;

    if (x->move.blocked && x->terms->write)
        return bell_writing(x, seen);
    if (x->move.blocked || x->wish.blocked)
        return bell_reading(x, seen);
    if (!x->serving)
        return NULL;
    bell = adl_iothread_bell(x->eng->io);
    *seen = adl_bell_read(bell);
    return served(x) ? NULL : bell;
}

/* ---- end ---- */

static void count_traffic(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    struct adl_traffic *sum = &x->acc->traffic;

    if (!eng->direct)
        return;
    adl_outbox_count(eng->outbox, sum);
    adl_wishes_count(eng->wishes, sum);
    adl_direct_count(eng->direct, sum);
    sum->pool_peak = adl_pool_peak(eng->pool);
    if (eng->inbox)
        adl_inbox_count(eng->inbox, sum);
}

int adl_exchange_end(struct adl_exchange *x)
{
    const struct adl_service *s = &x->service;
    struct adl_access *acc = x->acc;

    count_traffic(x);
    if (x->serving) {
        adl_service_end(&x->service);
        acc->time.file = s->counts.ns;
        acc->time.active = s->counts.bytes > 0;
        if (s->rc < 0) {
            x->rc = adl_fatal(x->eng->file, x->terms->write ? "write" : "read",
                              s->rc);
            x->rc_offset = s->rc_offset;
        }
    }
    if (x->rc == 0 && x->eng->inbox)
        x->rc = adl_inbox_error(x->eng->inbox);
    if (x->rc == 0 && x->eng->wishes)
        x->rc = adl_wishes_error(x->eng->wishes);
    return x->rc;
}
