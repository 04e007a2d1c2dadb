/* ranks.h - ranks of a node without MPI, for tests of what they share
 *
 * The segment is made once, by "rank 0 of `ranks_size`"; every further rank is
 * a thread or a forked process with a copy of the handle. The few calls of MPI
 * that this needs are here; so is one more node, whose leader answers a message
 * after some looks.
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

#include "../coll/agree.h"
#include "../coll/segment.h"
#include "../progress/progress.h"

#define RANKS_MAX 16
#define SECONDS_MAX 120 /* whoever needs longer hangs */

/* One node of `size` ranks, of which this is the first. */
static inline struct adl_team *ranks_team(int size)
{
    static struct adl_team team;

    team.size = size;
    team.count = 1;
    return &team;
}

/* A segment of `size` ranks with one aggregator and memory for a pool. */
static inline struct adl_segment *ranks_segment(int size, int64_t window,
                                                int64_t pool)
{
    static const int agg[] = {0};
    struct adl_segment_shape shape = {1, agg, 3, window, pool, 0};
    struct adl_segment *seg = NULL;

    assert_int_equal(
        adl_segment_create(ranks_team(size), MPI_COMM_WORLD, &shape, 0, &seg),
        0);
    adl_segment_shared(seg);
    return seg;
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

/* ---- MPI of one process ---- */

void adl_team_tell_node(const struct adl_team *team, MPI_Comm comm, void *buf,
                        int bytes)
{
    (void)team, (void)comm, (void)buf, (void)bytes;
}

MPI_Comm adl_team_node_comm(struct adl_team *team, MPI_Comm comm)
{
    (void)team;
    return comm;
}

int PMPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
{
    (void)type, (void)op, (void)comm;
    memcpy(out, in, (size_t)n * sizeof(int));
    return 0;
}

/* ---- what only a kernel without shared memory of our kind needs ---- */

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    (void)comm;
    *handler = MPI_ERRORS_RETURN;
    return 0;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return 0;
}

int PMPI_Errhandler_free(MPI_Errhandler *handler)
{
    (void)handler;
    return 0;
}

int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info,
                             MPI_Comm comm, void *base, MPI_Win *win)
{
    (void)size, (void)unit, (void)info, (void)comm, (void)base, (void)win;
    return MPI_ERR_OTHER;
}

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *unit,
                          void *base)
{
    (void)win, (void)rank, (void)size, (void)unit, (void)base;
    return MPI_ERR_OTHER;
}

int PMPI_Win_free(MPI_Win *win)
{
    (void)win;
    return MPI_ERR_OTHER;
}

/* ---- the other node ---- */

static union adl_words ranks_elsewhere; /* what the other node says */
static int ranks_looks; /* in vain, before its answer is there */

/* It is behind ours in order of nodes, and answers what it is sent. */
int PMPI_Irecv(void *buf, int n, MPI_Datatype type, int from, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)from, (void)tag, (void)comm;
    memcpy(buf, &ranks_elsewhere, (size_t)n);
    *request = (MPI_Request)1;
    return 0;
}

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)n, (void)type, (void)to, (void)tag, (void)comm;
    *request = MPI_REQUEST_NULL;
    return 0;
}

int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    (void)status;
    if (ranks_looks > 0) {
        ranks_looks--;
        return 0;
    }
    *request = MPI_REQUEST_NULL;
    return 1;
}

#endif
