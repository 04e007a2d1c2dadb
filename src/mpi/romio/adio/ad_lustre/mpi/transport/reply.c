/* reply.c - what readers elsewhere have asked for, and the answers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>

#include "../../core/text/err.h"
#include "../../sys/atomic.h"
#include "../progress/waiting.h"
#include "receive_private.h"

/* Mark what is wanted of a window that has not been read yet. */
void adl_reply_ask(struct adl_receive *in, struct adl_note *note)
{
    struct adl_runs_of runs = adl_receive_runs(in, &note->part, note->pattern);
    struct adl_windows *ws = in->s->sink->windows;
    int slot = adl_receive_slot(in, note);
    struct adl_cover cover;
    int64_t bytes;

    note->state = ADL_NOTE_ASKED;
    if (in->s->terms->whole ||
        !adl_windows_hold_open(ws, in->s->terms->call, slot, note->head.window))
        return;
    adl_receive_cover(in, note, &cover);
    adl_receive_fail(in, adl_pack_mark(&runs, &cover, &bytes));
    adl_windows_release(ws, slot, 0);
}

/* Bytes of the runs that lie before file offset `eof`. */
static int64_t asked_before(const struct adl_receive *in,
                            const struct adl_note *note, int64_t eof)
{
    struct adl_runs_of runs = adl_receive_runs(in, &note->part, note->pattern);
    int64_t cut =
        adl_window_place(in->s->window, in->s->agg, note->head.window, eof);
    struct adl_pattern_iter it;
    struct adl_err err;
    int64_t off, len, sum = 0;

    if (cut == INT64_MAX)
        return note->part.bytes;
    adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err);
    while (adl_pattern_next(&it, &off, &len) == 1 && off < cut)
        sum += off + len < cut ? len : cut - off;
    return sum;
}

static void send_reply(struct adl_receive *in, int i,
                       const struct adl_note *note, const char *from,
                       int64_t bytes)
{
    in->buffer[i].note = NULL;
    in->buffer[i].sending = 1;
    PMPI_Isend(from, (int)bytes, MPI_BYTE, note->source, (int)note->part.tag,
               *in->peers.comm, adl_inflight_add(&in->moving, i));
    in->traffic.large++;
    in->traffic.bytes += bytes;
}

/* Room for the bytes of the answer: behind a request that has come into the
 * same buffer. NULL: more than was agreed. */
static char *reply_room(struct adl_receive *in, int i,
                        const struct adl_note *note)
{
    size_t used = note->buffer >= 0 ? note->head.apart : 0;

    if (note->part.bytes <= (int64_t)(in->room - used))
        return in->buffer[i].mem + used;
    adl_receive_fail(in, -EPROTO);
    return NULL;
}

/* From a window in memory. A single run is sent from where it is; the window is
 * held until it is gone. */
static void reply_from_window(struct adl_receive *in, int i,
                              const struct adl_note *note)
{
    struct adl_runs_of runs = adl_receive_runs(in, &note->part, note->pattern);
    int64_t eof = adl_atomic_load(&in->s->sink->windows->eof);
    int64_t bytes = asked_before(in, note, eof), len;
    const char *window = adl_receive_window(in, note);
    int64_t at = adl_pack_single(&runs, &len);
    char *to;

    if (at >= 0 && len == note->part.bytes) {
        adl_receive_occupy(in, i, note, 1, note->part.bytes);
        send_reply(in, i, note, window + at, bytes);
        return;
    }
    to = reply_room(in, i, note);
    if (to)
        adl_receive_fail(in,
                         adl_pack_gather(&runs, window, to, note->part.bytes));
    in->traffic.copied_owner += note->part.bytes;
    adl_windows_moved(in->s->sink->windows, adl_receive_slot(in, note),
                      note->part.bytes);
    adl_receive_occupy(in, i, note, 0, 0);
    send_reply(in, i, note, to, to ? bytes : 0);
}

/* What was asked for after the window was read in parts: from the file. */
static void reply_late(struct adl_receive *in, int i,
                       const struct adl_note *note)
{
    struct adl_runs_of runs = adl_receive_runs(in, &note->part, note->pattern);
    char *to = reply_room(in, i, note);
    int64_t done = 0;

    if (to)
        adl_receive_fail(in, adl_service_read_late(in->s, note->head.window,
                                                   &runs, to, &done));
    adl_windows_moved(in->s->sink->windows, adl_receive_slot(in, note),
                      note->part.bytes);
    adl_receive_occupy(in, i, note, 0, 0);
    send_reply(in, i, note, to, done);
}

/* Are the runs among what was read? */
static int is_note_read(const struct adl_receive *in,
                        const struct adl_note *note)
{
    struct adl_runs_of runs = adl_receive_runs(in, &note->part, note->pattern);
    struct adl_pattern_iter it;
    struct adl_cover cover;
    struct adl_err err;
    int64_t off, len;

    if (in->s->terms->whole)
        return 1;
    adl_receive_cover(in, note, &cover);
    if (adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err) < 0)
        return 1;
    while (adl_pattern_next(&it, &off, &len) == 1)
        if (!adl_cover_full(&cover, off, len))
            return 0;
    return 1;
}

int adl_reply_try(struct adl_receive *in, const struct adl_note *note)
{
    int i;

    if (note->head.window >=
        adl_windows_ready(in->s->sink->windows, in->s->terms->call, INT64_MIN))
        return 0;
    i = note->buffer >= 0 ? note->buffer : adl_receive_buffer(in);
    if (i < 0)
        return 0;
    if (is_note_read(in, note))
        reply_from_window(in, i, note);
    else
        reply_late(in, i, note);
    return 1;
}

/* The lowest window that a request waits for; INT64_MAX: none. */
static int64_t lowest_asked(const struct adl_receive *in)
{
    int64_t low = INT64_MAX;

    for (const struct adl_note *n = in->first; n; n = n->next)
        if (n->state == ADL_NOTE_ASKED && n->head.window < low)
            low = n->head.window;
    return low;
}

void adl_reply_hurry(struct adl_receive *in)
{
    uint64_t ticks = adl_receive_ticks(in);
    int64_t low;

    if (ticks != in->hurry_ticks)
        in->looks = 0;
    in->hurry_ticks = ticks;
    if (in->s->terms->write || in->s->terms->whole ||
        in->looks++ < ADL_WAIT_ASKED)
        return;
    low = lowest_asked(in);
    if (low != INT64_MAX)
        adl_windows_hurry(in->s->sink->windows, low + 1);
}
