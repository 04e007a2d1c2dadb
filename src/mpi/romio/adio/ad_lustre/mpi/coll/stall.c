/* stall.c - a collective call that does not move says what it waits for */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "stall.h"

#include <unistd.h>

#include "../../core/text/strbuf.h"
#include "../../sys/atomic.h"
#include "../../sys/clock.h"
#include "../../sys/rw.h"
#include "../progress/waiting.h"

int adl_stall_is(struct adl_stall *s, uint64_t mark, int64_t limit)
{
    int64_t now;

    if (s->seen != mark) {
        s->seen = mark;
        s->since = 0;
        s->looks = 0;
        return 0;
    }
    if (s->printed || limit <= 0 || s->looks++ % ADL_WAIT_STALL_LOOKS != 0)
        return 0;
    now = adl_clock_ns();
    if (s->since == 0)
        s->since = now;
    s->printed = now - s->since >= limit * 1000000000;
    return s->printed;
}

/* ---- words ---- */

/* A file offset, or that there is none. */
static void put_offset(struct adl_strbuf *sb, const char *what, int64_t off)
{
    if (off == ADL_POS_END || off == INT64_MAX)
        adl_strbuf_printf(sb, "%s: all", what);
    else
        adl_strbuf_printf(sb, "%s %lld", what, (long long)off);
}

static void put_cursor(struct adl_strbuf *sb, const struct adl_exchange *x,
                       const char *what, const struct adl_cursor *cur)
{
    const struct adl_engine *eng = x->eng;
    const struct adl_cell *cell = &cur->cell;

    if (cur->done) {
        adl_strbuf_printf(sb, "; %s: all its bytes", what);
        return;
    }
    if (cell->end == 0) {
        adl_strbuf_printf(sb, "; %s: nothing yet", what);
        return;
    }
    adl_strbuf_printf(
        sb, "; %s: waits for window %lld, bytes %lld to %lld, of rank %d (%s)",
        what, (long long)cell->window, (long long)cell->start,
        (long long)cell->end, eng->agg_rank[cell->owner],
        eng->sink_of[cell->owner] >= 0 ? "this node" : "another node");
}

/* The aggregators of this node: below `freed` the windows are done with, below
 * `ready` they can be read. */
static void put_windows(struct adl_strbuf *sb, const struct adl_exchange *x)
{
    const struct adl_segment *seg = x->eng->seg;

    for (int i = 0; i < seg->nsinks; i++) {
        const struct adl_windows *g = seg->sink[i].windows;

        adl_strbuf_printf(sb, "; windows of rank %d: freed %lld, ready %lld%s",
                          x->eng->agg_rank[seg->sink[i].agg],
                          (long long)adl_atomic_load(&g->freed),
                          (long long)adl_atomic_load(&g->ready),
                          adl_atomic_load(&g->call) == x->terms->call
                              ? ""
                              : " (an earlier call)");
    }
    if (x->serving)
        adl_strbuf_printf(sb, "; own file I/O: %s",
                          adl_exchange_served(x) ? "over" : "at it");
}

static void put_messages(struct adl_strbuf *sb, const struct adl_exchange *x)
{
    const struct adl_engine *eng = x->eng;

    if (!eng->pool)
        return;
    put_offset(sb, "; pool: lowest byte", adl_pool_lowest(eng->pool, 0));
    adl_strbuf_printf(sb, ", %s to send here%s; messages: %d under way",
                      adl_pool_queued(eng->pool) ? "blocks" : "nothing",
                      adl_pool_short(eng->pool) ? ", ranks wait for room" : "",
                      adl_send_busy(eng->send));
    if (adl_send_busy(eng->send))
        put_offset(sb, ", from", adl_send_lowest(eng->send));
}

static void put_exchange(struct adl_strbuf *sb, const struct adl_exchange *x)
{
    const struct adl_segment *seg = x->eng->seg;

    if (!x->terms->write)
        put_cursor(sb, x, "asking", &x->ask);
    put_cursor(sb, x, x->terms->write ? "giving" : "taking", &x->move);
    put_offset(sb, "; this node is at", adl_segment_lowest(seg, ADL_AT_PLACED));
    if (!x->terms->write)
        put_offset(sb, ", asked up to", adl_segment_lowest(seg, ADL_AT_ASKED));
    put_windows(sb, x);
    put_messages(sb, x);
}

void adl_stall_tell(const struct adl_stalled *what, int64_t seconds)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    adl_strbuf_printf(&sb, "romio-lustre: rank %d: %s: collective %s",
                      what->file->rank, what->file->name, what->kind);
    if (what->number >= 0)
        adl_strbuf_printf(&sb, " number %lld", (long long)what->number);
    adl_strbuf_printf(&sb, " has not moved for %lld s: %s", (long long)seconds,
                      what->phase);
    if (what->agree)
        adl_agree_describe(what->agree, &sb);
    if (what->x)
        put_exchange(&sb, what->x);
    adl_strbuf_puts(&sb, "\n");
    adl_rw_put(STDERR_FILENO, adl_strbuf_text(&sb), sb.len);
    adl_strbuf_release(&sb);
}
