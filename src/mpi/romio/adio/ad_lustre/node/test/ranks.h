/* ranks.h - ranks of a node without MPI, for tests of what they share
 *
 * The segment is made once, by the first rank; every further one is a thread or
 * a forked process with a copy of the handle.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_RANKS_H
#define ADL_TEST_RANKS_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../segment.h"

#define RANKS_MAX 16
#define SECONDS_MAX 120 /* a test that takes longer hangs */

static inline struct adl_segment *
ranks_allocate(const struct adl_segment_shape *shape, int size)
{
    struct adl_segment *seg = adl_segment_create(shape, 0, size);

    assert_non_null(seg);
    assert_int_equal(adl_segment_allocate(seg), 0);
    adl_segment_shared(seg);
    return seg;
}

/* A segment of `size` ranks with one aggregator and memory for a pool. */
static inline struct adl_segment *ranks_segment(int size, int64_t window,
                                                int64_t pool)
{
    static const int agg[] = {0};
    struct adl_segment_shape shape = {1, agg, 3, window, pool};

    return ranks_allocate(&shape, size);
}

/* The same segment, seen by another rank; `sink` is its own memory. */
static inline struct adl_segment ranks_seen_by(const struct adl_segment *seg,
                                               int rank, struct adl_sink *sink)
{
    struct adl_segment mine = *seg;

    *sink = seg->sink[0];
    mine.sink = sink;
    mine.rank = rank;
    return mine;
}

#endif
