/* reply.c - an aggregator marks what readers on other nodes request, and
 * answers them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>

#include "../../sys/atomic.h"
#include "../progress/waiting.h"
#include "receive_private.h"

/* Mark what is wanted of a window that has not been read yet. */
void adl_reply_ask(struct adl_receive *in, struct adl_note *note)
{
    const struct adl_sink *sink = in->s->sink;
    struct adl_cover cover;
    int64_t bytes;

    note->state = ADL_NOTE_ASKED;
    if (sink->terms->whole || !adl_windows_hold_open(sink, note->head.window))
        return;
    adl_windows_cover(sink, note->head.window, &cover);
    adl_wire_fail(in->wire, adl_pack_mark(&note->runs, &cover, &bytes));
    adl_windows_release(sink, note->head.window, 0);
}

/* Bytes of the runs that lie before file offset `eof`. */
static int64_t asked_before(const struct adl_receive *in,
                            const struct adl_note *note, int64_t eof)
{
    int64_t cut = adl_window_place(in->s->sink->schedule, in->s->sink->agg,
                                   note->head.window, eof);

    return cut == INT64_MAX ? note->part.bytes
                            : adl_pack_before(&note->runs, cut);
}

static void send_reply(struct adl_receive *in, int i,
                       const struct adl_note *note, const char *from,
                       int64_t bytes)
{
    in->buffer[i].note = NULL;
    in->buffer[i].sending = 1;
    adl_inflight_send(&in->moving, i, from, bytes, note->source,
                      (int)note->part.tag, 0);
    in->wire->traffic.large++;
    in->wire->traffic.bytes += bytes;
}

/* Room for the bytes of the answer: behind a request that has come into the
 * same buffer. NULL: more than was agreed. */
static char *reply_room(struct adl_receive *in, int i,
                        const struct adl_note *note)
{
    size_t used = note->buffer >= 0 ? note->head.apart : 0;

    if (note->part.bytes <= (int64_t)(in->room - used))
        return in->buffer[i].mem + used;
    adl_wire_fail(in->wire, -EPROTO);
    return NULL;
}

/* Are the runs among what was read? */
static int is_note_read(const struct adl_receive *in,
                        const struct adl_note *note)
{
    struct adl_cover cover;

    adl_windows_cover(in->s->sink, note->head.window, &cover);
    return in->s->sink->terms->whole || adl_pack_covered(&note->runs, &cover);
}

/* From the window in memory, or, where it was read without these runs, from the
 * file. A single run is sent from where it is; the window is held until it is
 * gone. */
static void reply(struct adl_receive *in, int i, const struct adl_note *note)
{
    int64_t eof = adl_atomic_load(&in->s->sink->windows->eof), len;
    const char *window = adl_windows_buf(in->s->sink, note->head.window);
    int64_t at = adl_pack_single(&note->runs, &len);
    int late = !is_note_read(in, note), rc = 0;
    char *to;

    if (late)
        rc = adl_service_read_late(in->s, note->head.window, &note->runs,
                                   &window, &eof);
    else if (at >= 0 && len == note->part.bytes) {
        adl_receive_occupy(in, i, note, 1, len);
        send_reply(in, i, note, window + at, asked_before(in, note, eof));
        return;
    }
    to = reply_room(in, i, note);
    if (to && rc == 0)
        rc = adl_pack_gather(&note->runs, window, to, note->part.bytes);
    adl_wire_fail(in->wire, rc);
    in->wire->traffic.copied_owner += note->part.bytes;
    adl_windows_moved(in->s->sink, note->head.window, note->part.bytes);
    adl_receive_occupy(in, i, note, 0, 0);
    send_reply(in, i, note, to,
               to && rc == 0 ? asked_before(in, note, eof) : 0);
}

int adl_reply_try(struct adl_receive *in, const struct adl_note *note)
{
    int i;

    if (note->head.window >= adl_windows_ready(in->s->sink))
        return 0;
    i = note->buffer >= 0 ? note->buffer : adl_receive_buffer(in);
    if (i < 0)
        return 0;
    reply(in, i, note);
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
    int64_t low;

    if (in->ticks != in->wire->ticks)
        in->looks = 0;
    in->ticks = in->wire->ticks;
    if (in->s->sink->terms->write || in->s->sink->terms->whole ||
        in->looks++ < ADL_WAIT_ASKED)
        return;
    low = lowest_asked(in);
    if (low != INT64_MAX)
        adl_windows_hurry(in->s->sink, low + 1);
}
