/* fetch.c - get a node's wishes from aggregators of other nodes */
#include "fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/pattern.h"
#include "engine.h"
#include "note.h"
#include "parcel.h"

#define QUIET_STEPS 64

/* A window whose wishes are on their way, or the answer is. */
struct flight {
    struct adl_note note;
    MPI_Request req[3]; /* note, wishes, answer */
    char *wishes;       /* the description sent */
    char *answer;       /* end of file, then the runs */
    int64_t runs;       /* bytes of them */
};

/* One aggregator's line. Windows, in order:
 *   freed <= copied out by the node's ranks < flights in order < next */
struct line {
    int agg, source;
    int64_t freed, ready, next;
    int64_t told;
    int64_t eof;
    struct flight *flight; /* [depth], a ring */
    int head, count;
    int quiet;
    struct adl_note hint;
    MPI_Request hint_req;
};

struct adl_fetch {
    struct adl_engine *eng;
    int64_t call;
    int shift;
    struct adl_pattern *pattern;
    int nlines;
    struct line line[];
};

static struct flight *ring_at(struct adl_fetch *f, struct line *l, int i)
{
    return &l->flight[(l->head + i) % f->eng->seg->depth];
}

static struct adl_sink *sink_of(struct adl_fetch *f, const struct line *l)
{
    return &f->eng->seg->sink[l->agg];
}

static int line_create(struct adl_fetch *f, struct line *l, int agg)
{
    l->agg = agg;
    l->source = f->eng->file->aggs.rank[agg];
    l->flight = calloc(f->eng->seg->depth, sizeof(*l->flight));
    return l->flight ? 0 : -ENOMEM;
}

int adl_fetch_create(struct adl_engine *eng, struct adl_fetch **out)
{
    struct adl_fetch *f =
        calloc(1, sizeof(*f) + eng->relays * sizeof(struct line));
    int rc;

    if (!f)
        return -ENOMEM;
    f->eng = eng;
    rc = adl_pattern_create(&f->pattern);
    for (int a = 0; a < eng->seg->nsinks && rc == 0; a++) {
        struct adl_sink *sink = &eng->seg->sink[a];

        if (sink->remote && sink->server == eng->seg->rank)
            rc = line_create(f, &f->line[f->nlines++], a);
    }
    if (rc < 0)
        adl_fetch_destroy(f);
    else
        *out = f;
    return rc;
}

void adl_fetch_destroy(struct adl_fetch *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->nlines; i++)
        free(f->line[i].flight);
    adl_pattern_destroy(f->pattern);
    free(f);
}

void adl_fetch_begin(struct adl_fetch *f, int64_t call, int64_t start,
                     int shift)
{
    f->call = call;
    f->shift = shift;
    for (int i = 0; i < f->nlines; i++) {
        struct line *l = &f->line[i];

        l->freed = l->ready = l->next = l->told =
            adl_window_first_at(f->eng->window, l->agg, start);
        l->eof = INT64_MAX;
        l->hint_req = MPI_REQUEST_NULL;
        l->head = l->count = l->quiet = 0;
        adl_gate_free(f->eng->seg, l->agg, call, l->freed);
    }
}

static void send_note(struct adl_fetch *f, struct line *l,
                      struct adl_note *note, MPI_Request *req)
{
    note->node = f->eng->file->nodes.index;
    l->told = note->frontier;
    l->quiet = 0;
    MPI_Isend(note, sizeof(*note), MPI_BYTE, l->source, ADL_TAG_NOTE,
              f->eng->comm, req);
}

static void window_cover(struct adl_fetch *f, const struct line *l, int64_t w,
                         struct adl_cover *cover)
{
    adl_sink_cover(f->eng->seg, sink_of(f, l),
                   adl_window_slot(f->eng->window, w), f->shift, cover);
}

/* Memory for one flight: description and answer. */
static int flight_load(struct adl_fetch *f, struct flight *fl, int64_t runs)
{
    const void *desc;
    size_t size;
    int rc = adl_pattern_finish(f->pattern, &desc, &size);

    if (rc < 0)
        return rc;
    fl->runs = runs;
    fl->note.bytes = size;
    fl->wishes = malloc(size);
    fl->answer = malloc(sizeof(int64_t) + runs);
    if (!fl->wishes || !fl->answer) {
        free(fl->wishes);
        free(fl->answer);
        return -ENOMEM;
    }
    memcpy(fl->wishes, desc, size);
    return 0;
}

static void flight_leave(struct adl_fetch *f, struct line *l, struct flight *fl)
{
    MPI_Comm comm = f->eng->comm;

    MPI_Irecv(fl->answer, (int)(sizeof(int64_t) + fl->runs), MPI_BYTE,
              l->source, ADL_TAG_ANSWER, comm, &fl->req[2]);
    send_note(f, l, &fl->note, &fl->req[0]);
    MPI_Isend(fl->wishes, (int)fl->note.bytes, MPI_BYTE, l->source,
              ADL_TAG_DATA, comm, &fl->req[1]);
    l->count++;
}

/* A window in which this node's ranks have marked all their wishes. */
static int ask_for(struct adl_fetch *f, struct line *l, int64_t w)
{
    struct flight *fl = ring_at(f, l, l->count);
    struct adl_parcel_sum sum;
    struct adl_cover cover;
    int rc;

    window_cover(f, l, w, &cover);
    rc = adl_parcel_describe(f->pattern, &cover, &sum);
    if (rc < 0 || sum.runs == 0)
        return rc;
    memset(fl, 0, sizeof(*fl));
    fl->note.window = w;
    fl->note.frontier = w + 1;
    fl->note.packed = 1;
    rc = flight_load(f, fl, sum.bytes);
    if (rc == 0)
        flight_leave(f, l, fl);
    return rc;
}

static void unpack(struct adl_fetch *f, struct line *l, struct flight *fl)
{
    struct adl_parcel_desc desc = {.bytes = fl->wishes,
                                   .size = fl->note.bytes,
                                   .window = f->eng->seg->window};
    int slot = adl_window_slot(f->eng->window, fl->note.window);
    int64_t eof;

    memcpy(&eof, fl->answer, sizeof(eof));
    if (eof < l->eof)
        l->eof = eof;
    adl_parcel_scatter(&desc, fl->answer + sizeof(eof), fl->runs,
                       adl_sink_buf(f->eng->seg, sink_of(f, l), slot), NULL);
}

/* Take in the answers that have come, in order. */
static void land(struct adl_fetch *f, struct line *l)
{
    while (l->count > 0) {
        struct flight *fl = ring_at(f, l, 0);
        int done = 1;

        for (int i = 2; i >= 0 && done; i--)
            MPI_Test(&fl->req[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        unpack(f, l, fl);
        free(fl->wishes);
        free(fl->answer);
        l->head = (l->head + 1) % f->eng->seg->depth;
        l->count--;
    }
}

static void advance(struct adl_fetch *f, struct line *l, int64_t floor)
{
    int64_t ready;

    while (l->next < floor && l->next < l->freed + f->eng->seg->depth) {
        if (ask_for(f, l, l->next) < 0)
            break;
        l->next++;
    }
    ready = l->count > 0 ? ring_at(f, l, 0)->note.window : l->next;
    if (ready > l->ready) {
        l->ready = ready;
        adl_gate_ready(f->eng->seg, l->agg, ready, l->eof);
    }
}

/* Free the windows that the node's ranks have copied out. */
static void release(struct adl_fetch *f, struct line *l, int64_t copied)
{
    int64_t floor = adl_window_first_at(f->eng->window, l->agg, copied);
    struct adl_cover cover;

    if (floor <= l->freed)
        return;
    for (int64_t w = l->freed; w < floor && w < l->freed + f->eng->seg->depth;
         w++) {
        window_cover(f, l, w, &cover);
        adl_cover_clear(&cover);
    }
    l->freed = floor;
    if (l->next < floor)
        l->next = l->ready = floor;
    adl_gate_free(f->eng->seg, l->agg, f->call, floor);
}

/* When everything is wished for, and asked for as far as wishes can reach,
 * nothing more will come. */
static int64_t frontier_of(struct adl_fetch *f, struct line *l, int64_t floor)
{
    if (floor != ADL_WINDOW_NONE)
        return floor < l->next ? floor : l->next;
    if (l->freed == ADL_WINDOW_NONE || l->next >= l->freed + f->eng->seg->depth)
        return ADL_WINDOW_NONE;
    return l->next;
}

static void tell_frontier(struct adl_fetch *f, struct line *l, int64_t floor)
{
    int64_t frontier = frontier_of(f, l, floor);
    int done = 1;

    if (frontier <= l->told)
        return;
    if (frontier != ADL_WINDOW_NONE && ++l->quiet < QUIET_STEPS)
        return;
    MPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    memset(&l->hint, 0, sizeof(l->hint));
    l->hint.window = ADL_WINDOW_NONE;
    l->hint.frontier = frontier;
    send_note(f, l, &l->hint, &l->hint_req);
}

static int line_step(struct adl_fetch *f, struct line *l, int64_t wished,
                     int64_t copied)
{
    int64_t floor = adl_window_first_at(f->eng->window, l->agg, wished);
    int done = 1;

    land(f, l);
    release(f, l, copied);
    advance(f, l, floor);
    tell_frontier(f, l, floor);
    if (l->told != ADL_WINDOW_NONE || l->freed != ADL_WINDOW_NONE)
        return 0;
    MPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    return done;
}

int adl_fetch_step(struct adl_fetch *f)
{
    int64_t wished = adl_segment_wished(f->eng->seg);
    int64_t copied = adl_segment_copied(f->eng->seg);
    int done = 1;

    for (int i = 0; i < f->nlines; i++)
        done &= line_step(f, &f->line[i], wished, copied);
    return done;
}
