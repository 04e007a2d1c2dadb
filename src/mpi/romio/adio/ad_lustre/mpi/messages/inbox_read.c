/* inbox_read.c - what readers elsewhere wish for, and the answers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/text/err.h"
#include "inbox_private.h"

#define SCATTER_MIN 4096 /* mean length of runs that are read one by one */
#define PATIENCE 16      /* looks in vain before a window is read in parts */

/* May wishes still be marked in it? */
static int enter_wish(const struct adl_inbox *in, int64_t window)
{
    return window - adl_inbox_freed(in) < in->s->seg->depth &&
           adl_gate_enter_wish(in->s->sink->gate, in->s->terms->call,
                               adl_window_slot(in->s->window, window), window);
}

void adl_inbox_free_wishes(struct adl_wish *w)
{
    while (w) {
        struct adl_wish *next = w->next;

        if (w->slot < 0) {
            free(w->pattern);
            free(w);
        }
        w = next;
    }
}

static struct adl_wish *new_wish(struct adl_inbox *in, size_t pattern)
{
    struct adl_wish *w = in->unused;

    if (w)
        in->unused = w->next;
    else
        w = calloc(1, sizeof(*w));
    if (w)
        w->slot = -1;
    if (w && w->room < pattern) {
        char *more = realloc(w->pattern, pattern);

        if (!more) {
            w->next = in->unused;
            in->unused = w;
            return NULL;
        }
        w->pattern = more;
        w->room = pattern;
    }
    return w;
}

/* Say what is wanted of a window that has not been read yet. */
static void mark_wish(struct adl_inbox *in, const struct adl_wish *w)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    struct adl_cover cover;
    int64_t bytes;

    if (in->s->terms->whole || !enter_wish(in, w->window))
        return;
    adl_inbox_cover_of(in, w->window, &cover);
    adl_inbox_fail(in, adl_pack_mark(&runs, &cover, &bytes));
    adl_inbox_leave(in, w->window, 0);
}

/* How many replies wait for windows that have no buffer yet? */
int adl_inbox_far_ahead(const struct adl_inbox *in)
{
    int64_t base = adl_inbox_freed(in); /* which may be ADL_WINDOW_NONE */
    int n = 0;

    for (int i = 0; i < ADL_SLOTS; i++)
        n += in->slot[i].state == ADL_SLOT_AHEAD &&
             in->slot[i].window - base >= in->s->seg->depth;
    return n;
}

/* Runs that are worth a place of their own in a system read. A single one is
 * sent from the window. */
static int has_long_runs(const struct adl_inbox *in, const struct adl_wish *w)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    struct adl_pattern_iter it;
    struct adl_err err;
    int64_t off, len, most = w->part.bytes / SCATTER_MIN, n = 0;

    if (adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err) < 0)
        return 0;
    while (n <= most && adl_pattern_next(&it, &off, &len) == 1)
        n++;
    return n > 1 && n <= most;
}

/* In an exact call nobody else wants these bytes: they need not go through the
 * window. Half of the slots are for what must be answered first. */
static void read_into_reply(struct adl_inbox *in, struct adl_wish *w)
{
    const struct adl_terms *t = in->s->terms;
    struct adl_slot *s;
    int i;

    if (!t->exact || in->s->fd_direct >= 0 ||
        adl_inbox_far_ahead(in) >= ADL_SLOTS / 2 ||
        w->part.bytes > (int64_t)in->room || !has_long_runs(in, w))
        return;
    i = adl_inbox_idle_slot(in);
    if (i < 0)
        return;
    s = &in->slot[i];
    s->scatter = (struct adl_scatter){
        .window = w->window,
        .runs = adl_inbox_runs_of(in, &w->part, w->pattern),
        .bytes = w->part.bytes,
        .to = s->mem};
    if (!adl_service_scatter(in->s, &s->scatter))
        return;
    s->window = w->window;
    adl_inbox_occupy(in, i, ADL_SLOT_AHEAD);
    w->ahead = i;
}

/* 1: in its slot. */
int adl_inbox_keep_wish(struct adl_inbox *in, int i,
                        const struct adl_part *part, const char *pattern)
{
    struct adl_slot *s = &in->slot[i];
    struct adl_wish *w = new_wish(in, part->pattern);
    int stays = !w;

    if (stays) {
        adl_inbox_stay(in, i, ADL_SLOT_WISH, s->window);
        w = &s->wish;
        w->slot = i;
        w->pattern = (char *)pattern;
    } else {
        memcpy(w->pattern, pattern, part->pattern);
    }
    w->next = NULL;
    w->ahead = -1;
    w->source = s->source;
    w->window = s->window;
    w->part = *part;
    *in->last = w;
    in->last = &w->next;
    mark_wish(in, w);
    if (!stays)
        read_into_reply(in, w);
    return stays;
}

/* Bytes of the runs that lie before file offset `eof`. */
static int64_t wished_before(const struct adl_inbox *in,
                             const struct adl_wish *w, int64_t eof)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    int64_t cut = adl_window_place(in->s->window, in->s->agg, w->window, eof);
    struct adl_pattern_iter it;
    struct adl_err err;
    int64_t off, len, sum = 0;

    if (cut == INT64_MAX)
        return w->part.bytes;
    adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err);
    while (adl_pattern_next(&it, &off, &len) == 1 && off < cut)
        sum += off + len < cut ? len : cut - off;
    return sum;
}

static void send_reply(struct adl_inbox *in, int i, const struct adl_wish *w,
                       const char *from, int64_t bytes)
{
    in->slot[i].window = w->window;
    adl_inbox_occupy(in, i, ADL_SLOT_REPLY);
    PMPI_Isend(from, (int)bytes, MPI_BYTE, w->source, (int)w->part.tag,
               *in->peers.comm, &in->req[i]);
    in->traffic.large++;
    in->traffic.bytes += bytes;
}

/* Memory of a slot for the bytes of the answer; NULL: more than was agreed.
 * Behind a message that stays there is as much as its sender has. */
static char *reply_room(struct adl_inbox *in, int i, const struct adl_wish *w)
{
    size_t used = w->slot >= 0 ? in->slot[i].size : 0;

    if (w->part.bytes <= (int64_t)(in->room - used))
        return in->slot[i].mem + used;
    adl_inbox_fail(in, -EPROTO);
    return NULL;
}

/* From a window in memory, entered. A single run is sent from where it is; the
 * window stays until it is gone. */
static void reply(struct adl_inbox *in, int i, const struct adl_wish *w)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    int64_t eof = __atomic_load_n(&in->s->sink->gate->eof, __ATOMIC_SEQ_CST);
    int64_t bytes = wished_before(in, w, eof), len;
    const char *window = adl_inbox_buffer_of(in, w->window);
    int64_t at = adl_pack_single(&runs, &len);
    struct adl_slot *s = &in->slot[i];
    char *to;

    if (at >= 0 && len == w->part.bytes) {
        s->inside = 1;
        s->moved = w->part.bytes;
        send_reply(in, i, w, window + at, bytes);
        return;
    }
    to = reply_room(in, i, w);
    if (to)
        adl_inbox_fail(in, adl_pack_gather(&runs, window, to, w->part.bytes));
    in->traffic.copied_owner += w->part.bytes;
    adl_inbox_leave(in, w->window, w->part.bytes);
    send_reply(in, i, w, to, to ? bytes : 0);
}

/* The bytes are in their slot. An exact call's window stays until all its bytes
 * have been taken. */
static void reply_ahead(struct adl_inbox *in, const struct adl_wish *w)
{
    int64_t eof = __atomic_load_n(&in->s->sink->gate->eof, __ATOMIC_SEQ_CST);

    if (adl_inbox_enter(in, w->window))
        adl_inbox_leave(in, w->window, w->part.bytes);
    send_reply(in, w->ahead, w, in->slot[w->ahead].mem,
               wished_before(in, w, eof));
}

/* The window was given up before: straight from the file. */
static void reply_late(struct adl_inbox *in, int i, const struct adl_wish *w)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    char *to = reply_room(in, i, w);
    int64_t done = 0;

    if (to)
        adl_inbox_fail(in,
                       adl_service_through(in->s, w->window, &runs, to, &done));
    send_reply(in, i, w, to, done);
}

/* Are the runs among what was read? Of a window that is read in parts, wishes
 * that came after that are not. */
static int is_wish_read(const struct adl_inbox *in, const struct adl_wish *w)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, &w->part, w->pattern);
    struct adl_pattern_iter it;
    struct adl_cover cover;
    struct adl_err err;
    int64_t off, len;

    if (in->s->terms->whole)
        return 1;
    adl_inbox_cover_of(in, w->window, &cover);
    if (adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err) < 0)
        return 1;
    while (adl_pattern_next(&it, &off, &len) == 1)
        if (!adl_cover_full(&cover, off, len))
            return 0;
    return 1;
}

/* 1: answered. */
static int try_wish(struct adl_inbox *in, const struct adl_wish *w)
{
    int64_t ready = adl_gate_is_ready(in->s->sink->gate, in->s->terms->call,
                                      adl_inbox_first_window(in));
    int i = w->slot >= 0 ? w->slot : adl_inbox_idle_slot(in);

    if (w->ahead >= 0) {
        if (w->window < ready)
            reply_ahead(in, w);
        return w->window < ready;
    }
    if (i < 0 || adl_inbox_is_early(in, w->window))
        return 0;
    if (!adl_inbox_enter(in, w->window)) {
        reply_late(in, i, w);
        return 1;
    }
    if (w->window < ready && is_wish_read(in, w)) {
        reply(in, i, w);
        return 1;
    }
    adl_inbox_leave(in, w->window, 0);
    if (w->window >= ready)
        return 0;
    reply_late(in, i, w);
    return 1;
}

/* Readers have a few wishes under way at most, and may be unable to say all
 * they want of a window: after a while it is read with what is known. */
void adl_inbox_hurry(struct adl_inbox *in)
{
    if (in->ticks != in->hurry_ticks)
        in->looks = 0;
    in->hurry_ticks = in->ticks;
    if (!in->s->terms->whole && in->looks++ >= PATIENCE)
        adl_gate_hurry(in->s->sink->gate, in->first->window + 1);
}

void adl_inbox_answer(struct adl_inbox *in)
{
    struct adl_wish **at = &in->first;

    while (*at) {
        struct adl_wish *w = *at;

        if (!try_wish(in, w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (w->slot < 0) {
            w->next = in->unused;
            in->unused = w;
        }
    }
    in->last = at;
}
