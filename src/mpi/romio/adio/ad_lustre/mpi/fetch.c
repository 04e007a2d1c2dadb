/* fetch.c - get a node's wishes from aggregators of other nodes */
#include "fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/pattern.h"
#include "engine.h"
#include "line.h"
#include "parcel.h"

/* A window whose wishes are on their way, or the answer is. */
struct flight {
    struct adl_note note;
    MPI_Request req[3]; /* note, wishes, answer */
    char *wishes;       /* the description sent */
    char *answer;       /* end of file, then the runs */
    int64_t runs;       /* bytes of them */
};

struct adl_fetch {
    struct adl_lines *lines;
};

int adl_fetch_create(struct adl_engine *eng, struct adl_fetch **out)
{
    struct adl_fetch *f = calloc(1, sizeof(*f));
    int rc;

    if (!f)
        return -ENOMEM;
    rc = adl_lines_create(eng, sizeof(struct flight), &f->lines);
    if (rc < 0)
        free(f);
    else
        *out = f;
    return rc;
}

void adl_fetch_destroy(struct adl_fetch *f)
{
    if (!f)
        return;
    adl_lines_destroy(f->lines);
    free(f);
}

void adl_fetch_begin(struct adl_fetch *f, int64_t call, int64_t start,
                     int shift)
{
    adl_lines_begin(f->lines, call, start, shift);
    for (int i = 0; i < f->lines->n; i++)
        adl_gate_free(f->lines->eng->seg, f->lines->line[i].agg, call,
                      f->lines->line[i].freed);
}

/* Memory for one flight: description and answer. */
static int flight_load(struct adl_fetch *f, struct flight *fl, int64_t runs)
{
    const void *desc;
    size_t size;
    int rc = adl_pattern_finish(f->lines->pattern, &desc, &size);

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

static void flight_leave(struct adl_fetch *f, struct adl_line *l,
                         struct flight *fl)
{
    MPI_Comm comm = f->lines->eng->comm;

    PMPI_Irecv(fl->answer, (int)(sizeof(int64_t) + fl->runs), MPI_BYTE, l->peer,
               ADL_TAG_ANSWER, comm, &fl->req[2]);
    adl_line_note(f->lines, l, &fl->note, &fl->req[0]);
    PMPI_Isend(fl->wishes, (int)fl->note.bytes, MPI_BYTE, l->peer, ADL_TAG_DATA,
               comm, &fl->req[1]);
    l->count++;
}

/* A window in which this node's ranks have marked all their wishes. */
static int ask_for(struct adl_fetch *f, struct adl_line *l, int64_t w)
{
    struct flight *fl = adl_line_flight(f->lines, l, l->count);
    struct adl_parcel_sum sum;
    struct adl_cover cover;
    int rc;

    adl_line_cover(f->lines, l, w, &cover);
    rc = adl_parcel_describe(f->lines->pattern, &cover, &sum);
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

static void unpack(struct adl_fetch *f, struct adl_line *l, struct flight *fl)
{
    struct adl_parcel_desc desc = {.bytes = fl->wishes,
                                   .size = fl->note.bytes,
                                   .window = f->lines->eng->seg->window};
    int64_t eof;

    memcpy(&eof, fl->answer, sizeof(eof));
    if (eof < l->eof)
        l->eof = eof;
    adl_parcel_scatter(&desc, fl->answer + sizeof(eof), fl->runs,
                       adl_line_buf(f->lines, l, fl->note.window), NULL);
}

/* Take in the answers that have come, in order. */
static void land(struct adl_fetch *f, struct adl_line *l)
{
    while (l->count > 0) {
        struct flight *fl = adl_line_flight(f->lines, l, 0);
        int done = 1;

        for (int i = 2; i >= 0 && done; i--)
            PMPI_Test(&fl->req[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            return;
        unpack(f, l, fl);
        free(fl->wishes);
        free(fl->answer);
        adl_line_pop(f->lines, l);
    }
}

static void advance(struct adl_fetch *f, struct adl_line *l, int64_t floor)
{
    const struct flight *first = adl_line_flight(f->lines, l, 0);
    int64_t ready;

    while (l->next < floor && l->next < l->freed + f->lines->eng->seg->depth) {
        if (ask_for(f, l, l->next) < 0)
            break;
        l->next++;
    }
    ready = l->count > 0 ? first->note.window : l->next;
    if (ready > l->ready) {
        l->ready = ready;
        adl_gate_ready(f->lines->eng->seg, l->agg, ready, l->eof);
    }
}

/* Free the windows that the node's ranks have copied out. */
static void release(struct adl_fetch *f, struct adl_line *l, int64_t copied)
{
    int64_t floor = adl_window_first_at(f->lines->eng->window, l->agg, copied);
    struct adl_cover cover;

    if (floor <= l->freed)
        return;
    for (int64_t w = l->freed;
         w < floor && w < l->freed + f->lines->eng->seg->depth; w++) {
        adl_line_cover(f->lines, l, w, &cover);
        adl_cover_clear(&cover);
    }
    l->freed = floor;
    if (l->next < floor)
        l->next = l->ready = floor;
    adl_gate_free(f->lines->eng->seg, l->agg, f->lines->call, floor);
}

/* When everything is wished for, and asked for as far as wishes can reach,
 * nothing more will come. */
static int64_t frontier_of(struct adl_fetch *f, struct adl_line *l,
                           int64_t floor)
{
    if (floor != ADL_WINDOW_NONE)
        return floor < l->next ? floor : l->next;
    if (l->freed == ADL_WINDOW_NONE ||
        l->next >= l->freed + f->lines->eng->seg->depth)
        return ADL_WINDOW_NONE;
    return l->next;
}

static int line_step(struct adl_fetch *f, struct adl_line *l, int64_t wished,
                     int64_t copied)
{
    int64_t floor = adl_window_first_at(f->lines->eng->window, l->agg, wished);

    land(f, l);
    release(f, l, copied);
    advance(f, l, floor);
    adl_line_tell(f->lines, l, frontier_of(f, l, floor));
    return l->freed == ADL_WINDOW_NONE && adl_line_ended(l);
}

int adl_fetch_step(struct adl_fetch *f)
{
    int64_t wished = adl_segment_wished(f->lines->eng->seg);
    int64_t copied = adl_segment_copied(f->lines->eng->seg);
    int done = 1;

    for (int i = 0; i < f->lines->n; i++)
        done &= line_step(f, &f->lines->line[i], wished, copied);
    return done;
}
