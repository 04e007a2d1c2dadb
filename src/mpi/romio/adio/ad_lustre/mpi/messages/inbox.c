/* inbox.c - an aggregator takes what other nodes send */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/err.h"
#include "../../core/message.h"
#include "../../sys/clock.h"
#include "../fatal.h"
#include "../progress/progress.h"
#include "direct.h"

#define SLOTS 32         /* messages under way at a time, in both directions */
#define SCATTER_MIN 4096 /* mean length of runs that are read one by one */
#define PATIENCE 16      /* looks in vain before a window is read in parts */
#define STUCK_NS 1000000
#define TRIES 256 /* tags that are tried in one look */

enum state {
    IDLE,
    WORDS, /* a message is coming */
    BYTES, /* the bytes of its large part are */
    REPLY, /* bytes are on their way back */
    AHEAD, /* ... will be, from here: the io thread is to read them into it */
    /* No memory to keep the message elsewhere: it stays until */
    WISH,  /* ... it is answered */
    EARLY, /* ... its window has a buffer */
};

/* Runs that a reader wants. */
struct wish {
    struct wish *next;
    int slot;  /* where it stays, -1: in memory of its own */
    int ahead; /* the slot that its bytes are read into, -1: none */
    int source;
    int64_t window;
    struct adl_part part;
    size_t room;
    char *pattern;
};

struct slot {
    enum state state;
    char *mem; /* allocated at first use */
    size_t size;
    int source;
    int64_t window;
    int inside;    /* ... which stays in memory until the slot is released */
    int64_t moved; /* bytes of it that this slot has moved by then */
    struct adl_part part;
    const char *pattern;
    char *to; /* BYTES: where they go */
    struct wish wish;
    struct adl_scatter scatter; /* AHEAD */
};

/* A message for a window that has no buffer yet. */
struct early {
    struct early *next;
    int source;
    int64_t window;
    size_t size;
    char bytes[];
};

struct adl_inbox {
    struct adl_peers peers;
    size_t room;
    struct adl_service *s;
    int rc;
    uint64_t ticks;
    int busy;
    struct slot slot[SLOTS];
    MPI_Request req[SLOTS];
    struct wish *first, **last; /* in the order in which they came */
    struct wish *unused;
    struct early *early;
    uint64_t hurry_ticks;            /* when something last came or went */
    int looks;                       /* since then */
    int64_t stuck_base, stuck_since; /* see is_stuck */
    unsigned tried;                  /* see take_any */
    struct adl_traffic traffic;
};

/* ---- */

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
    for (int i = 0; i < SLOTS; i++)
        in->req[i] = MPI_REQUEST_NULL;
    in->slot[0].mem = malloc(in->room); /* one must be there in any case */
    if (!in->slot[0].mem) {
        free(in);
        return -ENOMEM;
    }
    *out = in;
    return 0;
}

static void free_wishes(struct wish *w)
{
    while (w) {
        struct wish *next = w->next;

        if (w->slot < 0) {
            free(w->pattern);
            free(w);
        }
        w = next;
    }
}

static void free_early(struct early *e)
{
    while (e) {
        struct early *next = e->next;

        free(e);
        e = next;
    }
}

void adl_inbox_destroy(struct adl_inbox *in)
{
    if (!in)
        return;
    free_early(in->early);
    free_wishes(in->first);
    free_wishes(in->unused);
    for (int i = 0; i < SLOTS; i++)
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

static void fail(struct adl_inbox *in, int rc)
{
    if (rc < 0 && in->rc == 0)
        in->rc = rc;
}

/* A slot with memory; -1: none. */
static int idle_slot(struct adl_inbox *in)
{
    for (int i = 0; in->busy < SLOTS && i < SLOTS; i++) {
        struct slot *s = &in->slot[i];

        if (s->state != IDLE)
            continue;
        if (!s->mem)
            s->mem = malloc(in->room);
        if (s->mem)
            return i;
    }
    return -1;
}

static void occupy(struct adl_inbox *in, int i, enum state state)
{
    if (in->slot[i].state == IDLE)
        in->busy++;
    in->slot[i].state = state;
}

/* ---- windows ---- */

static int64_t own_first_window(const struct adl_inbox *in)
{
    return adl_window_first_at(in->s->window, in->s->agg, in->s->terms->start);
}

static int64_t freed(const struct adl_inbox *in)
{
    return adl_gate_freed(in->s->sink->gate, in->s->terms->call,
                          own_first_window(in));
}

static int slot_of_window(const struct adl_inbox *in, int64_t window)
{
    return adl_window_slot(in->s->window, window);
}

/* Is the window one of those that have a buffer now? Then it stays until
 * `leave`. */
static int enter(const struct adl_inbox *in, int64_t window)
{
    int64_t base = freed(in);

    return window >= base && window - base < in->s->seg->depth &&
           adl_gate_enter(in->s->sink->gate, in->s->terms->call,
                          slot_of_window(in, window), window);
}

/* May wishes still be marked in it? */
static int enter_wish(const struct adl_inbox *in, int64_t window)
{
    return window - freed(in) < in->s->seg->depth &&
           adl_gate_enter_wish(in->s->sink->gate, in->s->terms->call,
                               slot_of_window(in, window), window);
}

static void leave(const struct adl_inbox *in, int64_t window, int64_t bytes)
{
    adl_gate_leave(in->s->sink->gate, slot_of_window(in, window), bytes);
}

static void let_go(struct adl_inbox *in, struct slot *s)
{
    if (s->inside)
        leave(in, s->window, s->moved);
    s->inside = 0;
    s->moved = 0;
}

static void release_slot(struct adl_inbox *in, int i)
{
    let_go(in, &in->slot[i]);
    in->slot[i].state = IDLE;
    in->busy--;
}

/* Writing: keep the window for the slot, if it has a buffer. */
static void hold(struct adl_inbox *in, struct slot *s, int64_t window)
{
    if (s->window != window)
        let_go(in, s);
    s->window = window;
    if (!s->inside)
        s->inside = in->s->terms->write && enter(in, window);
}

/* Must what belongs to the window wait until that has a buffer? The windows of
 * an exact call are moved in order, all of them through memory: they count what
 * comes and are moved without looking what that is. */
static int is_early(const struct adl_inbox *in, int64_t window)
{
    return in->s->terms->exact && window - freed(in) >= in->s->seg->depth;
}

/* Keep the message of window `window` in its slot. What is early may wait for
 * what other messages bring: those need a slot, too. */
static void stay(struct adl_inbox *in, int i, enum state state, int64_t window)
{
    if (is_early(in, window) && idle_slot(in) < 0)
        adl_fatal_message(-ENOMEM);
    let_go(in, &in->slot[i]);
    in->slot[i].window = window;
    occupy(in, i, state);
}

static char *buffer_of(const struct adl_inbox *in, int64_t window)
{
    return adl_sink_buf(in->s->seg, in->s->sink, slot_of_window(in, window));
}

static void cover_of(const struct adl_inbox *in, int64_t window,
                     struct adl_cover *cover)
{
    adl_sink_cover(in->s->seg, in->s->sink, slot_of_window(in, window),
                   in->s->terms->shift, cover);
}

static struct adl_runs_of runs_of(const struct adl_inbox *in,
                                  const struct adl_part *part,
                                  const char *pattern)
{
    return (struct adl_runs_of){pattern, part->pattern,
                                adl_window_size(in->s->window)};
}

/* ---- writing ---- */

/* Bytes of a part are here: into the window, or where that is gone, straight
 * into the file. */
static void store_part(struct adl_inbox *in, struct slot *s,
                       const struct adl_part *part, const char *pattern,
                       const char *bytes)
{
    struct adl_runs_of runs = runs_of(in, part, pattern);
    struct adl_cover cover;
    int64_t done;
    int rc;

    if (!s->inside) {
        fail(in, adl_service_through(in->s, s->window, &runs, (char *)bytes,
                                     &done));
        return;
    }
    cover_of(in, s->window, &cover);
    rc = adl_pack_scatter(&runs, bytes, part->bytes, buffer_of(in, s->window),
                          in->s->terms->exact ? NULL : &cover);
    fail(in, rc);
    in->traffic.copied_owner += part->bytes;
    s->moved += part->bytes;
}

/* The bytes of a single run need not be copied once more. */
static void expect_bytes(struct adl_inbox *in, int i)
{
    struct slot *s = &in->slot[i];
    struct adl_runs_of runs = runs_of(in, &s->part, s->pattern);
    int64_t len, at = adl_pack_single(&runs, &len);

    if (at >= 0 && len == s->part.bytes && s->inside) {
        s->to = buffer_of(in, s->window) + at;
    } else if (s->part.bytes <= ADL_DIRECT_BYTES) {
        s->to = s->mem + ADL_DIRECT_WORDS;
    } else {
        fail(in, -EPROTO);
        release_slot(in, i);
        return;
    }
    occupy(in, i, BYTES);
    PMPI_Irecv(s->to, (int)s->part.bytes, MPI_BYTE, s->source, (int)s->part.tag,
               *in->peers.comm, &in->req[i]);
}

static void bytes_came(struct adl_inbox *in, int i)
{
    struct slot *s = &in->slot[i];
    struct adl_runs_of runs = runs_of(in, &s->part, s->pattern);
    struct adl_cover cover;
    int64_t bytes;

    if (s->to == s->mem + ADL_DIRECT_WORDS) {
        store_part(in, s, &s->part, s->pattern, s->to);
    } else {
        cover_of(in, s->window, &cover);
        if (!in->s->terms->exact)
            fail(in, adl_pack_mark(&runs, &cover, &bytes));
        s->moved += s->part.bytes;
    }
    release_slot(in, i);
}

/* ---- reading ---- */

static struct wish *new_wish(struct adl_inbox *in, size_t pattern)
{
    struct wish *w = in->unused;

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
static void mark_wish(struct adl_inbox *in, const struct wish *w)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
    struct adl_cover cover;
    int64_t bytes;

    if (in->s->terms->whole || !enter_wish(in, w->window))
        return;
    cover_of(in, w->window, &cover);
    fail(in, adl_pack_mark(&runs, &cover, &bytes));
    leave(in, w->window, 0);
}

/* How many replies wait for windows that have no buffer yet? */
static int far_ahead(const struct adl_inbox *in)
{
    int64_t base = freed(in); /* which may be ADL_WINDOW_NONE */
    int n = 0;

    for (int i = 0; i < SLOTS; i++)
        n += in->slot[i].state == AHEAD &&
             in->slot[i].window - base >= in->s->seg->depth;
    return n;
}

/* Runs that are worth a place of their own in a system read. A single one is
 * sent from the window. */
static int has_long_runs(const struct adl_inbox *in, const struct wish *w)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
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
static void read_into_reply(struct adl_inbox *in, struct wish *w)
{
    const struct adl_terms *t = in->s->terms;
    struct slot *s;
    int i;

    if (!t->exact || in->s->fd_direct >= 0 || far_ahead(in) >= SLOTS / 2 ||
        w->part.bytes > (int64_t)in->room || !has_long_runs(in, w))
        return;
    i = idle_slot(in);
    if (i < 0)
        return;
    s = &in->slot[i];
    s->scatter = (struct adl_scatter){.window = w->window,
                                      .runs = runs_of(in, &w->part, w->pattern),
                                      .bytes = w->part.bytes,
                                      .to = s->mem};
    if (!adl_service_scatter(in->s, &s->scatter))
        return;
    s->window = w->window;
    occupy(in, i, AHEAD);
    w->ahead = i;
}

/* 1: in its slot. */
static int keep_wish(struct adl_inbox *in, int i, const struct adl_part *part,
                     const char *pattern)
{
    struct slot *s = &in->slot[i];
    struct wish *w = new_wish(in, part->pattern);
    int stays = !w;

    if (stays) {
        stay(in, i, WISH, s->window);
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
static int64_t wished_before(const struct adl_inbox *in, const struct wish *w,
                             int64_t eof)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
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

static void send_reply(struct adl_inbox *in, int i, const struct wish *w,
                       const char *from, int64_t bytes)
{
    in->slot[i].window = w->window;
    occupy(in, i, REPLY);
    PMPI_Isend(from, (int)bytes, MPI_BYTE, w->source, (int)w->part.tag,
               *in->peers.comm, &in->req[i]);
    in->traffic.large++;
    in->traffic.bytes += bytes;
}

/* Memory of a slot for the bytes of the answer; NULL: more than was agreed.
 * Behind a message that stays there is as much as its sender has. */
static char *reply_room(struct adl_inbox *in, int i, const struct wish *w)
{
    size_t used = w->slot >= 0 ? in->slot[i].size : 0;

    if (w->part.bytes <= (int64_t)(in->room - used))
        return in->slot[i].mem + used;
    fail(in, -EPROTO);
    return NULL;
}

/* From a window in memory, entered. A single run is sent from where it is; the
 * window stays until it is gone. */
static void reply(struct adl_inbox *in, int i, const struct wish *w)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
    int64_t eof = __atomic_load_n(&in->s->sink->gate->eof, __ATOMIC_SEQ_CST);
    int64_t bytes = wished_before(in, w, eof), len;
    const char *window = buffer_of(in, w->window);
    int64_t at = adl_pack_single(&runs, &len);
    struct slot *s = &in->slot[i];
    char *to;

    if (at >= 0 && len == w->part.bytes) {
        s->inside = 1;
        s->moved = w->part.bytes;
        send_reply(in, i, w, window + at, bytes);
        return;
    }
    to = reply_room(in, i, w);
    if (to)
        fail(in, adl_pack_gather(&runs, window, to, w->part.bytes));
    in->traffic.copied_owner += w->part.bytes;
    leave(in, w->window, w->part.bytes);
    send_reply(in, i, w, to, to ? bytes : 0);
}

/* The bytes are in their slot. An exact call's window stays until all its bytes
 * have been taken. */
static void reply_ahead(struct adl_inbox *in, const struct wish *w)
{
    int64_t eof = __atomic_load_n(&in->s->sink->gate->eof, __ATOMIC_SEQ_CST);

    if (enter(in, w->window))
        leave(in, w->window, w->part.bytes);
    send_reply(in, w->ahead, w, in->slot[w->ahead].mem,
               wished_before(in, w, eof));
}

/* The window was given up before: straight from the file. */
static void reply_late(struct adl_inbox *in, int i, const struct wish *w)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
    char *to = reply_room(in, i, w);
    int64_t done = 0;

    if (to)
        fail(in, adl_service_through(in->s, w->window, &runs, to, &done));
    send_reply(in, i, w, to, done);
}

/* Are the runs among what was read? Of a window that is read in parts, wishes
 * that came after that are not. */
static int is_wish_read(const struct adl_inbox *in, const struct wish *w)
{
    struct adl_runs_of runs = runs_of(in, &w->part, w->pattern);
    struct adl_pattern_iter it;
    struct adl_cover cover;
    struct adl_err err;
    int64_t off, len;

    if (in->s->terms->whole)
        return 1;
    cover_of(in, w->window, &cover);
    if (adl_pattern_open(&it, runs.pattern, runs.size, runs.window, &err) < 0)
        return 1;
    while (adl_pattern_next(&it, &off, &len) == 1)
        if (!adl_cover_full(&cover, off, len))
            return 0;
    return 1;
}

/* 1: answered. */
static int try_wish(struct adl_inbox *in, const struct wish *w)
{
    int64_t ready = adl_gate_is_ready(in->s->sink->gate, in->s->terms->call,
                                      own_first_window(in));
    int i = w->slot >= 0 ? w->slot : idle_slot(in);

    if (w->ahead >= 0) {
        if (w->window < ready)
            reply_ahead(in, w);
        return w->window < ready;
    }
    if (i < 0 || is_early(in, w->window))
        return 0;
    if (!enter(in, w->window)) {
        reply_late(in, i, w);
        return 1;
    }
    if (w->window < ready && is_wish_read(in, w)) {
        reply(in, i, w);
        return 1;
    }
    leave(in, w->window, 0);
    if (w->window >= ready)
        return 0;
    reply_late(in, i, w);
    return 1;
}

/* Readers have a few wishes under way at most, and may be unable to say all
 * they want of a window: after a while it is read with what is known. */
static void hurry(struct adl_inbox *in)
{
    if (in->ticks != in->hurry_ticks)
        in->looks = 0;
    in->hurry_ticks = in->ticks;
    if (!in->s->terms->whole && in->looks++ >= PATIENCE)
        adl_gate_hurry(in->s->sink->gate, in->first->window + 1);
}

static void answer_wishes(struct adl_inbox *in)
{
    struct wish **at = &in->first;

    while (*at) {
        struct wish *w = *at;

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

/* ---- messages ---- */

/* One part; 1: the slot is still needed for it. */
static int take_part(struct adl_inbox *in, int i, const struct adl_part *part,
                     const char *pattern, const char *bytes)
{
    struct slot *s = &in->slot[i];

    if (part->kind == ADL_PART_WISH)
        return keep_wish(in, i, part, pattern);
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
    const struct slot *s = &in->slot[i];
    struct early *e = malloc(sizeof(*e) + s->size);

    if (!e) {
        stay(in, i, EARLY, window);
        return;
    }
    *e = (struct early){in->early, s->source, window, s->size};
    memcpy(e->bytes, s->mem, s->size);
    in->early = e;
    release_slot(in, i);
}

static void words_came(struct adl_inbox *in, int i)
{
    struct slot *s = &in->slot[i];
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_part part;
    const char *pattern, *bytes;
    int more = 0, rc = adl_message_open(&it, s->mem, s->size, &head);

    if (rc == 0 && head.call != in->s->terms->call)
        rc = -EPROTO;
    if (rc == 0 && in->s->terms->write && is_early(in, head.window)) {
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
    fail(in, rc);
    release_slot(in, i);
}

/* Those whose windows have a buffer now. */
static void take_early(struct adl_inbox *in)
{
    struct early **at = &in->early;

    for (int i = 0; i < SLOTS; i++)
        if (in->slot[i].state == EARLY && !is_early(in, in->slot[i].window)) {
            in->ticks++;
            words_came(in, i);
        }
    while (*at) {
        struct early *e = *at;
        int i = idle_slot(in);

        if (i < 0)
            return;
        if (is_early(in, e->window)) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        in->slot[i].source = e->source;
        in->slot[i].size = e->size;
        memcpy(in->slot[i].mem, e->bytes, e->size);
        free(e);
        occupy(in, i, WORDS);
        in->ticks++;
        words_came(in, i);
    }
}

static void see_arrivals(struct adl_inbox *in)
{
    MPI_Status status[SLOTS];
    int index[SLOTS];
    int n = adl_progress_test_some(SLOTS, in->req, index, status);

    for (int k = 0; k < n; k++) {
        int i = index[k];

        in->ticks++;
        if (in->slot[i].state == WORDS)
            words_came(in, i);
        else if (in->slot[i].state == BYTES)
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
    int i = idle_slot(in), found = 0, size;
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
        fail(in, -EPROTO);
        size = (int)in->room;
    }
    in->ticks++;
    in->slot[i].source = status.MPI_SOURCE;
    in->slot[i].size = (size_t)size;
    occupy(in, i, WORDS);
    PMPI_Imrecv(in->slot[i].mem, size, MPI_BYTE, &message, &in->req[i]);
    return 1;
}

/* The window of this aggregator that the lowest byte of all that is not settled
 * lies in, where it has no buffer any more: somebody is late. -1: none. */
static int64_t late_window(const struct adl_inbox *in, int64_t base)
{
    const struct adl_terms *t = in->s->terms;
    int64_t pos = adl_frontier_settled(in->s->seg, t->call, ADL_POS_END);
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

    return !t->write && t->exact && far_ahead(in) < SLOTS / 2 ? 2 * depth
                                                              : depth;
}

static void take_messages(struct adl_inbox *in)
{
    int64_t base = freed(in), late = late_window(in, base);
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
        answer_wishes(in);
    if (in->first)
        hurry(in);
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
