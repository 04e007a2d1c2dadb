/* relay.c - hand a node's windows on to aggregators of other nodes */
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/pattern.h"
#include "engine.h"
#include "note.h"
#include "parcel.h"

/* Steps without work after which an aggregator is told how far we are: it may
 * be waiting for a node that has nothing for it. */
#define QUIET_STEPS 64

/* A window on its way. */
struct flight {
    struct adl_note note;
    MPI_Request req[2]; /* note, data */
    char *packed;       /* data message, NULL: straight from the window */
};

/* One aggregator's line. Windows, in order:
 *   freed <= flights in order < next <= lowest window still being filled */
struct line {
    int agg, dest;
    int64_t freed, next;
    int64_t told;          /* frontier that the aggregator knows */
    struct flight *flight; /* [depth], a ring */
    int head, count;
    int quiet;
    struct adl_note hint; /* a note without data */
    MPI_Request hint_req;
};

struct adl_relay {
    struct adl_engine *eng;
    int64_t call;
    int shift;
    struct adl_pattern *pattern;
    int64_t in_flight; /* bytes */
    int nlines;
    struct line line[];
};

static struct flight *ring_at(struct adl_relay *r, struct line *l, int i)
{
    return &l->flight[(l->head + i) % r->eng->seg->depth];
}

static struct adl_sink *sink_of(struct adl_relay *r, const struct line *l)
{
    return &r->eng->seg->sink[l->agg];
}

static int line_create(struct adl_relay *r, struct line *l, int agg)
{
    l->agg = agg;
    l->dest = r->eng->file->aggs.rank[agg];
    l->flight = calloc(r->eng->seg->depth, sizeof(*l->flight));
    return l->flight ? 0 : -ENOMEM;
}

int adl_relay_create(struct adl_engine *eng, struct adl_relay **out)
{
    struct adl_relay *r =
        calloc(1, sizeof(*r) + eng->relays * sizeof(struct line));
    int rc;

    if (!r)
        return -ENOMEM;
    r->eng = eng;
    rc = adl_pattern_create(&r->pattern);
    for (int a = 0; a < eng->seg->nsinks && rc == 0; a++) {
        struct adl_sink *sink = &eng->seg->sink[a];

        if (sink->remote && sink->server == eng->seg->rank)
            rc = line_create(r, &r->line[r->nlines++], a);
    }
    if (rc < 0)
        adl_relay_destroy(r);
    else
        *out = r;
    return rc;
}

void adl_relay_begin(struct adl_relay *r, int64_t call, int64_t start,
                     int shift)
{
    r->call = call;
    r->shift = shift;
    for (int i = 0; i < r->nlines; i++) {
        struct line *l = &r->line[i];

        l->freed = l->next = l->told =
            adl_window_first_at(r->eng->window, l->agg, start);
        l->hint_req = MPI_REQUEST_NULL;
        l->head = l->count = l->quiet = 0;
    }
}

void adl_relay_destroy(struct adl_relay *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->nlines; i++)
        free(r->line[i].flight);
    adl_pattern_destroy(r->pattern);
    free(r);
}

/* Pattern size, pattern, runs: one message. */
static int pack(struct adl_relay *r, struct flight *f, const char *buf,
                int64_t payload)
{
    struct adl_parcel_desc desc = {.window = r->eng->seg->window};
    int64_t head;
    char *runs;
    int rc = adl_pattern_finish(r->pattern, &desc.bytes, &desc.size);

    if (rc < 0)
        return rc;
    head = desc.size;
    f->note.bytes = sizeof(head) + head + payload;
    f->packed = malloc(f->note.bytes);
    if (!f->packed)
        return -ENOMEM;
    memcpy(f->packed, &head, sizeof(head));
    memcpy(f->packed + sizeof(head), desc.bytes, desc.size);
    runs = f->packed + sizeof(head) + head;
    return adl_parcel_gather(&desc, buf, runs, payload);
}

static void send_note(struct adl_relay *r, struct line *l,
                      struct adl_note *note, MPI_Request *req)
{
    note->node = r->eng->file->nodes.index;
    l->told = note->frontier;
    l->quiet = 0;
    MPI_Isend(note, sizeof(*note), MPI_BYTE, l->dest, ADL_TAG_NOTE,
              r->eng->comm, req);
}

static void send_flight(struct adl_relay *r, struct line *l, struct flight *f,
                        char *bare)
{
    send_note(r, l, &f->note, &f->req[0]);
    MPI_Isend(f->packed ? f->packed : bare, (int)f->note.bytes, MPI_BYTE,
              l->dest, ADL_TAG_DATA, r->eng->comm, &f->req[1]);
    r->in_flight += f->note.bytes;
    l->count++;
}

/* Look at a window that nobody on this node can reach any more. 0, or -errno
 * when it could not be packed now (no memory: tried again later). */
static int look_at(struct adl_relay *r, struct line *l, int64_t w)
{
    struct adl_segment *seg = r->eng->seg;
    int slot = adl_window_slot(r->eng->window, w);
    char *buf = adl_sink_buf(seg, sink_of(r, l), slot);
    struct flight *f = ring_at(r, l, l->count);
    struct adl_parcel_sum sum;
    struct adl_cover cover;
    int rc;

    adl_sink_cover(seg, sink_of(r, l), slot, r->shift, &cover);
    rc = adl_parcel_describe(r->pattern, &cover, &sum);
    if (rc < 0 || sum.runs == 0)
        return rc;
    memset(f, 0, sizeof(*f));
    f->note.window = w;
    f->note.frontier = w + 1;
    f->note.start = sum.first;
    f->note.bytes = sum.bytes;
    f->note.packed = sum.runs > 1;
    if (sum.runs > 1)
        rc = pack(r, f, buf, sum.bytes);
    if (rc == 0)
        send_flight(r, l, f, buf + sum.first);
    return rc;
}

/* Forget the windows at the head of the line that have arrived. */
static void land(struct adl_relay *r, struct line *l)
{
    struct adl_cover cover;
    int done = 1;

    while (l->count > 0) {
        struct flight *f = ring_at(r, l, 0);
        int slot = adl_window_slot(r->eng->window, f->note.window);

        MPI_Test(&f->req[1], &done, MPI_STATUS_IGNORE);
        if (done)
            MPI_Test(&f->req[0], &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        adl_sink_cover(r->eng->seg, sink_of(r, l), slot, r->shift, &cover);
        adl_cover_clear(&cover);
        r->in_flight -= f->note.bytes;
        free(f->packed);
        l->head = (l->head + 1) % r->eng->seg->depth;
        l->count--;
    }
}

static int may_send(struct adl_relay *r)
{
    struct adl_file *f = r->eng->file;
    int flights = 0;

    for (int i = 0; i < r->nlines; i++)
        flights += r->line[i].count;
    return flights == 0 || (flights < f->env.max_num_isend &&
                            r->in_flight < f->env.max_size_isend);
}

/* Announce complete windows. Beyond freed + depth nothing can have been
 * filled; with no flight left everything up to the floor is empty. */
static void advance(struct adl_relay *r, struct line *l, int64_t floor)
{
    int depth = r->eng->seg->depth;

    while (l->next < floor && l->next < l->freed + depth && may_send(r)) {
        if (look_at(r, l, l->next) < 0)
            return;
        l->next++;
    }
    if (l->count == 0 && l->next < floor && l->next >= l->freed + depth)
        l->next = floor;
}

static void open_gate(struct adl_relay *r, struct line *l)
{
    int64_t freed = l->count > 0 ? ring_at(r, l, 0)->note.window : l->next;

    if (freed == l->freed)
        return;
    l->freed = freed;
    adl_gate_free(r->eng->seg, l->agg, r->call, freed);
}

/* A note without data: the last one, and when we have been quiet for long. */
static void tell_frontier(struct adl_relay *r, struct line *l)
{
    int done = 1;

    if (l->next <= l->told)
        return;
    if (l->next != ADL_WINDOW_NONE && ++l->quiet < QUIET_STEPS)
        return;
    MPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    memset(&l->hint, 0, sizeof(l->hint));
    l->hint.window = ADL_WINDOW_NONE;
    l->hint.frontier = l->next;
    send_note(r, l, &l->hint, &l->hint_req);
}

static int line_step(struct adl_relay *r, struct line *l, int64_t pos)
{
    int64_t floor = adl_window_first_at(r->eng->window, l->agg, pos);
    int done = 1;

    land(r, l);
    advance(r, l, floor);
    open_gate(r, l);
    tell_frontier(r, l);
    if (l->told != ADL_WINDOW_NONE || l->count > 0)
        return 0;
    MPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    return done;
}

int adl_relay_step(struct adl_relay *r)
{
    int64_t pos = adl_segment_copied(r->eng->seg);
    int done = 1;

    for (int i = 0; i < r->nlines; i++)
        done &= line_step(r, &r->line[i], pos);
    return done;
}
