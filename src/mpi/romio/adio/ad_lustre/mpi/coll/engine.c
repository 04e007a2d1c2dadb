/* engine.c - what collective calls of one file keep between calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../file/team.h"
#include "../progress/progress.h"
#include "../progress/waiting.h"

/* MPI counts the bytes of a message in int. */
#define BUFFER_MAX ((int64_t)1 << 31)
/* With less than this there is no memory for anything. */
#define BUFFER_ENOUGH ((int64_t)64 << 10)
#define POOL_ENOUGH ((int64_t)1 << 20)

static void destroy(struct adl_engine *eng)
{
    if (!eng)
        return;
    adl_prefetch_destroy(eng->prefetch);
    adl_iothread_destroy(eng->io);
    adl_agree_destroy(eng->agree);
    free(eng->leaders);
    adl_send_destroy(eng->send);
    adl_forward_destroy(eng->forward);
    adl_receive_destroy(eng->receive);
    adl_pool_destroy(eng->pool);
    adl_sharing_end(eng->seg, &eng->win);
    adl_window_destroy(eng->window);
    free(eng->agg_rank);
    free(eng->sink_of);
    free(eng);
}

/* ---- making one ---- */

/* Aggregators of this node get sinks. For each aggregator on another node, one
 * rank of this node sends; the ranks take turns. Fills agg[] with the
 * aggregators of this node and returns their number. */
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
            eng->forwards |= eng->sink_of[a] == -1 - f->nodes.rank;
        }
    }
    return here;
}

/* Collective over the node's ranks, whatever `rc` says; it is returned. */
static int create_segment(struct adl_engine *eng, int by_mpi, int rc)
{
    struct adl_file *f = eng->file;
    struct adl_segment_shape shape = {0};
    int *agg = rc < 0 ? NULL : malloc((f->aggs.count + 1) * sizeof(*agg));

    if (agg) {
        shape.agg = agg;
        shape.nsinks = assign_sinks(eng, agg);
        shape.depth = adl_window_depth(eng->window);
        shape.window = adl_window_size(eng->window);
        if (f->nodes.count > 1)
            shape.pool_size = adl_pool_memory(eng->pool_size, f->aggs.count,
                                              f->nodes.size, shape.window);
    }
    rc = adl_sharing_begin(f->team, f->comm, &shape, agg ? 0 : -ENOMEM,
                           by_mpi ? &eng->win : NULL, &eng->seg);
    free(agg);
    return rc;
}

/* What a node's leader needs to talk to the others. */
static int create_leader(struct adl_engine *eng)
{
    const struct adl_file *f = eng->file;
    const struct adl_team *t = f->team;

    eng->leaders = malloc(sizeof(*eng->leaders));
    if (!eng->leaders)
        return -ENOMEM;
    adl_reduce_init(eng->leaders, &eng->comm, ADL_TAG_REDUCE, t->map,
                    t->nodes.index);
    eng->frontier = (struct adl_frontier){
        .seg = eng->seg,
        .pool = eng->pool,
        .step = (adl_window_depth(eng->window) - 1) *
                adl_window_size(eng->window) * f->aggs.count};
    adl_reduce_init(&eng->frontier.leaders, &eng->comm, ADL_TAG_REDUCE + 1,
                    t->map, t->nodes.index);
    return 0;
}

/* What several nodes need. */
static int create_messages(struct adl_engine *eng)
{
    const struct adl_file *f = eng->file;
    int64_t window = adl_window_size(eng->window);
    int rc = adl_pool_create(eng->seg, eng->pool_size, f->aggs.count, window,
                             &eng->pool);

    eng->pool_room = adl_pool_room(eng->pool_size, window);
    eng->wire = (struct adl_wire){
        .comm = &eng->comm, .agg_rank = eng->agg_rank, .ranks = eng->size};
    if (rc == 0)
        rc = adl_send_create(&eng->wire, eng->pool, window, eng->pool_room,
                             &eng->send);
    if (rc == 0 && eng->forwards)
        rc = adl_forward_create(&eng->wire, eng->pool, window, eng->pool_room,
                                &eng->forward);
    if (rc == 0 && f->aggs.mine >= 0)
        rc = adl_receive_create(&eng->wire, eng->pool_room, &eng->receive);
    if (rc == 0 && f->nodes.rank == 0)
        rc = create_leader(eng);
    return rc;
}

static int create_rest(struct adl_engine *eng)
{
    const struct adl_file *f = eng->file;
    int rc = 0;

    eng->seg->seat[eng->seg->rank].rank = eng->rank;
    if (f->aggs.mine >= 0)
        eng->mine = &eng->seg->sink[eng->sink_of[f->aggs.mine]];
    if (f->nodes.count > 1)
        rc = create_messages(eng);
    if (rc == 0 && f->aggs.mine >= 0)
        rc = adl_iothread_create(&eng->io);
    if (rc == 0 && eng->io)
        rc = adl_prefetch_create(eng->io, &eng->prefetch);
    if (rc == 0)
        rc = adl_agree_create(eng->seg, f->nodes.count, eng->leaders,
                              &eng->agree);
    return rc;
}

/* ---- its measures ---- */

/* What an engine is made for. Two files with the same can have the same
 * engine, one after the other. */
struct measures {
    int64_t buffer; /* of an aggregator */
    int64_t pool;
};

static struct measures measures_of(const struct adl_file *f)
{
    const struct adl_hints *h = &f->hints;
    struct measures m = {h->cb_buffer_size, h->node_buffer_size};

    if (m.buffer > BUFFER_MAX)
        m.buffer = BUFFER_MAX;
    if (m.buffer < 3)
        m.buffer = 3;
    if (m.pool == 0) {
        m.pool = 2 * h->cb_buffer_size;
        m.pool = m.pool < ADL_POOL_DEFAULT ? ADL_POOL_DEFAULT : m.pool;
    }
    return m;
}

/* Local. The window schedule of the file, of a buffer of this size. */
static int schedule(struct adl_engine *eng, struct adl_file *f, int64_t buffer)
{
    int rc = adl_file_schedule(f);

    eng->file = f;
    adl_window_destroy(eng->window);
    eng->window = NULL;
    return rc < 0 ? rc : adl_window_create(f->owner, buffer, &eng->window);
}

/* Local. NULL: no memory. */
static struct adl_engine *begin_engine(struct adl_file *f,
                                       const struct measures *m)
{
    struct adl_engine *eng = calloc(1, sizeof(*eng));
    size_t n = (size_t)f->aggs.count;

    if (!eng)
        return NULL;
    eng->comm = f->comm;
    eng->rank = f->rank;
    eng->size = f->nprocs;
    eng->buffer = m->buffer;
    eng->pool_size = m->pool;
    eng->naggs = f->aggs.count;
    eng->win = MPI_WIN_NULL;
    eng->sink_of = malloc((n + 1) * sizeof(*eng->sink_of));
    eng->agg_rank = malloc((n + 1) * sizeof(*eng->agg_rank));
    if (!eng->sink_of || !eng->agg_rank || schedule(eng, f, m->buffer) < 0) {
        destroy(eng);
        return NULL;
    }
    memcpy(eng->agg_rank, f->aggs.rank, n * sizeof(*eng->agg_rank));
    return eng;
}

/* Collective: a broadcast on every node, a reduction of all. */
static int create(struct adl_file *f, const struct measures *m, int by_mpi,
                  struct adl_engine **out)
{
    struct adl_engine none = {.file = f}, *eng = begin_engine(f, m);
    int rc = create_segment(eng ? eng : &none, by_mpi, eng ? 0 : -ENOMEM);

    if (rc == 0)
        rc = create_rest(eng);
    rc = adl_agree_plain(f->comm, rc);
    if (rc < 0) {
        destroy(eng);
        return rc;
    }
    adl_segment_shared(eng->seg);
    *out = eng;
    return 0;
}

/* Where memory is short smaller buffers do, only slower. */
static int create_somehow(struct adl_file *f, struct adl_engine **out)
{
    struct measures m = measures_of(f);
    int by_mpi = 0, rc;

    for (;;) {
        rc = create(f, &m, by_mpi, out);
        if (rc == -ENOTSUP && !by_mpi) {
            by_mpi = 1;
        } else if (rc == -ENOMEM && m.buffer > BUFFER_ENOUGH) {
            m.buffer /= 8;
            m.pool = m.pool / 8 > POOL_ENOUGH ? m.pool / 8 : POOL_ENOUGH;
        } else {
            return rc;
        }
    }
}

/* ---- the next file's ---- */

static int fits_engine(const struct adl_engine *eng, const struct adl_file *f)
{
    struct measures m = measures_of(f);

    return eng->buffer == m.buffer && eng->pool_size == m.pool &&
           eng->naggs == f->aggs.count &&
           memcmp(eng->agg_rank, f->aggs.rank,
                  (size_t)eng->naggs * sizeof(*eng->agg_rank)) == 0;
}

/* All ranks have kept it, or none, see teams.h. Its windows must have the size
 * that its memory was cut for. */
int adl_engine_offer(struct adl_file *f)
{
    struct adl_engine *eng = f->team->kept;
    int64_t window;
    int rc;

    if (!eng || !fits_engine(eng, f))
        return -ENOENT;
    window = eng->window_size;
    rc = schedule(eng, f, eng->buffer);
    if (rc == 0 && (adl_window_size(eng->window) != window ||
                    adl_window_depth(eng->window) != eng->seg->depth))
        rc = -ENOSPC;
    return rc;
}

void adl_engine_settle(struct adl_file *f, int rc)
{
    if (rc < 0)
        adl_team_forget(f->team);
}

/* The hints may have changed since the open, on all ranks. */
static struct adl_engine *take_kept(struct adl_file *f)
{
    struct adl_team *t = f->team;
    struct adl_engine *eng = t->kept;

    if (!eng || !fits_engine(eng, f))
        return NULL;
    t->kept = NULL;
    eng->comm = f->comm;
    return eng;
}

/* Local. Leave the engine with the team for the next file, unless a message or
 * access may still be under way in it. */
static void release_engine(struct adl_engine *eng)
{
    struct adl_team *t = eng->file->team;

    if (eng->file->spoiled || eng->win != MPI_WIN_NULL) {
        destroy(eng);
        return;
    }
    adl_prefetch_wait(eng->prefetch);
    adl_receive_close(eng->receive);
    eng->window_size = adl_window_size(eng->window);
    adl_window_destroy(eng->window);
    eng->window = NULL;
    eng->plan = (struct adl_plan){0};
    eng->file = NULL;
    t->kept = eng;
    t->kept_free = destroy;
}

/* ---- its agreement, for others ---- */

static void wait_for_agreement(struct adl_agree *agree, MPI_Comm comm,
                               union adl_words *words)
{
    struct adl_overdue o = {.comm = comm, .peer = -1};
    struct adl_pause pause;

    adl_pause_begin(&pause, comm);
    while (!adl_agree_test(agree, words)) {
        uint32_t seen = 0;
        struct adl_bell *bell = adl_agree_bell(agree, &seen);

        pause.comm = bell ? comm : MPI_COMM_NULL;
        pause.longest = bell ? ADL_WAIT_NAP : ADL_WAIT_LOOK_NAP;
        adl_pause(&pause, bell, seen);
        adl_overdue_look(&o);
    }
}

void adl_engine_least(struct adl_file *f, int64_t *word, int n)
{
    struct adl_engine *eng = f->engine ? f->engine : f->team->kept;
    union adl_words words = {.least = {0}};

    memcpy(words.least, word, (size_t)n * sizeof(*word));
    if (eng && !f->spoiled) {
        eng->comm = f->comm;
        adl_agree_begin(eng->agree, ADL_AGREE_LEAST, &words);
        wait_for_agreement(eng->agree, f->comm, &words);
    } else if (f->nprocs > 1) {
        PMPI_Allreduce(word, words.least, n, MPI_INT64_T, MPI_MIN, f->comm);
    }
    memcpy(word, words.least, (size_t)n * sizeof(*word));
}

int adl_engine_get(ADIO_File fd, struct adl_engine **out)
{
    struct adl_file *f = adl_file_of(fd);
    int rc;

    if (!f->engine) {
        struct adl_engine *eng = take_kept(f);

        adl_team_forget(f->team);
        if (!eng) {
            rc = create_somehow(f, &eng);
            if (rc < 0)
                return rc;
        }
        if (eng->receive)
            adl_receive_open(eng->receive);
        f->engine = eng;
        f->prefetch = eng->prefetch;
        f->engine_free = release_engine;
    }
    *out = f->engine;
    return 0;
}
