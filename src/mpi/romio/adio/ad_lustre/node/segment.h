/* segment.h - the memory that the ranks of a node share
 *
 * Every rank has a seat, where it publishes its position. Every aggregator of
 * the node has a sink: its windows, into which the node's ranks copy the bytes
 * that it writes and from which they copy the bytes that it has read. Bytes for
 * aggregators on other nodes are packed into blocks of the node's pool
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
#include "../core/coll/outcome.h"
#include "../sys/futex.h"
#include "../sys/shmem.h"
#include "windows.h"

#define ADL_POS_END INT64_MAX /* position of a rank that has nothing left */

/* A position that only grows: this rank has dealt with all its bytes before
 * `pos`. A process that waits for an offset writes it to `want` and sleeps; the
 * rank rings the bell when it reaches that offset. */
struct adl_mark {
    int64_t pos;
    int64_t want;
    struct adl_bell bell;
} __attribute__((aligned(128)));

#define ADL_LEAST_WORDS 4

/* What the ranks of a node leave for an agreement, see agree.h. */
union adl_words {
    struct adl_claim claim;
    struct adl_outcome outcome;
    int64_t least[ADL_LEAST_WORDS]; /* merged to the smallest of each */
};

/* The positions of a rank. All its bytes before a position ... */
enum adl_position {
    ADL_AT_PLACED,  /* are copied into or out of windows, or in a message */
    ADL_AT_ASKED,   /* reading: are requested */
    ADL_AT_SETTLED, /* are settled (mpi/coll/frontier.h); leaders read it */
    ADL_POSITIONS
};

struct adl_seat {
    struct adl_mark mark[ADL_POSITIONS];
    union adl_words words;
    int64_t came; /* number of agreements that this rank has entered */
    int64_t rank; /* its number among the file's ranks */
};

/* The shared state of the node's ranks. */
struct adl_node_state {
    int32_t arrived;
    struct adl_bell complete; /* all ranks have entered; for the leader */
    struct adl_bell done;     /* the result is valid */
    union adl_words result;
    struct adl_bell windows; /* windows of any aggregator here have changed */
    /* The positions that all nodes have passed in call `frontier_call`, see
     * frontier.h. */
    int64_t frontier_call;
    int64_t reached[ADL_POSITIONS]; /* all but ADL_AT_PLACED */
} __attribute__((aligned(128)));

struct adl_segment_shape {
    int nsinks;
    const int *agg; /* [nsinks] the aggregators that live here */
    int depth;
    int64_t window;    /* bytes of a window */
    int64_t pool_size; /* bytes of the pool after the sinks, 0: none */
};

struct adl_segment {
    int64_t bytes;
    void *own; /* the memory, if the driver made it (sys/shmem.h), else NULL */
    struct adl_shmem_card card; /* ... by which the node's ranks map it */
    int rank, size;
    struct adl_seat *seat; /* [size] */
    struct adl_sink *sink; /* [nsinks] */
    struct adl_node_state *node;
    char *pool;
    int nsinks;
    int depth;
    int64_t window; /* bytes of a window, rounded up to pages */
};

/* The segment as rank `rank` of the node's `size` ranks sees it. `bytes` is the
 * amount of shared memory that it needs; that memory is not there yet. NULL: no
 * memory for the struct itself. */
struct adl_segment *adl_segment_create(const struct adl_segment_shape *shape,
                                       int rank, int size);
/* After that the memory. Either the node's first rank allocates it and the
 * other ranks attach to it by its card; or the caller has zeroed memory that
 * the ranks share already, which begins at a page. 0 or -errno. */
int adl_segment_allocate(struct adl_segment *seg);
int adl_segment_attach(struct adl_segment *seg,
                       const struct adl_shmem_card *card);
void adl_segment_use(struct adl_segment *seg, void *base);
/* All ranks of the node have mapped the memory: from now on no other process
 * can map it. */
void adl_segment_shared(struct adl_segment *seg);
/* Accepts NULL. */
void adl_segment_destroy(struct adl_segment *seg);

/* Publish this rank's position: adl_mark_set, which wakes no sleeper, before a
 * call's start agreement; then adl_mark_publish with offsets that only grow. */
void adl_mark_set(struct adl_mark *mark, int64_t pos);
void adl_mark_publish(struct adl_mark *mark, int64_t pos);
/* The lowest position of the node's ranks. */
int64_t adl_segment_lowest(const struct adl_segment *seg,
                           enum adl_position which);
/* Sleep until every rank of the node has reached `pos`. */
void adl_segment_await(struct adl_segment *seg, enum adl_position which,
                       int64_t pos);

/* The position that all nodes have passed in the call; `first` while it is not
 * known. Not of ADL_AT_PLACED. */
int64_t adl_node_reached(const struct adl_segment *seg, enum adl_position which,
                         int64_t call, int64_t first);
/* Leader: set these positions, and wake the node's aggregators. */
void adl_node_set(struct adl_segment *seg, int64_t call, int64_t settled,
                  int64_t asked);

#endif
