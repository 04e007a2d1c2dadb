/* segment.h - the memory that the ranks of a node share
 *
 * Every rank has a seat, where it publishes how far it has come. For every
 * aggregator of the file the node has a sink, the buffers into which the
 * node's ranks copy what belongs to that aggregator. A sink is served by one
 * rank: by the aggregator itself where it lives on this node, else by a rank
 * that relays the windows to it.
 *
 *      rank 0      rank 1       rank 2      seats: "my next byte is at 7 MiB"
 *        \ \        / \          / |
 *     sink of agg 0  sink of agg 1  ...     sinks: depth x (window, coverage)
 *        |  served by rank 0, who writes    agg 0 lives here
 *           |       served by rank 1, who sends it on; agg 1 lives elsewhere
 */
#ifndef ADL_SEGMENT_H
#define ADL_SEGMENT_H

#include <stdint.h>

#include <mpi.h>

#include "../core/claim.h"
#include "../core/cover.h"
#include "../sys/futex.h"
#include "progress.h"

#define ADL_POS_END INT64_MAX /* position of a rank that has nothing left */

/* A position that only goes forward: this rank is through with all its bytes
 * before `pos`. A sleeper notes the offset it waits for in `want`; the rank
 * rings when it gets there. */
struct adl_mark {
    int64_t pos;
    int64_t want;
    struct adl_bell bell;
} __attribute__((aligned(128)));

/* Writing uses `copied` only. Reading: first the wishes are marked in the
 * windows, then what was read is copied out. */
struct adl_seat {
    struct adl_mark copied;
    struct adl_mark wished;
    struct adl_claim claim; /* left for the agreement, see agree.h */
};

/* Where the node's ranks meet: one a node, in rank 0's part. */
struct adl_meeting {
    int32_t arrived;
    struct adl_bell complete; /* all have come; for the leader */
    struct adl_bell done;     /* the result is there */
    struct adl_claim result;
    struct adl_bell gates; /* any gate of the node has changed */
} __attribute__((aligned(128)));

/* Windows below `freed` are done with, so that numbers below freed + depth may
 * be filled; reading: windows below `ready` are in memory, and the file ends
 * at `eof` as far as this owner knows. Valid while `call` is the running
 * call's number. */
struct adl_gate {
    int64_t call;
    int64_t freed;
    int64_t ready;
    int64_t eof;
    int64_t want; /* the lowest `freed` that a sleeper waits for */
    struct adl_bell bell;
} __attribute__((aligned(128)));

struct adl_sink {
    struct adl_gate *gate;
    char *buf;      /* depth windows */
    char *bits;     /* depth coverages */
    int64_t opened; /* what this rank last read at the gate */
    int64_t opened_call;
    int server; /* rank in the node */
    int remote; /* the aggregator lives on another node */
};

struct adl_segment {
    MPI_Comm comm; /* the node's ranks; not owned */
    MPI_Win win;   /* or, where the node allows it, */
    void *base;    /* memory of our own, of all the node's ranks */
    int64_t bytes;
    int rank, size;
    struct adl_seat **seat; /* [size] */
    struct adl_sink *sink;  /* [nsinks] */
    struct adl_meeting *meeting;
    int nsinks;
    int depth;
    int64_t window; /* bytes of a window, rounded up to pages */
    int64_t cover;  /* bytes of a coverage */
};

/* Collective over `comm` (the ranks of a node). server[a] is the rank in comm
 * that serves sink a, or -1 - rank when it relays to another node. 0 or
 * -errno, the same on all ranks of comm. */
int adl_segment_create(MPI_Comm comm, int nsinks, const int *server, int depth,
                       int64_t window, struct adl_segment **out);
/* Collective over comm. Accepts NULL. */
void adl_segment_destroy(struct adl_segment *seg);

/* Local. Window buffer and coverage of slot `slot` of a sink. */
static inline char *adl_sink_buf(const struct adl_segment *seg,
                                 const struct adl_sink *sink, int slot)
{
    return sink->buf + slot * seg->window;
}
void adl_sink_cover(const struct adl_segment *seg, const struct adl_sink *sink,
                    int slot, int shift, struct adl_cover *cover);

/* Local. Say how far this rank has come. Before a call's start agreement:
 * adl_mark_reset; then adl_mark_publish, which never goes back. */
void adl_mark_reset(struct adl_mark *mark, int64_t pos);
void adl_mark_publish(struct adl_mark *mark, int64_t pos);
/* Local. The lowest position on the node. */
int64_t adl_segment_copied(const struct adl_segment *seg);
int64_t adl_segment_wished(const struct adl_segment *seg);
/* Local. Sleep until every rank of the node has come to `pos`. */
void adl_segment_await_copied(struct adl_segment *seg, int64_t pos);
void adl_segment_await_wished(struct adl_segment *seg, int64_t pos);

/* Local, by the server of sink `a`: free the windows below `freed`; say that
 * those below `ready` can be read. The first of them opens the gate for
 * `call`. Both ring the gate's bell and the node's. */
void adl_gate_free(struct adl_segment *seg, int a, int64_t call, int64_t freed);
void adl_gate_ready(struct adl_segment *seg, int a, int64_t ready, int64_t eof);
/* Local: pause, unless the windows below `freed` are free in `call`. */
void adl_gate_await(struct adl_gate *gate, int64_t call, int64_t first,
                    int64_t freed, struct adl_pause *pause);
/* Local: what the gate says; `first` while it still shows an older call. */
int64_t adl_gate_freed(const struct adl_gate *gate, int64_t call,
                       int64_t first);
int64_t adl_gate_is_ready(const struct adl_gate *gate, int64_t call,
                          int64_t first);

#endif
