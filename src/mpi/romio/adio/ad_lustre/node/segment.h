/* segment.h - the memory that the ranks of a node share
 *
 * Every rank has a seat, where it publishes how far it has come. Every
 * aggregator that lives on the node has a sink, the windows into which the
 * node's ranks copy what belongs to it and from which they copy what they read.
 * What goes to aggregators elsewhere is packed into blocks of the node's pool
 * (pool.h), which is part of the same memory.
 *
 *      rank 0      rank 1       rank 2      seats: "my next byte is at 7 MiB"
 *        \ \        / \          / |
 *     sink of agg 0    pool of blocks       sinks: depth x (window, coverage)
 *     served by rank 0   for aggregators elsewhere
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SEGMENT_H
#define ADL_SEGMENT_H

#include <stdint.h>

#include "../core/coll/claim.h"
#include "../core/coll/cover.h"
#include "../core/coll/outcome.h"
#include "../sys/futex.h"
#include "../sys/shmem.h"
#include "windows.h"

#define ADL_POS_END INT64_MAX /* position of a rank that has nothing left */

/* A position that only goes forward: this rank is through with all its bytes
 * before `pos`. A sleeper notes the offset it waits for in `want`; the rank
 * rings when it gets there. */
struct adl_mark {
    int64_t pos;
    int64_t want;
    struct adl_bell bell;
} __attribute__((aligned(128)));

/* What the ranks of a node leave for an agreement, see agree.h. */
union adl_words {
    struct adl_claim claim;
    struct adl_outcome outcome;
};

/* placed: bytes copied into or out of the windows, or put into a message.
 * asked: reading, bytes that were asked for. settled: no rank waits for bytes
 * of this rank before here; only the node's leader looks at it. */
struct adl_seat {
    struct adl_mark placed;
    struct adl_mark asked;
    int64_t settled;
    union adl_words words;
    int64_t came; /* agreements that this rank has come to */
    int64_t rank; /* which it is among the file's */
};

/* Where the node's ranks meet: one a node. */
struct adl_node_state {
    int32_t arrived;
    struct adl_bell complete; /* all have come; for the leader */
    struct adl_bell done;     /* the result is there */
    union adl_words result;
    struct adl_bell windows; /* windows of any aggregator here have changed */
    /* How far all nodes have come, see frontier.h; of call `frontier_call`. */
    int64_t frontier_call;
    int64_t settled, asked;
} __attribute__((aligned(128)));

/* The windows of an aggregator on this node. */
struct adl_sink {
    struct adl_windows *windows;
    char *buf;      /* depth windows */
    char *bits;     /* depth coverages */
    int64_t opened; /* what this rank last saw of `freed` */
    int64_t opened_call;
    int agg;
};

struct adl_segment_shape {
    int nsinks;
    const int *agg; /* [nsinks] the aggregators that live here */
    int depth;
    int64_t window;    /* bytes of a window */
    int64_t pool_size; /* bytes of memory behind the sinks, 0: none */
};

struct adl_segment {
    int64_t bytes;
    void *own; /* the memory, if it is ours (sys/shmem.h), else NULL */
    struct adl_shmem_card card; /* ... by which the node's ranks find it */
    int rank, size;
    struct adl_seat *seat; /* [size] */
    struct adl_sink *sink; /* [nsinks] */
    struct adl_node_state *node;
    char *pool;
    int nsinks;
    int depth;
    int64_t window; /* bytes of a window, rounded up to pages */
    int64_t cover;  /* bytes of a coverage */
};

/* The segment as rank `rank` of the node's `size` ranks sees it. `bytes` is the
 * amount of shared memory that it needs; that memory is not there yet. NULL: no
 * memory for the struct itself. */
struct adl_segment *adl_segment_create(const struct adl_segment_shape *shape,
                                       int rank, int size);
/* Then one of these. Either the node's first rank allocates the memory and the
 * others attach to it by its card; or the caller has zeroed memory that the
 * ranks share already. 0 or -errno. */
int adl_segment_allocate(struct adl_segment *seg);
int adl_segment_attach(struct adl_segment *seg,
                       const struct adl_shmem_card *card);
void adl_segment_use(struct adl_segment *seg, void *base);
/* All ranks of the node have mapped it: from now on no other process can. */
void adl_segment_shared(struct adl_segment *seg);
/* Accepts NULL. */
void adl_segment_destroy(struct adl_segment *seg);

/* Window buffer and coverage of slot `slot` of a sink. */
static inline char *adl_sink_buf(const struct adl_segment *seg,
                                 const struct adl_sink *sink, int slot)
{
    return sink->buf + slot * seg->window;
}
void adl_sink_cover(const struct adl_segment *seg, const struct adl_sink *sink,
                    int slot, int shift, struct adl_cover *cover);

/* Say how far this rank has come. Before a call's start agreement:
 * adl_mark_reset; then adl_mark_publish, which never goes back. */
void adl_mark_reset(struct adl_mark *mark, int64_t pos);
void adl_mark_publish(struct adl_mark *mark, int64_t pos);
/* The lowest position on the node. */
int64_t adl_segment_placed(const struct adl_segment *seg);
int64_t adl_segment_asked(const struct adl_segment *seg);
int64_t adl_segment_settled(const struct adl_segment *seg);
/* Sleep until every rank of the node has come to `pos`. */
void adl_segment_await_placed(struct adl_segment *seg, int64_t pos);
void adl_segment_await_asked(struct adl_segment *seg, int64_t pos);

/* What all nodes have done; `first` while the call's is not known. */
int64_t adl_node_settled(const struct adl_segment *seg, int64_t call,
                         int64_t first);
int64_t adl_node_asked(const struct adl_segment *seg, int64_t call,
                       int64_t first);
/* Leader: set it, and wake the node's aggregators. */
void adl_node_set(struct adl_segment *seg, int64_t call, int64_t settled,
                  int64_t asked);

#endif
