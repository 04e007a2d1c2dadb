/* engine.c - what collective calls of one file keep between calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>

/* MPI counts the bytes of a message in int. */
#define BUFFER_MAX ((int64_t)1 << 31)

static void engine_free(void *arg)
{
    struct adl_engine *eng = arg;

    if (!eng)
        return;
    adl_iothread_destroy(eng->io);
    adl_agree_destroy(eng->agree);
    adl_outbox_destroy(eng->outbox);
    adl_wishes_destroy(eng->wishes);
    adl_direct_destroy(eng->direct);
    adl_inbox_destroy(eng->inbox);
    adl_pattern_destroy(eng->pattern);
    adl_pool_destroy(eng->pool);
    adl_segment_destroy(eng->seg);
    adl_window_destroy(eng->window);
    free(eng->sink_of);
    if (eng->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&eng->leaders);
    if (eng->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&eng->comm);
    free(eng);
}

/* The aggregators that live here get sinks; to the others the node's ranks send
 * in turn. Fills agg[] with those here and says how many. */
static int assign_sinks(struct adl_engine *eng, int *agg)
{
    const struct adl_file *f = eng->file;
    int here = 0, elsewhere = 0;

    for (int a = 0; a < f->aggs.count; a++) {
        if (f->aggs.node[a] == f->nodes.index) {
            eng->sink_of[a] = here;
            agg[here++] = a;
        } else {
            eng->sink_of[a] = -1 - elsewhere++ % f->nodes.size;
            eng->courier |= eng->sink_of[a] == -1 - f->nodes.rank;
        }
    }
    return here;
}

static int64_t pool_size(const struct adl_file *f)
{
    int64_t size = f->hints.node_buffer_size;

    if (size == 0)
        size = 2 * f->hints.cb_buffer_size;
    return size < ADL_POOL_DEFAULT && f->hints.node_buffer_size == 0
               ? ADL_POOL_DEFAULT
               : size;
}

static int create_segment(struct adl_engine *eng)
{
    struct adl_file *f = eng->file;
    int many = f->nodes.count > 1;
    int64_t window = adl_window_size(eng->window), size = pool_size(f);
    int *agg = malloc((f->aggs.count + 1) * sizeof(*agg));
    struct adl_segment_shape shape = {.agg = agg,
                                      .depth = adl_window_depth(eng->window),
                                      .window = window};
    int rc = adl_agree_plain(f->nodes.comm, agg ? 0 : -ENOMEM);

    if (rc == 0) {
        shape.nsinks = assign_sinks(eng, agg);
        if (many)
            shape.pool_size =
                adl_pool_memory(size, f->aggs.count, f->nodes.size, window);
        rc = adl_segment_create(f->nodes.comm, &shape, &eng->seg);
    }
    if (rc == 0 && many) {
        rc = adl_pool_create(eng->seg, size, f->aggs.count, window, &eng->pool);
        eng->pool_room = adl_pool_room(size, f->aggs.count, window);
    }
    if (rc == 0 && f->aggs.mine >= 0)
        eng->mine = &eng->seg->sink[eng->sink_of[f->aggs.mine]];
    free(agg);
    return rc;
}

/* What several nodes need. */
static int create_messages(struct adl_engine *eng)
{
    const struct adl_file *f = eng->file;
    struct adl_peers peers = {eng->comm, f->aggs.rank};
    int rc = adl_pattern_create(&eng->pattern);

    if (rc == 0)
        rc = adl_pattern_reserve(eng->pattern, ADL_DIRECT_WORDS +
                                                   (size_t)eng->pool_room);
    if (rc == 0)
        rc = adl_outbox_create(&peers, eng->pool, &eng->outbox);
    if (rc == 0)
        rc = adl_wishes_create(&peers, eng->pool, adl_window_size(eng->window),
                               &eng->wishes);
    if (rc == 0)
        rc = adl_direct_create(&peers, &eng->direct);
    if (rc == 0 && f->aggs.mine >= 0)
        rc = adl_inbox_create(&peers, eng->pool_room, &eng->inbox);
    eng->frontier = (struct adl_frontier){
        .seg = eng->seg,
        .pool = eng->pool,
        .leaders = eng->leaders,
        .step = (adl_window_depth(eng->window) - 1) *
                adl_window_size(eng->window) * f->aggs.count};
    return rc;
}

static int create_schedule(struct adl_engine *eng)
{
    struct adl_file *f = eng->file;
    int64_t buffer = f->hints.cb_buffer_size;
    int rc = adl_file_schedule(f);

    if (buffer > BUFFER_MAX)
        buffer = BUFFER_MAX;
    if (rc == 0)
        rc = adl_window_create(f->owner, buffer < 3 ? 3 : buffer, &eng->window);
    eng->sink_of = malloc((f->aggs.count + 1) * sizeof(*eng->sink_of));
    if (rc == 0 && !eng->sink_of)
        rc = -ENOMEM;
    if (rc == 0 && f->aggs.mine >= 0)
        rc = adl_iothread_create(&eng->io);
    return rc;
}

/* Every step needs the one before on all ranks; an error of one is everyone's.
 */
static int build(struct adl_engine *eng)
{
    struct adl_file *f = eng->file;
    int rc = adl_agree_plain(eng->comm, create_schedule(eng));

    if (rc < 0)
        return rc;
    if (f->nodes.count > 1)
        PMPI_Comm_split(eng->comm, f->nodes.rank == 0 ? 0 : MPI_UNDEFINED, 0,
                        &eng->leaders);
    rc = create_segment(eng);
    if (rc == 0 && f->nodes.count > 1)
        rc = create_messages(eng);
    if (rc == 0)
        rc = adl_agree_create(eng->seg, f->nodes.count, eng->leaders,
                              &eng->agree);
    return adl_agree_plain(eng->comm, rc);
}

int adl_engine_get(ADIO_File fd, struct adl_engine **out)
{
    struct adl_file *f = adl_file_of(fd);
    struct adl_engine *eng = f->engine;
    int rc;

    if (eng) {
        *out = eng;
        return 0;
    }
    eng = calloc(1, sizeof(*eng));
    rc = adl_agree_plain(fd->comm, eng ? 0 : -ENOMEM);
    if (rc < 0) {
        free(eng);
        return rc;
    }
    eng->file = f;
    eng->leaders = MPI_COMM_NULL;
    PMPI_Comm_dup(fd->comm, &eng->comm);
    PMPI_Comm_rank(eng->comm, &eng->rank);
    PMPI_Comm_size(eng->comm, &eng->size);
    rc = build(eng);
    if (rc < 0) {
        engine_free(eng);
        return rc;
    }
    f->engine = eng;
    f->engine_free = engine_free;
    *out = eng;
    return 0;
}
