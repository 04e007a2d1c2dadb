/* connect.c - open the connections of collective calls before the first one */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "connect.h"

#include <stdlib.h>

#include "../coll/engine.h"
#include "../progress/progress.h"

/* Beside those of file/tags.h. */
enum { HELLO = 32000, HELLO_BACK };

/* Does this rank send to aggregator `a` for its node? */
static int is_forwarder_to(const struct adl_engine *eng, int a)
{
    return eng->sink_of[a] == -1 - eng->seg->rank;
}

/* Local. Begin greeting the aggregators; 2 requests each. */
static int greet(struct adl_engine *eng, MPI_Request *req)
{
    const struct adl_aggs *aggs = &eng->file->aggs;
    int n = 0;

    for (int a = 0; a < aggs->count; a++) {
        if (!is_forwarder_to(eng, a))
            continue;
        PMPI_Irecv(NULL, 0, MPI_BYTE, aggs->rank[a], HELLO_BACK, eng->comm,
                   &req[n++]);
        PMPI_Isend(NULL, 0, MPI_BYTE, aggs->rank[a], HELLO, eng->comm,
                   &req[n++]);
    }
    return n;
}

/* Local, aggregators. One rank of every other node greets us; greet it back. */
static void answer(struct adl_engine *eng, MPI_Request *req, int *n)
{
    int others = eng->file->nodes.count - 1;
    MPI_Status status;

    for (int i = 0; i < others; i++) {
        PMPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, HELLO, eng->comm, &status);
        PMPI_Isend(NULL, 0, MPI_BYTE, status.MPI_SOURCE, HELLO_BACK, eng->comm,
                   &req[(*n)++]);
    }
}

static void nothing(const void *a, void *b)
{
    (void)a, (void)b;
}

/* Local. A reduction of nothing much. */
static void greet_leaders(struct adl_engine *eng)
{
    struct adl_pause pause;
    char word = 0;

    adl_pause_begin(&pause, eng->comm);
    adl_reduce_begin(eng->leaders, &word, 1, nothing);
    while (!adl_reduce_test(eng->leaders))
        adl_pause(&pause, NULL, 0);
}

void adl_connect_all(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    struct adl_engine *eng;
    MPI_Request *req;
    int n;

    if (f->nprocs == 1 || adl_engine_get(fd, &eng) < 0)
        return;
    if (eng->leaders)
        greet_leaders(eng);
    req = ADIOI_Malloc((2 * f->aggs.count + f->nodes.count) * sizeof(*req));
    n = greet(eng, req);
    if (f->aggs.mine >= 0)
        answer(eng, req, &n);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&req[i], MPI_STATUS_IGNORE);
    ADIOI_Free(req);
}
