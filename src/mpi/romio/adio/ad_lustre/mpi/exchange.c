/* exchange.c - the collective engine: start, step, done */
#include "exchange.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "giveup.h"
#include "indep.h"
#include "open.h"

void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    adl_mark_reset(&eng->seg->seat[eng->seg->rank]->copied,
                   adl_extents_at(&acc->ext));
}

static void start_serving(struct adl_exchange *x, ADIO_File fd)
{
    struct adl_engine *eng = x->eng;
    struct adl_serve *s = &x->serve;

    s->window = eng->window;
    s->seg = eng->seg;
    s->agg = eng->file->aggs.mine;
    /* A file that cannot be read is written without filling holes. */
    s->sieve =
        eng->file->hints.ds_in_coll == ADL_ENABLE && adl_open_ready(fd, 1) == 0;
    s->fd = fd->fd_sys;
    s->fd_direct = adl_lockmode_direct(fd, fd->direct_write);
    s->locks = &eng->file->locks;
    s->shift = x->shift;
    s->call = x->call;
    s->prof = eng->file->prof;
    s->start = x->start;
    s->end = x->start + x->acc->span;
    s->dense = x->acc->dense;
    s->remote = eng->intake ? 0 : ADL_WINDOW_NONE;
    s->task.run = adl_serve_write;
    if (eng->intake)
        adl_intake_begin(eng->intake, s);
    x->serving = 1;
    adl_iothread_submit(eng->io, &s->task);
}

void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_claim *all,
                        ADIO_File fd)
{
    memset(x, 0, sizeof(*x));
    x->eng = eng;
    x->fd = fd;
    x->acc = acc;
    x->ext = acc->ext;
    x->seat = eng->seg->seat[eng->seg->rank];
    x->shift = adl_engine_shift(eng, all);
    x->call = ++eng->calls;
    acc->time.aggregated = 1;
    x->start = all->start;
    if (eng->relay)
        adl_relay_begin(eng->relay, x->call, x->start, x->shift);
    if (eng->file->aggs.mine >= 0)
        start_serving(x, fd);
}

/* May the cell's window be filled? Looks at the gate only when what it showed
 * last time is not enough. */
static int window_is_free(struct adl_exchange *x, struct adl_sink *sink)
{
    struct adl_engine *eng = x->eng;
    int depth = eng->seg->depth;

    if (sink->opened_call != x->call) {
        sink->opened_call = x->call;
        sink->opened =
            adl_window_first_at(eng->window, x->cell.owner, x->start);
    }
    if (x->cell.window - sink->opened < depth)
        return 1;
    sink->opened = adl_gate_freed(sink->gate, x->call, sink->opened);
    return x->cell.window - sink->opened < depth;
}

static void copy_and_mark(struct adl_exchange *x, struct adl_sink *sink,
                          int slot, char *to, int64_t shift_to_buf)
{
    const char *from = x->acc->buf;
    struct adl_cover cover;
    struct adl_cover_pen pen;
    struct adl_piece piece;

    adl_sink_cover(x->eng->seg, sink, slot, x->shift, &cover);
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
    struct adl_engine *eng = x->eng;
    int slot = adl_window_slot(eng->window, x->cell.window);
    int64_t shift_to_buf = x->cell.buf - x->cell.start;
    char *to = adl_sink_buf(eng->seg, sink, slot) + shift_to_buf;
    const char *from = x->acc->buf;
    struct adl_piece piece;

    if (!x->acc->dense || sink->remote) {
        copy_and_mark(x, sink, slot, to, shift_to_buf);
        return;
    }
    while (adl_extents_next(&x->ext, x->cell.end, &piece))
        memcpy(to + piece.off, from + piece.mem, piece.len);
}

/* Away from Lustre no lock ties an object to its owner, and copying pays for
 * small pieces only: one that fills a cell is written from where it is. Not in
 * a dense call: there the owner writes every cell. */
static int goes_alone(const struct adl_exchange *x)
{
    struct adl_extents look = x->ext;
    struct adl_piece piece;

    return !x->eng->file->on_lustre && !x->acc->dense &&
           x->cell.end - x->cell.start >= ADL_ALONE_MIN &&
           adl_extents_next(&look, x->cell.end, &piece) &&
           piece.off == x->cell.start && piece.off + piece.len == x->cell.end;
}

static void write_alone(struct adl_exchange *x)
{
    struct adl_piece piece;
    MPI_Count done;
    int rc;

    adl_extents_next(&x->ext, x->cell.end, &piece);
    rc = adl_indep_write(x->fd, x->acc->buf + piece.mem, piece.len, piece.off,
                         &done);
    if (x->rc == 0)
        x->rc = rc;
}

static void move_to(struct adl_exchange *x, int64_t off)
{
    if (x->cell.end == off && x->cell.end > 0)
        adl_window_next(x->eng->window, &x->cell);
    else
        adl_window_locate(x->eng->window, off, &x->cell);
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
            adl_mark_publish(&x->seat->copied, off);
            if (goes_alone(x)) {
                write_alone(x);
                continue;
            }
        }
        sink = &x->eng->seg->sink[x->cell.owner];
        if (!window_is_free(x, sink)) {
            x->blocked = sink;
            return;
        }
        fill_cell(x, sink);
    }
    adl_mark_publish(&x->seat->copied, ADL_POS_END);
    x->copied = 1;
}

/* Does this rank have messages to move? Then it must not sleep. */
static int has_messages(const struct adl_exchange *x)
{
    return x->eng->relay || x->eng->intake;
}

int adl_exchange_step(struct adl_exchange *x)
{
    int relayed = 1, taken = 1;

    if (!x->copied)
        copy_pieces(x);
    if (x->eng->relay)
        relayed = adl_relay_step(x->eng->relay);
    if (x->eng->intake)
        taken = adl_intake_step(x->eng->intake);
    return x->copied && relayed && taken &&
           (!x->serving || adl_iothread_done(x->eng->io, &x->serve.task));
}

/* Sleep until the window that blocks us is free. */
static void await_gate(struct adl_exchange *x)
{
    int64_t freed = x->cell.window - x->eng->seg->depth + 1;

    adl_gate_await(x->blocked->gate, x->call, x->blocked->opened, freed);
}

/* Between two looks at the messages. With our own data gone we wait for those
 * of others. */
static void await_messages(struct adl_exchange *x)
{
    struct adl_prof *prof = x->copied ? x->eng->file->prof : NULL;
    int64_t t = adl_prof_now(prof);

    sched_yield();
    x->acc->time.idle += adl_prof_now(prof) - t;
}

/* Nothing is left to do but our own aggregator's part. */
static void await_io(struct adl_exchange *x)
{
    struct adl_prof *prof = x->eng->file->prof;
    int64_t t = adl_prof_now(prof);

    adl_iothread_wait(x->eng->io, &x->serve.task);
    x->acc->time.idle += adl_prof_now(prof) - t;
}

void adl_exchange_finish(struct adl_exchange *x)
{
    while (!adl_exchange_step(x)) {
        if (has_messages(x))
            await_messages(x);
        else if (x->blocked)
            await_gate(x);
        else if (x->serving)
            await_io(x);
    }
}

int adl_exchange_end(struct adl_exchange *x)
{
    if (x->serving) {
        x->acc->time.file = x->serve.counts.ns;
        x->acc->time.active = x->serve.counts.bytes > 0;
        x->acc->covered = x->serve.counts.covered;
    }
    if (x->serving && x->serve.rc < 0)
        return adl_giveup(x->eng->file, "write", x->serve.rc);
    if (x->rc < 0)
        return x->rc;
    return x->eng->intake ? adl_intake_error(x->eng->intake) : 0;
}
