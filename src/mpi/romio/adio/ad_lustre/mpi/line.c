/* line.c - the ways between a node's sinks and aggregators elsewhere */
#include "line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/pattern.h"
#include "engine.h"

/* Steps without a note after which the aggregator is told how far we are. */
#define QUIET_STEPS 64

static int line_create(struct adl_lines *lines, struct adl_line *l, int agg)
{
    l->agg = agg;
    l->peer = lines->eng->file->aggs.rank[agg];
    l->flight = calloc(lines->eng->seg->depth, lines->flight_size);
    return l->flight ? 0 : -ENOMEM;
}

int adl_lines_create(struct adl_engine *eng, size_t flight_size,
                     struct adl_lines **out)
{
    struct adl_lines *lines =
        calloc(1, sizeof(*lines) + eng->relays * sizeof(struct adl_line));
    int rc;

    if (!lines)
        return -ENOMEM;
    lines->eng = eng;
    lines->flight_size = flight_size;
    rc = adl_pattern_create(&lines->pattern);
    for (int a = 0; a < eng->seg->nsinks && rc == 0; a++) {
        struct adl_sink *sink = &eng->seg->sink[a];

        if (sink->remote && sink->server == eng->seg->rank)
            rc = line_create(lines, &lines->line[lines->n++], a);
    }
    if (rc < 0)
        adl_lines_destroy(lines);
    else
        *out = lines;
    return rc;
}

void adl_lines_destroy(struct adl_lines *lines)
{
    if (!lines)
        return;
    for (int i = 0; i < lines->n; i++)
        free(lines->line[i].flight);
    adl_pattern_destroy(lines->pattern);
    free(lines);
}

void adl_lines_begin(struct adl_lines *lines, int64_t call, int64_t start,
                     int shift)
{
    lines->call = call;
    lines->shift = shift;
    for (int i = 0; i < lines->n; i++) {
        struct adl_line *l = &lines->line[i];

        l->freed = l->next = l->told = l->ready =
            adl_window_first_at(lines->eng->window, l->agg, start);
        l->eof = INT64_MAX;
        l->hint_req = MPI_REQUEST_NULL;
        l->head = l->count = l->quiet = 0;
    }
}

void *adl_line_flight(const struct adl_lines *lines, const struct adl_line *l,
                      int i)
{
    int at = (l->head + i) % lines->eng->seg->depth;

    return (char *)l->flight + at * lines->flight_size;
}

void adl_line_pop(const struct adl_lines *lines, struct adl_line *l)
{
    l->head = (l->head + 1) % lines->eng->seg->depth;
    l->count--;
}

struct adl_sink *adl_line_sink(const struct adl_lines *lines,
                               const struct adl_line *l)
{
    return &lines->eng->seg->sink[l->agg];
}

char *adl_line_buf(const struct adl_lines *lines, const struct adl_line *l,
                   int64_t window)
{
    return adl_sink_buf(lines->eng->seg, adl_line_sink(lines, l),
                        adl_window_slot(lines->eng->window, window));
}

void adl_line_cover(const struct adl_lines *lines, const struct adl_line *l,
                    int64_t window, struct adl_cover *cover)
{
    adl_sink_cover(lines->eng->seg, adl_line_sink(lines, l),
                   adl_window_slot(lines->eng->window, window), lines->shift,
                   cover);
}

void adl_line_note(struct adl_lines *lines, struct adl_line *l,
                   struct adl_note *note, MPI_Request *req)
{
    note->node = lines->eng->file->nodes.index;
    l->told = note->frontier;
    l->quiet = 0;
    PMPI_Isend(note, sizeof(*note), MPI_BYTE, l->peer, ADL_TAG_NOTE,
               lines->eng->comm, req);
}

void adl_line_tell(struct adl_lines *lines, struct adl_line *l,
                   int64_t frontier)
{
    int done = 1;

    if (frontier <= l->told)
        return;
    if (frontier != ADL_WINDOW_NONE && ++l->quiet < QUIET_STEPS)
        return;
    PMPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    if (!done)
        return;
    memset(&l->hint, 0, sizeof(l->hint));
    l->hint.window = ADL_WINDOW_NONE;
    l->hint.frontier = frontier;
    adl_line_note(lines, l, &l->hint, &l->hint_req);
}

int adl_line_ended(struct adl_line *l)
{
    int done = 0;

    if (l->told == ADL_WINDOW_NONE)
        PMPI_Test(&l->hint_req, &done, MPI_STATUS_IGNORE);
    return done;
}
