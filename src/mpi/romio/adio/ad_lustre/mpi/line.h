/* line.h - the ways between a node's sinks and aggregators elsewhere
 *
 * A rank that serves sinks of other nodes' aggregators has a line to each of
 * them. Windows travel on it in order, each as a flight: towards the aggregator
 * when writing (relay), towards the node when reading (fetch). Notes tell the
 * aggregator what is coming and how far the node has come.
 *
 *   windows   freed <= flights in order < next <= still being filled or wished
 */
#ifndef ADL_LINE_H
#define ADL_LINE_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "../core/cover.h"
#include "note.h"

struct adl_engine;
struct adl_pattern;
struct adl_sink;

struct adl_line {
    int agg;
    int peer; /* the aggregator's rank */
    int64_t freed, next;
    int64_t told; /* frontier that the aggregator knows */
    void *flight; /* [depth], a ring */
    int head, count;
    int quiet;            /* steps since the last note */
    struct adl_note hint; /* a note without data */
    MPI_Request hint_req;
    int64_t ready, eof; /* reading only */
};

struct adl_lines {
    struct adl_engine *eng;
    struct adl_pattern *pattern; /* for describing windows */
    size_t flight_size;
    int64_t call;
    int shift;
    int n;
    struct adl_line line[];
};

/* Local. Lines of this rank, with rings of flights of `flight_size` bytes. */
int adl_lines_create(struct adl_engine *eng, size_t flight_size,
                     struct adl_lines **out);
void adl_lines_destroy(struct adl_lines *lines); /* accepts NULL */
/* Local. A new call, which accesses nothing before `start`. */
void adl_lines_begin(struct adl_lines *lines, int64_t call, int64_t start,
                     int shift);

/* Local. Flight number i from the head; i = count: the next free one. */
void *adl_line_flight(const struct adl_lines *lines, const struct adl_line *l,
                      int i);
void adl_line_pop(const struct adl_lines *lines, struct adl_line *l);
struct adl_sink *adl_line_sink(const struct adl_lines *lines,
                               const struct adl_line *l);
/* Local. Buffer and coverage of a window of the line's sink. */
char *adl_line_buf(const struct adl_lines *lines, const struct adl_line *l,
                   int64_t window);
void adl_line_cover(const struct adl_lines *lines, const struct adl_line *l,
                    int64_t window, struct adl_cover *cover);

/* Local. Send a note; it and *req must live until the request is complete. */
void adl_line_note(struct adl_lines *lines, struct adl_line *l,
                   struct adl_note *note, MPI_Request *req);
/* Local. Say without data that the node has come to `frontier`: at the end, and
 * when it has been quiet for long, because the aggregator may be waiting for a
 * node that has nothing for it. */
void adl_line_tell(struct adl_lines *lines, struct adl_line *l,
                   int64_t frontier);
/* Local. Has the last word been said, and gone? */
int adl_line_ended(struct adl_line *l);

#endif
