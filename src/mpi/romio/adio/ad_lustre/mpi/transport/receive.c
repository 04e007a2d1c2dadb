/* receive.c - an aggregator receives from other nodes, and answers readers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "receive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../file/failure.h"
#include "receive_private.h"

int adl_receive_create(struct adl_wire *wire, int64_t room,
                       struct adl_receive **out)
{
    struct adl_receive *in = calloc(1, sizeof(*in));

    if (!in)
        return -ENOMEM;
    in->wire = in->posted.wire = in->moving.wire = wire;
    in->room = room > ADL_DIRECT_BYTES ? (size_t)room : ADL_DIRECT_BYTES;
    in->last = &in->first;
    in->buffer[0].mem = malloc(in->room); /* one must be there in any case */
    if (!in->buffer[0].mem) {
        free(in);
        return -ENOMEM;
    }
    *out = in;
    return 0;
}

void adl_receive_destroy(struct adl_receive *in)
{
    if (!in)
        return;
    adl_receive_close(in);
    for (struct adl_note *n = in->first, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    for (int i = 0; i < ADL_BUFFERS; i++)
        free(in->buffer[i].mem);
    free(in);
}

static void post_receive(struct adl_receive *in, int i)
{
    adl_inflight_receive(&in->posted, i, in->header[i], ADL_HEADER_ROOM,
                         MPI_ANY_SOURCE, ADL_TAG_HEADER);
}

void adl_receive_open(struct adl_receive *in)
{
    for (int i = 0; i < ADL_HEADERS; i++)
        post_receive(in, i);
}

void adl_receive_close(struct adl_receive *in)
{
    if (in)
        adl_inflight_cancel(&in->posted);
}

void adl_receive_begin(struct adl_receive *in, struct adl_service *service)
{
    in->s = service;
    in->looks = 0;
    in->freed = in->ready = -1; /* of no window */
}

/* ---- buffers ---- */

int adl_receive_buffer(struct adl_receive *in)
{
    for (int i = 0; in->busy < ADL_BUFFERS && i < ADL_BUFFERS; i++) {
        struct adl_buffer *b = &in->buffer[i];

        if (b->note || b->sending)
            continue;
        if (!b->mem)
            b->mem = malloc(in->room);
        if (b->mem)
            return i;
    }
    return -1;
}

void adl_receive_occupy(struct adl_receive *in, int i,
                        const struct adl_note *note, int held, int64_t moved)
{
    struct adl_buffer *b = &in->buffer[i];

    if (!b->note && !b->sending)
        in->busy++;
    b->held = held;
    b->window = note->head.window;
    b->moved = moved;
    if (held)
        adl_windows_hold(in->s->sink, b->window);
}

/* The message has come or gone: it needs neither buffer nor window any more. */
static void make_idle(struct adl_receive *in, struct adl_buffer *b)
{
    if (b->held)
        adl_windows_release(in->s->sink, b->window, b->moved);
    b->note = NULL;
    b->sending = 0;
    in->busy--;
}

/* The runs of a part: in the part of the window that has memory. */
static struct adl_runs_of runs_of(const struct adl_receive *in,
                                  const struct adl_part *part,
                                  const void *pattern)
{
    const struct adl_sink *sink = in->s->sink;

    return (struct adl_runs_of){pattern, part->pattern,
                                adl_window_size(sink->schedule), sink->lead};
}

/* ---- headers ---- */

/* Refuse a header of another call, or one whose numbers are impossible. */
static int check_header(struct adl_receive *in, const struct adl_note *note)
{
    if (note->head.call != in->s->sink->terms->call || note->head.window < 0 ||
        note->head.apart > in->room)
        return -EPROTO;
    return 0;
}

static void keep_header(struct adl_receive *in, int i, int source, size_t size)
{
    struct adl_note *note = malloc(sizeof(*note) + size);
    struct adl_message_iter it;
    int rc;

    if (!note)
        adl_failure_cannot("a collective call", "keep a message", -ENOMEM);
    *note = (struct adl_note){.source = source, .buffer = -1};
    memcpy(note->bytes, in->header[i], size);
    rc = adl_message_open(&it, note->bytes, size, &note->head);
    if (rc == 0)
        rc = check_header(in, note);
    if (rc < 0) {
        adl_wire_fail(in->wire, rc);
        free(note);
        return;
    }
    note->parts = note->bytes + sizeof(note->head);
    note->size = size - sizeof(note->head);
    *in->last = note;
    in->last = &note->next;
}

/* Keep the headers that have arrived. 1: there were some. */
static int take_headers(struct adl_receive *in)
{
    struct adl_arrival came[ADL_INFLIGHT];
    int n, any = 0;

    while ((n = adl_inflight_poll(&in->posted, came)) > 0) {
        for (int i = 0; i < n; i++) {
            keep_header(in, came[i].id, came[i].status.MPI_SOURCE,
                        (size_t)adl_inflight_bytes(&came[i]));
            post_receive(in, came[i].id);
        }
        any = 1;
    }
    return any;
}

/* ---- writing ---- */

/* Copy the received bytes of a part into the window. */
static void store_part(struct adl_receive *in, const struct adl_note *note,
                       const struct adl_runs_of *runs, const char *bytes,
                       int64_t size)
{
    const struct adl_sink *sink = in->s->sink;
    struct adl_cover cover;

    adl_windows_cover(sink, note->head.window, &cover);
    adl_wire_fail(in->wire,
                  adl_pack_scatter(runs, bytes, size,
                                   adl_windows_buf(sink, note->head.window),
                                   sink->terms->exact ? NULL : &cover));
    in->wire->traffic.copied_owner += size;
}

/* The same for several parts. Returns the number of their bytes. */
static int64_t store_parts(struct adl_receive *in, const struct adl_note *note)
{
    struct adl_message_iter it;
    struct adl_part part;
    struct adl_runs_of runs;
    const char *pattern, *bytes;
    int64_t sum = 0;
    int more;

    adl_message_parts(&it, note->parts, note->size);
    while ((more = adl_message_next(&it, &part, &pattern, &bytes)) == 1) {
        if (part.kind != ADL_PART_DATA)
            break;
        runs = runs_of(in, &part, pattern);
        store_part(in, note, &runs, bytes, part.bytes);
        sum += part.bytes;
    }
    if (more != 0)
        adl_wire_fail(in->wire, -EPROTO);
    return sum;
}

/* All bytes of a message have come, into its buffer or straight into the
 * window. */
static void finish_write(struct adl_receive *in, const struct adl_note *note)
{
    struct adl_buffer *b = &in->buffer[note->buffer];
    struct adl_cover cover;
    int64_t bytes;

    if (note->head.apart) {
        b->moved = store_parts(in, note);
    } else if (b->to == b->mem) {
        store_part(in, note, &note->runs, b->to, note->part.bytes);
    } else if (!in->s->sink->terms->exact) {
        adl_windows_cover(in->s->sink, note->head.window, &cover);
        adl_wire_fail(in->wire, adl_pack_mark(&note->runs, &cover, &bytes));
    }
    make_idle(in, b);
}

/* ---- bytes and parts that come apart ---- */

/* Bytes of a single run come straight into the window. */
static char *place_of_bytes(const struct adl_receive *in,
                            const struct adl_note *note, char *mem)
{
    int64_t len, at = adl_pack_single(&note->runs, &len);

    return at >= 0 && len == note->part.bytes
               ? adl_windows_buf(in->s->sink, note->head.window) + at
               : mem;
}

/* Receive what the header announces; the window is admitted. A write holds it
 * before the receive is posted: after that its sender may say that it is
 * through with the bytes. */
static void receive_rest(struct adl_receive *in, struct adl_note *note, int i)
{
    struct adl_buffer *b = &in->buffer[i];
    int write = in->s->sink->terms->write;
    int apart = note->head.apart > 0;
    int64_t bytes = apart ? note->head.apart : note->part.bytes;

    adl_receive_occupy(in, i, note, write, apart ? 0 : bytes);
    b->note = note;
    b->to = apart ? b->mem : place_of_bytes(in, note, b->mem);
    note->buffer = i;
    note->state = ADL_NOTE_COMING;
    adl_inflight_receive(&in->moving, i, b->to, bytes, note->source,
                         (int)(apart ? note->head.tag : note->part.tag));
}

/* ---- notes ---- */

/* The first part of those that are here. 0 or -EPROTO. */
static int open_part(struct adl_receive *in, struct adl_note *note)
{
    struct adl_message_iter it;
    const char *pattern, *bytes;

    adl_message_parts(&it, note->parts, note->size);
    if (adl_message_next(&it, &note->part, &pattern, &bytes) != 1)
        return -EPROTO;
    note->runs = runs_of(in, &note->part, pattern);
    if ((note->part.kind == ADL_PART_READ) != !in->s->sink->terms->write ||
        (note->part.kind != ADL_PART_DATA &&
         note->part.bytes > (int64_t)in->room))
        return -EPROTO;
    return 0;
}

/* The note's window is admitted. 1: the note is done. */
static int begin_note(struct adl_receive *in, struct adl_note *note)
{
    int i, rc = note->head.apart ? 0 : open_part(in, note);

    if (rc < 0) {
        adl_wire_fail(in->wire, rc);
        return 1;
    }
    if (!note->head.apart && note->part.kind == ADL_PART_READ) {
        adl_reply_ask(in, note);
        return adl_reply_try(in, note);
    }
    if (!note->head.apart && note->part.kind == ADL_PART_DATA) {
        adl_windows_moved(in->s->sink, note->head.window,
                          store_parts(in, note));
        return 1;
    }
    i = adl_receive_buffer(in);
    if (i >= 0)
        receive_rest(in, note, i);
    return 0;
}

/* The bytes that the note announced have come. 1: the note is done. */
static int go_on(struct adl_receive *in, struct adl_note *note)
{
    int rc;

    if (note->head.apart) {
        note->parts = in->buffer[note->buffer].mem;
        note->size = note->head.apart;
    }
    if (in->s->sink->terms->write) {
        finish_write(in, note);
        return 1;
    }
    rc = open_part(in, note);
    if (rc < 0) {
        adl_wire_fail(in->wire, rc);
        make_idle(in, &in->buffer[note->buffer]);
        return 1;
    }
    adl_reply_ask(in, note);
    return adl_reply_try(in, note);
}

/* Advance a note as far as possible without waiting. 1: the note is done. */
static int step_note(struct adl_receive *in, struct adl_note *note)
{
    enum adl_admit when;

    switch (note->state) {
    case ADL_NOTE_KEPT:
        when = adl_windows_admit(in->s->sink, note->head.window);
        if (when == ADL_PAST)
            adl_wire_fail(in->wire, -EPROTO);
        return when == ADL_NOW ? begin_note(in, note) : when == ADL_PAST;
    case ADL_NOTE_CAME:
        return go_on(in, note);
    case ADL_NOTE_ASKED:
        return adl_reply_try(in, note);
    default:
        return 0;
    }
}

static void scan_notes(struct adl_receive *in)
{
    struct adl_note **at = &in->first;

    while (*at) {
        struct adl_note *note = *at;

        if (!step_note(in, note)) {
            at = &note->next;
            continue;
        }
        *at = note->next;
        free(note);
    }
    in->last = at;
}

/* A note may free a buffer that an earlier note of the list waits for: then
 * scan the list again. */
static void step_notes(struct adl_receive *in)
{
    int busy;

    do {
        busy = in->busy;
        scan_notes(in);
    } while (in->first && in->busy < busy);
}

/* Find the messages that are complete. 1: there were some. */
static int see_moved(struct adl_receive *in)
{
    struct adl_arrival done[ADL_INFLIGHT];
    int n = adl_inflight_poll(&in->moving, done);

    for (int i = 0; i < n; i++) {
        struct adl_buffer *b = &in->buffer[done[i].id];

        if (b->sending)
            make_idle(in, b);
        else
            b->note->state = ADL_NOTE_CAME;
    }
    return n > 0;
}

/* Have windows become free, or ready? */
static int windows_changed(struct adl_receive *in)
{
    int64_t freed = adl_windows_freed(in->s->sink);
    int64_t ready = adl_windows_ready(in->s->sink);
    int changed = freed != in->freed || ready != in->ready;

    in->freed = freed;
    in->ready = ready;
    return changed;
}

int adl_receive_step(struct adl_receive *in, int over)
{
    int moved = see_moved(in) | windows_changed(in);

    if (!over)
        moved |= take_headers(in);
    if (in->first && moved)
        step_notes(in);
    if (in->first)
        adl_reply_hurry(in);
    return over && !in->first && in->busy == 0;
}
