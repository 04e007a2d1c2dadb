/* engine.c - what collective calls of one file keep between calls */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>

/* A window is one message between nodes, and MPI counts in int. */
#define BUFFER_MAX ((int64_t)1 << 31)

static void engine_free(void *arg)
{
    struct adl_engine *eng = arg;

    if (!eng)
        return;
    adl_iothread_destroy(eng->io);
    adl_agree_destroy(eng->agree);
    adl_relay_destroy(eng->relay);
    adl_intake_destroy(eng->intake);
    adl_fetch_destroy(eng->fetch);
    adl_supply_destroy(eng->supply);
    adl_segment_destroy(eng->seg);
    adl_window_destroy(eng->window);
    if (eng->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&eng->comm);
    free(eng);
}

/* Who serves the node's sink of each aggregator: the aggregator itself if it
 * is here, else the ranks of the node in turn. */
static int assign_servers(struct adl_engine *eng, int *server)
{
    struct adl_file *f = eng->file;
    MPI_Group all, node;
    int relays = 0;

    PMPI_Comm_group(eng->comm, &all);
    PMPI_Comm_group(f->nodes.comm, &node);
    PMPI_Group_translate_ranks(all, f->aggs.count, f->aggs.rank, node, server);
    for (int a = 0; a < f->aggs.count; a++) {
        if (server[a] != MPI_UNDEFINED)
            continue;
        server[a] = -1 - relays % f->nodes.size;
        eng->relays += relays++ % f->nodes.size == f->nodes.rank;
    }
    PMPI_Group_free(&all);
    PMPI_Group_free(&node);
    return relays;
}

/* Relayed windows need memory on every node: with many aggregators per rank
 * of a node, the windows get smaller so that a rank's share stays within twice
 * cb_buffer_size. All ranks must come to the same size. */
static int64_t choose_buffer(struct adl_engine *eng, int relays)
{
    struct adl_file *f = eng->file;
    int64_t share = (relays + f->nodes.size - 1) / f->nodes.size, most;
    int64_t buffer = f->hints.cb_buffer_size;

    PMPI_Allreduce(&share, &most, 1, MPI_INT64_T, MPI_MAX, eng->comm);
    if (buffer > BUFFER_MAX)
        buffer = BUFFER_MAX;
    if (most > 2)
        buffer = buffer * 2 / most;
    return buffer < 3 ? 3 : buffer;
}

static int create_messengers(struct adl_engine *eng)
{
    int rc = 0;

    if (eng->relays > 0) {
        rc = adl_relay_create(eng, &eng->relay);
        if (rc == 0)
            rc = adl_fetch_create(eng, &eng->fetch);
    }
    if (rc == 0 && eng->file->aggs.mine >= 0 && eng->file->nodes.count > 1) {
        rc = adl_intake_create(eng, &eng->intake);
        if (rc == 0)
            rc = adl_supply_create(eng, &eng->supply);
    }
    return rc;
}

/* Every step needs the one before on all ranks; an error of one is everyone's.
 */
static int build(struct adl_engine *eng)
{
    struct adl_file *f = eng->file;
    int *server = malloc((f->aggs.count + 1) * sizeof(*server));
    int rc =
        adl_agree_plain(eng->comm, server ? adl_file_schedule(f) : -ENOMEM);

    if (rc == 0)
        rc = adl_window_create(f->owner,
                               choose_buffer(eng, assign_servers(eng, server)),
                               &eng->window);
    if (rc == 0 && f->aggs.mine >= 0)
        rc = adl_iothread_create(&eng->io);
    rc = adl_agree_plain(eng->comm, rc);
    if (rc == 0)
        rc = adl_segment_create(f->nodes.comm, f->aggs.count, server,
                                adl_window_depth(eng->window),
                                adl_window_size(eng->window), &eng->seg);
    free(server);
    if (rc == 0)
        rc = create_messengers(eng);
    rc = adl_agree_plain(eng->comm, rc);
    if (rc == 0)
        rc = adl_agree_create(eng->comm, f->nodes.count, eng->seg, &eng->agree);
    return rc;
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

int adl_engine_shift(const struct adl_engine *eng, const struct adl_claim *all)
{
    uint64_t bits = (uint64_t)(all->bits | adl_window_grain(eng->window));
    int shift = bits ? __builtin_ctzll(bits) : 12;

    return shift < 12 ? shift : 12;
}
