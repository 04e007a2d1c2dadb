/* exchange.c - the collective engine: start, step, done */
#include "exchange.h"

#include <string.h>

#include "indep.h"
#include "open.h"

void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    adl_mark_reset(&eng->seg->seat[eng->seg->rank]->copied,
                   adl_extents_at(&acc->ext));
}

/* A file that cannot be read is written without filling holes. */
static int wants_sieve(const struct adl_engine *eng, ADIO_File fd)
{
    return eng->file->hints.ds_in_coll == ADL_ENABLE &&
           adl_open_ready(fd, 1) == 0;
}

static void start_serving(struct adl_exchange *x)
{
    struct adl_engine *eng = x->m.eng;
    struct adl_serve *s = &x->m.serve;
    int sieve = wants_sieve(eng, x->m.fd); /* may change the descriptor */

    adl_mover_serve(&x->m, adl_serve_write);
    s->sieve = sieve;
    s->fd_direct = adl_lockmode_direct(x->m.fd, x->m.fd->direct_write);
    s->remote = eng->intake ? 0 : ADL_WINDOW_NONE;
    if (eng->intake)
        adl_intake_begin(eng->intake, s);
    adl_mover_submit(&x->m);
}

void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_claim *all,
                        ADIO_File fd)
{
    memset(x, 0, sizeof(*x));
    adl_mover_begin(&x->m, eng, acc, all, fd);
    x->ext = acc->ext;
    if (eng->relay)
        adl_relay_begin(eng->relay, x->m.call, x->m.start, x->m.shift);
    if (eng->file->aggs.mine >= 0)
        start_serving(x);
}

/* May the cell's window be filled? Looks at the gate only when what it showed
 * last time is not enough. */
static int window_is_free(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_engine *eng = x->m.eng;
    int depth = eng->seg->depth;

    if (sink->opened_call != x->m.call) {
        sink->opened_call = x->m.call;
        sink->opened =
            adl_window_first_at(eng->window, x->cell.owner, x->m.start);
    }
    if (x->cell.window - sink->opened < depth)
        return 1;
    sink->opened = adl_gate_freed(sink->gate, x->m.call, sink->opened);
    return x->cell.window - sink->opened < depth;
}

static void copy_and_mark(struct adl_exchange *x, struct adl_sink *sink,
                          int slot, char *to, int64_t shift_to_buf)
{
    const char *from = x->m.acc->buf;
    struct adl_cover cover;
    struct adl_cover_pen pen;
    struct adl_piece piece;

    adl_sink_cover(x->m.eng->seg, sink, slot, x->m.shift, &cover);
    adl_cover_pen_begin(&pen, &cover);
    while (adl_extents_next(&x->ext, x->cell.end, &piece)) {
        memcpy(to + piece.off, from + piece.mem, piece.len);
        adl_cover_pen_add(&pen, piece.off + shift_to_buf, piece.len);
    }
    adl_cover_pen_flush(&pen);
}

/* Copy the pieces that lie in the current cell. Where it is known that nothing
 * will be missing, only a relay must know what comes from this node. */
static void fill_cell(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_engine *eng = x->m.eng;
    int slot = adl_window_slot(eng->window, x->cell.window);
    int64_t shift_to_buf = x->cell.buf - x->cell.start;
    char *to = adl_sink_buf(eng->seg, sink, slot) + shift_to_buf;
    const char *from = x->m.acc->buf;
    struct adl_piece piece;

    if (!x->m.acc->dense || sink->remote) {
        copy_and_mark(x, sink, slot, to, shift_to_buf);
        return;
    }
    while (adl_extents_next(&x->ext, x->cell.end, &piece))
        memcpy(to + piece.off, from + piece.mem, piece.len);
}

static void write_alone(struct adl_exchange *x)
{
    struct adl_piece piece;
    MPI_Count done;
    int rc;

    adl_extents_next(&x->ext, x->cell.end, &piece);
    rc = adl_indep_write(x->m.fd, x->m.acc->buf + piece.mem, piece.len,
                         piece.off, &done);
    if (x->m.rc == 0)
        x->m.rc = rc;
}

static void move_to(struct adl_exchange *x, int64_t off)
{
    if (x->cell.end == off && x->cell.end > 0)
        adl_window_next(x->m.eng->window, &x->cell);
    else
        adl_window_locate(x->m.eng->window, off, &x->cell);
}

/* Copy as far as the windows allow. */
static void copy_pieces(struct adl_exchange *x)
{
    int64_t off;

    x->blocked = NULL;
    while ((off = adl_extents_at(&x->ext)) != INT64_MAX) {
        struct adl_sink *sink;

        if (off >= x->cell.end) {
            move_to(x, off);
            adl_mark_publish(&x->m.seat->copied, off);
            if (adl_mover_alone(&x->m, &x->ext, &x->cell)) {
                write_alone(x);
                continue;
            }
        }
        sink = &x->m.eng->seg->sink[x->cell.owner];
        if (!window_is_free(x, sink)) {
            x->blocked = sink;
            return;
        }
        fill_cell(x, sink);
    }
    adl_mark_publish(&x->m.seat->copied, ADL_POS_END);
    x->copied = 1;
}

/* Does this rank have messages to move? Then it must not sleep. */
static int has_messages(const struct adl_exchange *x)
{
    return x->m.eng->relay || x->m.eng->intake;
}

int adl_exchange_step(struct adl_exchange *x)
{
    int relayed = 1, taken = 1;

    if (!x->copied)
        copy_pieces(x);
    if (x->m.eng->relay)
        relayed = adl_relay_step(x->m.eng->relay);
    if (x->m.eng->intake)
        taken = adl_intake_step(x->m.eng->intake);
    return x->copied && relayed && taken && adl_mover_served(&x->m);
}

/* Sleep until the window that blocks us is free. */
static void await_gate(struct adl_exchange *x)
{
    int64_t freed = x->cell.window - x->m.eng->seg->depth + 1;

    adl_gate_await(x->blocked->gate, x->m.call, x->blocked->opened, freed,
                   &x->m.pause);
}

void adl_exchange_finish(struct adl_exchange *x)
{
    while (!adl_exchange_step(x)) {
        if (has_messages(x))
            adl_mover_await_messages(&x->m, x->copied);
        else if (x->blocked)
            await_gate(x);
        else if (x->m.serving)
            adl_mover_await_io(&x->m);
    }
}

int adl_exchange_end(struct adl_exchange *x)
{
    int rc = adl_mover_end(&x->m, "write");

    if (rc == 0 && x->m.eng->intake)
        rc = adl_intake_error(x->m.eng->intake);
    return rc;
}
