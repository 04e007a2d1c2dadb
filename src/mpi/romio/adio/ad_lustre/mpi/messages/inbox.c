/* inbox.c - an aggregator takes what other nodes send */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../sys/clock.h"
#include "../fatal.h"
#include "../progress/progress.h"
#include "inbox_private.h"

#define STUCK_NS 1000000
#define TRIES 256 /* tags that are tried in one look */

int adl_inbox_create(const struct adl_peers *peers, int64_t room,
                     struct adl_inbox **out)
{
    struct adl_inbox *in = calloc(1, sizeof(*in));

    if (!in)
        return -ENOMEM;
    in->peers = *peers;
    in->room = ADL_DIRECT_WORDS + ADL_DIRECT_BYTES;
    if ((size_t)room > in->room)
        in->room = (size_t)room;
    in->last = &in->first;
    for (int i = 0; i < ADL_SLOTS; i++)
        in->req[i] = MPI_REQUEST_NULL;
    in->slot[0].mem = malloc(in->room); /* one must be there in any case */
    if (!in->slot[0].mem) {
        free(in);
        return -ENOMEM;
    }
    *out = in;
    return 0;
}

static void free_early(struct adl_early *e)
{
    while (e) {
        struct adl_early *next = e->next;

        free(e);
        e = next;
    }
}

void adl_inbox_destroy(struct adl_inbox *in)
{
    if (!in)
        return;
    free_early(in->early);
    adl_inbox_free_wishes(in->first);
    adl_inbox_free_wishes(in->unused);
    for (int i = 0; i < ADL_SLOTS; i++)
        free(in->slot[i].mem);
    free(in);
}

void adl_inbox_begin(struct adl_inbox *in, struct adl_service *service)
{
    in->s = service;
    in->rc = 0;
    in->looks = 0;
}

int adl_inbox_error(const struct adl_inbox *in)
{
    return in->rc;
}

void adl_inbox_fail(struct adl_inbox *in, int rc)
{
    if (rc < 0 && in->rc == 0)
        in->rc = rc;
}

/* A slot with memory; -1: none. */
int adl_inbox_idle_slot(struct adl_inbox *in)
{
    for (int i = 0; in->busy < ADL_SLOTS && i < ADL_SLOTS; i++) {
        struct adl_slot *s = &in->slot[i];

        if (s->state != ADL_SLOT_IDLE)
            continue;
        if (!s->mem)
            s->mem = malloc(in->room);
        if (s->mem)
            return i;
    }
    return -1;
}

void adl_inbox_occupy(struct adl_inbox *in, int i, enum adl_slot_state state)
{
    if (in->slot[i].state == ADL_SLOT_IDLE)
        in->busy++;
    in->slot[i].state = state;
}

/* ---- windows ---- */

int64_t adl_inbox_first_window(const struct adl_inbox *in)
{
    return adl_window_first_at(in->s->window, in->s->agg, in->s->terms->start);
}

int64_t adl_inbox_freed(const struct adl_inbox *in)
{
    return adl_gate_freed(in->s->sink->gate, in->s->terms->call,
                          adl_inbox_first_window(in));
}

static int slot_of_window(const struct adl_inbox *in, int64_t window)
{
    return adl_window_slot(in->s->window, window);
}

/* Is the window one of those that have a buffer now? Then it stays until
 * `leave`. */
int adl_inbox_enter(const struct adl_inbox *in, int64_t window)
{
    int64_t base = adl_inbox_freed(in);

    return window >= base && window - base < in->s->seg->depth &&
           adl_gate_enter(in->s->sink->gate, in->s->terms->call,
                          slot_of_window(in, window), window);
}

void adl_inbox_leave(const struct adl_inbox *in, int64_t window, int64_t bytes)
{
    adl_gate_leave(in->s->sink->gate, slot_of_window(in, window), bytes);
}

static void let_go(struct adl_inbox *in, struct adl_slot *s)
{
    if (s->inside)
        adl_inbox_leave(in, s->window, s->moved);
    s->inside = 0;
    s->moved = 0;
}

static void release_slot(struct adl_inbox *in, int i)
{
    let_go(in, &in->slot[i]);
    in->slot[i].state = ADL_SLOT_IDLE;
    in->busy--;
}

/* Writing: keep the window for the slot, if it has a buffer. */
static void hold(struct adl_inbox *in, struct adl_slot *s, int64_t window)
{
    if (s->window != window)
        let_go(in, s);
    s->window = window;
    if (!s->inside)
        s->inside = in->s->terms->write && adl_inbox_enter(in, window);
}

/* Must what belongs to the window wait until that has a buffer? The windows of
 * an exact call are moved in order, all of them through memory: they count what
 * comes and are moved without looking what that is. */
int adl_inbox_is_early(const struct adl_inbox *in, int64_t window)
{
    return in->s->terms->exact &&
           window - adl_inbox_freed(in) >= in->s->seg->depth;
}

/* Keep the message of window `window` in its slot. What is early may wait for
 * what other messages bring: those need a slot, too. */
void adl_inbox_stay(struct adl_inbox *in, int i, enum adl_slot_state state,
                    int64_t window)
{
    if (adl_inbox_is_early(in, window) && adl_inbox_idle_slot(in) < 0)
        adl_fatal_message(-ENOMEM);
    let_go(in, &in->slot[i]);
    in->slot[i].window = window;
    adl_inbox_occupy(in, i, state);
}

char *adl_inbox_buffer_of(const struct adl_inbox *in, int64_t window)
{
    return adl_sink_buf(in->s->seg, in->s->sink, slot_of_window(in, window));
}

void adl_inbox_cover_of(const struct adl_inbox *in, int64_t window,
                        struct adl_cover *cover)
{
    adl_sink_cover(in->s->seg, in->s->sink, slot_of_window(in, window),
                   in->s->terms->shift, cover);
}

struct adl_runs_of adl_inbox_runs_of(const struct adl_inbox *in,
                                     const struct adl_part *part,
                                     const char *pattern)
{
    return (struct adl_runs_of){pattern, part->pattern,
                                adl_window_size(in->s->window)};
}

/* ---- writing ---- */

/* Bytes of a part are here: into the window, or where that is gone, straight
 * into the file. */
static void store_part(struct adl_inbox *in, struct adl_slot *s,
                       const struct adl_part *part, const char *pattern,
                       const char *bytes)
{
    struct adl_runs_of runs = adl_inbox_runs_of(in, part, pattern);
    struct adl_cover cover;
    int64_t done;
    int rc;

    if (!s->inside) {
        adl_inbox_fail(in, adl_service_through(in->s, s->window, &runs,
                                               (char *)bytes, &done));
        return;
    }
    adl_inbox_cover_of(in, s->window, &cover);
    rc = adl_pack_scatter(&runs, bytes, part->bytes,
                          adl_inbox_buffer_of(in, s->window),
                          in->s->terms->exact ? NULL : &cover);
    adl_inbox_fail(in, rc);
    in->traffic.copied_owner += part->bytes;
    s->moved += part->bytes;
}

/* The bytes of a single run need not be copied once more. */
static void expect_bytes(struct adl_inbox *in, int i)
{
    struct adl_slot *s = &in->slot[i];
    struct adl_runs_of runs = adl_inbox_runs_of(in, &s->part, s->pattern);
    int64_t len, at = adl_pack_single(&runs, &len);

    if (at >= 0 && len == s->part.bytes && s->inside) {
        s->to = adl_inbox_buffer_of(in, s->window) + at;
    } else if (s->part.bytes <= ADL_DIRECT_BYTES) {
        s->to = s->mem + ADL_DIRECT_WORDS;
    } else {
        adl_inbox_fail(in, -EPROTO);
        release_slot(in, i);
        return;
    }
    adl_inbox_occupy(in, i, ADL_SLOT_BYTES);
    PMPI_Irecv(s->to, (int)s->part.bytes, MPI_BYTE, s->source, (int)s->part.tag,
               *in->peers.comm, &in->req[i]);
}

static void bytes_came(struct adl_inbox *in, int i)
{
    struct adl_slot *s = &in->slot[i];
    struct adl_runs_of runs = adl_inbox_runs_of(in, &s->part, s->pattern);
    struct adl_cover cover;
    int64_t bytes;

    if (s->to == s->mem + ADL_DIRECT_WORDS) {
        store_part(in, s, &s->part, s->pattern, s->to);
    } else {
        adl_inbox_cover_of(in, s->window, &cover);
        if (!in->s->terms->exact)
            adl_inbox_fail(in, adl_pack_mark(&runs, &cover, &bytes));
        s->moved += s->part.bytes;
    }
    release_slot(in, i);
}

/* ---- messages ---- */

/* One part; 1: the slot is still needed for it. */
static int take_part(struct adl_inbox *in, int i, const struct adl_part *part,
                     const char *pattern, const char *bytes)
{
    struct adl_slot *s = &in->slot[i];

    if (part->kind == ADL_PART_WISH)
        return adl_inbox_keep_wish(in, i, part, pattern);
    if (part->kind == ADL_PART_DATA) {
        store_part(in, s, part, pattern, bytes);
        return 0;
    }
    s->part = *part;
    s->pattern = pattern;
    expect_bytes(in, i);
    return 1;
}

/* Tags are few, so that a message for another window may come for one at hand:
 * it waits for its own. */
static void keep_early(struct adl_inbox *in, int i, int64_t window)
{
    const struct adl_slot *s = &in->slot[i];
    struct adl_early *e = malloc(sizeof(*e) + s->size);

    if (!e) {
        adl_inbox_stay(in, i, ADL_SLOT_EARLY, window);
        return;
    }
    *e = (struct adl_early){in->early, s->source, window, s->size};
    memcpy(e->bytes, s->mem, s->size);
    in->early = e;
    release_slot(in, i);
}

static void words_came(struct adl_inbox *in, int i)
{
    struct adl_slot *s = &in->slot[i];
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_part part;
    const char *pattern, *bytes;
    int more = 0, rc = adl_message_open(&it, s->mem, s->size, &head);

    if (rc == 0 && head.call != in->s->terms->call)
        rc = -EPROTO;
    if (rc == 0 && in->s->terms->write && adl_inbox_is_early(in, head.window)) {
        keep_early(in, i, head.window);
        return;
    }
    if (rc == 0)
        hold(in, s, head.window);
    while (rc == 0 && (more = adl_message_next(&it, &part, &pattern, &bytes)))
        if (more < 0)
            rc = more;
        else if (take_part(in, i, &part, pattern, bytes))
            return;
    adl_inbox_fail(in, rc);
    release_slot(in, i);
}

/* Those whose windows have a buffer now. */
static void take_early(struct adl_inbox *in)
{
    struct adl_early **at = &in->early;

    for (int i = 0; i < ADL_SLOTS; i++)
        if (in->slot[i].state == ADL_SLOT_EARLY &&
            !adl_inbox_is_early(in, in->slot[i].window)) {
            in->ticks++;
            words_came(in, i);
        }
    while (*at) {
        struct adl_early *e = *at;
        int i = adl_inbox_idle_slot(in);

        if (i < 0)
            return;
        if (adl_inbox_is_early(in, e->window)) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        in->slot[i].source = e->source;
        in->slot[i].size = e->size;
        memcpy(in->slot[i].mem, e->bytes, e->size);
        free(e);
        adl_inbox_occupy(in, i, ADL_SLOT_WORDS);
        in->ticks++;
        words_came(in, i);
    }
}

static void see_arrivals(struct adl_inbox *in)
{
    MPI_Status status[ADL_SLOTS];
    int index[ADL_SLOTS];
    int n = adl_progress_test_some(ADL_SLOTS, in->req, index, status);

    for (int k = 0; k < n; k++) {
        int i = index[k];

        in->ticks++;
        if (in->slot[i].state == ADL_SLOT_WORDS)
            words_came(in, i);
        else if (in->slot[i].state == ADL_SLOT_BYTES)
            bytes_came(in, i);
        else
            release_slot(in, i);
    }
}

/* Take one message for a window. 1: there was one. Once it is matched its
 * sender counts as through with it, and the window would be written without
 * its bytes: so the window is held before. */
static int take_message(struct adl_inbox *in, int64_t window)
{
    int i = adl_inbox_idle_slot(in), found = 0, size;
    MPI_Message message;
    MPI_Status status;

    if (i < 0)
        return 0;
    hold(in, &in->slot[i], window);
    PMPI_Improbe(MPI_ANY_SOURCE, adl_tag_window(window), *in->peers.comm,
                 &found, &message, &status);
    if (!found) {
        let_go(in, &in->slot[i]);
        return 0;
    }
    PMPI_Get_count(&status, MPI_BYTE, &size);
    if ((size_t)size > in->room) { /* nobody sends such; get rid of it */
        adl_inbox_fail(in, -EPROTO);
        size = (int)in->room;
    }
    in->ticks++;
    in->slot[i].source = status.MPI_SOURCE;
    in->slot[i].size = (size_t)size;
    adl_inbox_occupy(in, i, ADL_SLOT_WORDS);
    PMPI_Imrecv(in->slot[i].mem, size, MPI_BYTE, &message, &in->req[i]);
    return 1;
}

/* The window of this aggregator that the lowest byte of all that is not settled
 * lies in, where it has no buffer any more: somebody is late. -1: none. */
static int64_t late_window(const struct adl_inbox *in, int64_t base)
{
    const struct adl_terms *t = in->s->terms;
    int64_t pos = adl_meeting_settled(in->s->seg, t->call, ADL_POS_END);
    struct adl_cell cell;

    if (pos >= t->end)
        return -1;
    adl_window_locate(in->s->window, pos, &cell);
    if (cell.owner != in->s->agg || cell.window >= base)
        return -1;
    return cell.window;
}

/* The tag of the message that came first, of those nobody has taken; -1: there
 * is none. */
static int first_tag(const struct adl_inbox *in)
{
    MPI_Status status;
    int found;

    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *in->peers.comm, &found, &status);
    return found ? status.MPI_TAG : -1;
}

/* Take whatever message about a window came first. Before it may be others that
 * nobody takes yet, of an agreement or of ROMIO's ordered calls: then all tags
 * are tried in turn. */
static int take_any(struct adl_inbox *in)
{
    int tag = first_tag(in), place = tag - ADL_TAG_WINDOW;

    if (tag < 0)
        return 0;
    if (place >= 0 && place < ADL_TAG_WINDOWS)
        return take_message(in, place);
    for (int i = 0; i < TRIES; i++)
        if (take_message(in, in->tried++ % ADL_TAG_WINDOWS))
            return 1;
    return 0;
}

/* Nothing for the windows at hand: everybody may be waiting for the next round
 * of the frontier, which with small windows is often. Then what is further
 * ahead goes straight to or from the file. In an exact call somebody is just
 * slow. */
static int is_stuck(struct adl_inbox *in, int64_t base, int came)
{
    int64_t now;

    if (in->s->terms->exact)
        return 0;
    now = adl_clock_ns();
    if (came || base != in->stuck_base)
        in->stuck_since = now;
    in->stuck_base = base;
    return now - in->stuck_since > STUCK_NS;
}

/* Those with a buffer; in an exact read also those that are read next. */
static int64_t windows_at_hand(const struct adl_inbox *in)
{
    const struct adl_terms *t = in->s->terms;
    int depth = in->s->seg->depth;

    return !t->write && t->exact && adl_inbox_far_ahead(in) < ADL_SLOTS / 2
               ? 2 * depth
               : depth;
}

static void take_messages(struct adl_inbox *in)
{
    int64_t base = adl_inbox_freed(in), late = late_window(in, base);
    int came = 0;

    if (first_tag(in) < 0) /* one question instead of one a window */
        return;
    if (late >= 0)
        while (take_message(in, late))
            ;
    if (base == ADL_WINDOW_NONE)
        return;
    for (int64_t w = base; w < base + windows_at_hand(in); w++)
        while (take_message(in, w))
            came = 1;
    if (is_stuck(in, base, came))
        while (take_any(in))
            ;
}

int adl_inbox_step(struct adl_inbox *in, int over)
{
    if (in->busy)
        see_arrivals(in);
    if (in->busy || in->early)
        take_early(in);
    if (!over && adl_progress_may_probe())
        take_messages(in);
    if (in->first)
        adl_inbox_answer(in);
    if (in->first)
        adl_inbox_hurry(in);
    return over && !in->busy && !in->first && !in->early;
}

void adl_inbox_count(struct adl_inbox *in, struct adl_traffic *sum)
{
    adl_traffic_take(&in->traffic, sum);
}

uint64_t adl_inbox_ticks(const struct adl_inbox *in)
{
    return in->ticks;
}
