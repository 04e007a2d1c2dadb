/* exchange.c - move the pieces of one collective call: start, step, done */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "exchange.h"

#include <string.h>

#include "../../core/messages/message.h"
#include "../../core/text/minmax.h"
#include "../../sys/atomic.h"
#include "../../sys/mem.h"
#include "../file/descriptor.h"
#include "../file/failure.h"
#include "../locks/lockmode.h"

/* ---- start ---- */

void adl_exchange_prepare(struct adl_engine *eng, const struct adl_access *acc)
{
    struct adl_seat *seat = &eng->seg->seat[eng->seg->rank];

    for (int i = 0; i < ADL_POSITIONS; i++)
        adl_mark_set(&seat->mark[i], adl_extents_at(&acc->sel.ext));
}

/* A file that cannot be read is written without filling holes. */
static int wants_sieve(const struct adl_exchange *x)
{
    const struct adl_settings *set = &x->acc->set;

    if (!x->terms->write)
        return set->ds_read != ADL_DISABLE;
    return set->ds_in_coll == ADL_ENABLE && adl_descriptor_ready(x->fd, 1) == 0;
}

/* The group of aggregators that may fill gaps, 0: none. Direct writes would
 * wait for that group; a lock mode has locks of its own. */
static int group_for_gaps(const struct adl_exchange *x)
{
    const struct adl_file *f = x->eng->file;

    if (!x->terms->ragged || x->acc->set.ds_in_coll != ADL_AUTOMATIC ||
        f->locks.mode != 0 || x->fd->fd_direct >= 0)
        return 0;
    return f->fill_gid && adl_descriptor_ready(x->fd, 1) == 0 ? f->fill_gid : 0;
}

static int is_small(const struct adl_exchange *x)
{
    return x->terms->exact && x->terms->bytes <= ADL_FEW_BYTES;
}

static void start_serving(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    struct adl_service *s = &x->service;
    int write = x->terms->write;

    s->sieve = wants_sieve(x);  /* may change the descriptor */
    s->gid = group_for_gaps(x); /* so may this */
    s->seg = eng->seg;
    s->sink = eng->mine;
    s->fd = x->fd->fd_sys;
    s->fd_direct = adl_lockmode_direct(x->fd, write ? x->fd->direct_write
                                                    : x->fd->direct_read);
    s->locks = &eng->file->locks;
    s->prof = eng->file->prof;
    s->task.run = adl_service_run;
    if (eng->receive)
        adl_receive_begin(eng->receive, s);
    if (write)
        x->fd->dirty_write = 1;
    x->serving = 1;
    /* Not for a nonblocking call: MPI_Test would wait for the disk. */
    s->in_steps = eng->mine->many && is_small(x) && !x->acc->nonblocking;
    if (s->in_steps)
        adl_service_begin(s);
    else
        adl_iothread_submit(eng->io, &s->task);
}

void adl_exchange_start(struct adl_exchange *x, struct adl_engine *eng,
                        struct adl_access *acc, const struct adl_terms *terms,
                        ADIO_File fd)
{
    int many = eng->file->nodes.count > 1;

    memset(x, 0, sizeof(*x));
    x->eng = eng;
    x->fd = fd;
    x->acc = acc;
    x->terms = terms;
    x->seat = &eng->seg->seat[eng->seg->rank];
    x->move.ext = x->ask.ext = acc->sel.ext;
    x->move.mark = &x->seat->mark[ADL_AT_PLACED];
    x->ask.mark = &x->seat->mark[ADL_AT_ASKED];
    x->local = (struct adl_local){.fd = fd, .acc = acc, .rc_offset = -1};
    x->rounds = many && !terms->exact;
    x->ask.done = terms->write || (terms->whole && !many);
    if (x->ask.done)
        adl_mark_publish(x->ask.mark, ADL_POS_END);
    for (int i = 0; i < eng->seg->nsinks; i++)
        adl_windows_begin(&eng->seg->sink[i], terms, eng->window, many);
    eng->wire.rc = 0;
    if (eng->pool)
        adl_pool_begin(eng->pool, !terms->write);
    if (eng->forward)
        adl_forward_begin(eng->forward, terms, is_small(x));
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

/* Move a cursor to the cell of its next piece and publish that it has come
 * there. 0: no piece is left. */
static int cursor_at(struct adl_exchange *x, struct adl_cursor *cur)
{
    int64_t off = adl_extents_at(&cur->ext);

    if (off == INT64_MAX) {
        adl_mark_publish(cur->mark, ADL_POS_END);
        cur->done = 1;
        return 0;
    }
    if (off < cur->cell.end)
        return 1;
    if (off == cur->cell.end && off > 0)
        adl_window_next(x->eng->window, &cur->cell);
    else
        adl_window_locate(x->eng->window, off, &cur->cell);
    adl_mark_publish(cur->mark, off);
    return 1;
}

/* The pieces before `end` need no move. */
static void skip_pieces(struct adl_cursor *cur, int64_t end)
{
    struct adl_piece piece;

    while (adl_extents_next(&cur->ext, end, &piece))
        ;
}

/* ---- aggregators elsewhere ---- */

/* Send, or ask for, the pieces of the cursor's cell. The rank's position is
 * published after every part (node/pool.h). 0: not all of them could be yet. */
static int send_cell(struct adl_exchange *x, struct adl_cursor *cur)
{
    struct adl_send_to to = {.terms = x->terms,
                             .window = x->eng->window,
                             .cell = &cur->cell,
                             .forwarder = -1 - x->eng->sink_of[cur->cell.owner],
                             .user = x->acc->buf,
                             .device = x->acc->device};

    while (adl_extents_at(&cur->ext) < cur->cell.end) {
        if (!adl_send_part(x->eng->send, &to, &cur->ext))
            return 0;
        adl_mark_publish(cur->mark, adl_extents_at(&cur->ext));
    }
    return 1;
}

/* ---- step ---- */

/* Moves the pieces of the cursor's cell, or some of them. 0: it cannot now.
 * `sink`: the aggregator's, if it is on this node, else NULL. */
typedef int move_cell(struct adl_exchange *x, struct adl_cursor *cur,
                      struct adl_sink *sink);

/* Give the aggregator the pieces of the cell (writing), or the requests for
 * them (reading). */
static int give_cell(struct adl_exchange *x, struct adl_cursor *cur,
                     struct adl_sink *sink)
{
    if (!sink)
        return send_cell(x, cur);
    if (x->terms->whole) {
        skip_pieces(cur, cur->cell.end);
        return 1;
    }
    if (adl_windows_admit(sink, cur->cell.window) == ADL_LATER)
        return 0;
    if (x->terms->write)
        adl_local_put(&x->local, sink, &cur->cell, &cur->ext);
    else
        adl_local_ask(sink, &cur->cell, &cur->ext);
    return 1;
}

/* Take the pieces of the cell. Those of aggregators on other nodes arrive in
 * the user's buffer without this function. */
static int take_cell(struct adl_exchange *x, struct adl_cursor *cur,
                     struct adl_sink *sink)
{
    int64_t asked = adl_extents_at(&x->ask.ext);

    if (!x->ask.done && adl_extents_at(&cur->ext) >= asked)
        return 0;
    if (!sink) {
        skip_pieces(cur, adl_min(cur->cell.end, asked));
        return 1;
    }
    if (cur->cell.window >= adl_windows_ready(sink))
        return 0;
    adl_local_get(&x->local, sink, &cur->cell, &cur->ext);
    return 1;
}

static void walk(struct adl_exchange *x, struct adl_cursor *cur,
                 move_cell *move)
{
    cur->blocked = 0;
    while (!cur->blocked && cursor_at(x, cur))
        cur->blocked = !move(x, cur, sink_of(x, &cur->cell));
}

/* Publish the offset before which no rank waits for bytes of this rank. */
static void publish_settled(struct adl_exchange *x)
{
    int64_t at = x->move.done ? ADL_POS_END : adl_extents_at(&x->move.ext);

    adl_mark_set(&x->seat->mark[ADL_AT_SETTLED],
                 adl_min(at, adl_send_lowest(x->eng->send)));
}

int adl_exchange_served(const struct adl_exchange *x)
{
    if (x->service.in_steps)
        return adl_service_is_over(&x->service);
    return !x->serving ||
           adl_iothread_done(x->eng->io, (struct adl_iotask *)&x->service.task);
}

/* Will this aggregator receive no more messages? */
static int is_over(const struct adl_exchange *x)
{
    if (!x->rounds)
        return adl_exchange_served(x);
    return adl_node_reached(x->eng->seg, ADL_AT_SETTLED, x->terms->call, 0) ==
           ADL_POS_END;
}

/* Messages between nodes. 1: this rank's part in them is done. */
static int step_messages(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;
    int done;

    x->bytes += adl_send_step(eng->send);
    publish_settled(x);
    done = x->move.done && !adl_send_busy(eng->send);
    if (eng->forward)
        done &= adl_forward_step(
            eng->forward, x->terms->write
                              ? adl_segment_lowest(eng->seg, ADL_AT_PLACED)
                              : adl_segment_lowest(eng->seg, ADL_AT_ASKED));
    if (eng->receive)
        done &= adl_receive_step(eng->receive, is_over(x));
    if (x->rounds && eng->leaders)
        done &= adl_frontier_step(&eng->frontier);
    return done;
}

/* A number that changes whenever something has moved. */
static uint64_t state_of(const struct adl_exchange *x)
{
    const struct adl_engine *eng = x->eng;
    uint64_t sum = (uint64_t)(x->move.ext.left + x->ask.ext.left) * 31;
    return sum + eng->wire.ticks + (uint64_t)eng->frontier.rounds;
}

int adl_exchange_step(struct adl_exchange *x)
{
    int done = 1;

    if (!x->ask.done)
        walk(x, &x->ask, give_cell);
    if (!x->move.done)
        walk(x, &x->move, x->terms->write ? give_cell : take_cell);
    while (x->service.in_steps && adl_service_step(&x->service))
        ;
    if (x->eng->send)
        done = step_messages(x);
    x->moved = state_of(x);
    return done && x->ask.done && x->move.done && adl_exchange_served(x);
}

/* ---- waiting ---- */

int adl_exchange_has_messages(const struct adl_exchange *x)
{
    const struct adl_engine *eng = x->eng;

    return eng->send &&
           (eng->receive || eng->forward || adl_send_busy(eng->send) ||
            (x->rounds && eng->leaders));
}

/* Other ranks may wait for this rank's requests while it waits for data. So it
 * sleeps on the bell of all aggregators' windows. */
static struct adl_bell *bell_reading(struct adl_exchange *x, uint32_t *seen)
{
    struct adl_bell *bell = &x->eng->seg->node->windows;
    struct adl_sink *here = sink_of(x, &x->move.cell);
    struct adl_sink *asked = sink_of(x, &x->ask.cell);

    *seen = adl_bell_read(bell);
    if (x->move.cell.end && here &&
        x->move.cell.window < adl_windows_ready(here))
        return NULL;
    if (x->ask.blocked && asked &&
        adl_windows_admit(asked, x->ask.cell.window) != ADL_LATER)
        return NULL;
    return bell;
}

static struct adl_bell *bell_writing(struct adl_exchange *x, uint32_t *seen)
{
    struct adl_cell *cell = &x->move.cell;
    struct adl_sink *sink = sink_of(x, cell);
    struct adl_bell *bell;

    if (sink) {
        bell = &sink->windows->bell;
        *seen = adl_bell_read(bell);
        adl_windows_want(sink, cell->window);
        return adl_windows_admit(sink, cell->window) == ADL_LATER ? bell : NULL;
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
    if (x->move.blocked || x->ask.blocked)
        return bell_reading(x, seen);
    if (!x->serving)
        return NULL;
    bell = adl_iothread_bell(x->eng->io);
    *seen = adl_bell_read(bell);
    return adl_exchange_served(x) ? NULL : bell;
}

/* ---- end ---- */

/* End this rank's part as an aggregator. */
static void end_serving(struct adl_exchange *x)
{
    const struct adl_service *s = &x->service;

    adl_service_end(&x->service);
    if (s->stuck) /* others would wait for this descriptor for ever */
        adl_descriptor_renew(x->fd);
    x->acc->time.file = s->counts.ns;
    x->acc->time.active = s->counts.bytes > 0;
    if (s->rc < 0) {
        x->rc = adl_failure_rw(x->eng->file, x->terms->write ? "write" : "read",
                               ADL_NO_OFFSET, s->rc);
        x->rc_offset = s->rc_offset;
    }
}

int adl_exchange_end(struct adl_exchange *x)
{
    struct adl_engine *eng = x->eng;

    adl_traffic_take(&eng->wire.traffic, &x->acc->traffic);
    if (eng->pool)
        x->acc->traffic.pool_peak = adl_pool_peak(eng->pool);
    x->bytes += x->local.bytes;
    x->rc = x->local.rc;
    x->rc_offset = x->local.rc_offset;
    if (x->serving)
        end_serving(x);
    if (x->rc == 0)
        x->rc = eng->wire.rc;
    if (x->acc->device && x->rc == 0)
        x->rc = adl_failure_note(eng->file, "device copy", ADL_NO_OFFSET,
                                 adl_mem_finish(x->acc->hold));
    return x->rc;
}
