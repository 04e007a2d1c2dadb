/* ranks.h - ranks of a node without MPI, for tests of what they share
 *
 * The segment is made once, by "rank 0 of `ranks_size`"; every further rank is
 * a thread or a forked process with a copy of the handle. The few calls of MPI
 * that this needs are here; so is one more node, whose leader answers a
 * reduction after some looks.
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

static int ranks_size = 1;

/* A segment of `size` ranks with one aggregator and memory for a pool. */
static inline struct adl_segment *ranks_segment(int size, int64_t window,
                                                int64_t pool)
{
    static const int agg[] = {0};
    struct adl_segment_shape shape = {1, agg, 3, window, pool, 0};
    struct adl_segment *seg = NULL;

    ranks_size = size;
    assert_int_equal(adl_segment_create(MPI_COMM_WORLD, &shape, 0, &seg), 0);
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

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = ranks_size;
    return 0;
}

int PMPI_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)buf, (void)n, (void)type, (void)root, (void)comm;
    return 0;
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

static MPI_User_function *ranks_op[8];
static int ranks_nops;
static union adl_words ranks_elsewhere; /* what the other node says */
static int ranks_looks; /* in vain, before its answer is there */
static struct {
    void *words;
    MPI_Op op;
    int looks;
} ranks_reduction;

int PMPI_Type_contiguous(int n, MPI_Datatype old, MPI_Datatype *type)
{
    (void)n;
    *type = old;
    return 0;
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return 0;
}

int PMPI_Type_free(MPI_Datatype *type)
{
    (void)type;
    return 0;
}

/* Handles are 1, 2, ... */
int PMPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op)
{
    (void)commute;
    ranks_op[ranks_nops++] = function;
    *op = (MPI_Op)(intptr_t)ranks_nops;
    return 0;
}

int PMPI_Op_free(MPI_Op *op)
{
    (void)op;
    ranks_nops--;
    return 0;
}

int PMPI_Iallreduce(const void *in, void *words, int n, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    (void)in, (void)n, (void)type, (void)comm, (void)request;
    ranks_reduction.words = words;
    ranks_reduction.op = op;
    ranks_reduction.looks = ranks_looks;
    return 0;
}

/* The other node is behind ours in order of ranks. */
int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    union adl_words sum = ranks_elsewhere;
    int one = 1;

    (void)request, (void)status;
    if (ranks_reduction.looks-- > 0)
        return 0;
    ranks_op[(intptr_t)ranks_reduction.op - 1](ranks_reduction.words, &sum,
                                               &one, NULL);
    memcpy(ranks_reduction.words, &sum, sizeof(sum));
    return 1;
}

#endif
