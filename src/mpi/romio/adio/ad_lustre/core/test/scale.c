/* scale.c - what one collective write by 100,000 ranks costs
 *
 * Rank r writes blocks r, r + P, r + 2P, ... of the file from one range of its
 * memory. One process plays all ranks of all nodes in turn, by the rules of the
 * engine (mpi/coll/exchange.c, send_part): a part for an aggregator of the same
 * node is copied into its window; one of 32 KiB or more goes straight from the
 * user's memory, a message that says which runs and one with the bytes; smaller
 * ones are combined in blocks of the node's pool, a block a window until it is
 * full. Ranks of a node are taken to be in step, and the pool not to be short
 * of blocks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/cover.h"
#include "../coll/butterfly.h"
#include "../layout/layout.h"
#include "../messages/message.h"
#include "../nodes/nodemap.h"
#include "../messages/packing.h"
#include "../messages/poolshape.h"
#include "../coll/window.h"
#include "limits.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KiB INT64_C(1024)
#define MiB (1024 * KiB)
#define IDLE_MAX 100000 /* bytes of a rank with nothing to do */

/* Aggregator a lives on node a % nodes. */
struct job {
    int nodes, ranks; /* of a node */
    int osts, naggs;
    int64_t block, blocks; /* size, and how many a rank has */
    int64_t stripe, cb;
};

struct tally {
    int64_t bytes, local; /* all, and of aggregators of the same node */
    int64_t large;        /* parts that go directly, two messages each */
    int64_t combined;     /* messages of the pool */
    int64_t meetings;     /* (node, aggregator, window) with combined data */
    int64_t crossing;     /* bytes in combined messages, all told */
    int64_t small;        /* of them user's bytes */
    int64_t copied_sender, copied_owner;
};

struct world {
    struct job job;
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_window *win;
    struct adl_pattern *pat;
    int64_t nwindows, room; /* of an aggregator; bytes of a block */
    int32_t *used;          /* [naggs][nwindows] of a node's open blocks */
    int64_t *filled;        /* [naggs][nwindows] bytes that came */
    struct tally tally;
};

static int64_t job_bytes(const struct job *j)
{
    return j->block * j->blocks * j->ranks * j->nodes;
}

static int64_t pool_size(const struct job *j)
{
    return 2 * j->cb > LIMIT_POOL_DEFAULT ? 2 * j->cb : LIMIT_POOL_DEFAULT;
}

static void world_begin(struct world *w, const struct job *j)
{
    struct adl_cell last;
    size_t n;

    memset(w, 0, sizeof(*w));
    w->job = *j;
    assert_int_equal(adl_layout_plain(j->stripe, j->osts, &w->layout), 0);
    assert_int_equal(adl_owner_create(w->layout, j->naggs, &w->owner), 0);
    assert_int_equal(adl_window_create(w->owner, j->cb, &w->win), 0);
    assert_int_equal(adl_pattern_create(&w->pat), 0);
    w->room = adl_pool_room(pool_size(j), adl_window_size(w->win));
    adl_window_locate(w->win, job_bytes(j) - 1, &last);
    w->nwindows = last.window + 1;
    n = (size_t)(j->naggs * w->nwindows);
    w->used = calloc(n, sizeof(*w->used));
    w->filled = calloc(n, sizeof(*w->filled));
    assert_true(w->used && w->filled);
}

static void world_end(struct world *w)
{
    free(w->used);
    free(w->filled);
    adl_pattern_destroy(w->pat);
    adl_window_destroy(w->win);
    adl_owner_destroy(w->owner);
    adl_layout_destroy(w->layout);
}

/* ---- one part ---- */

static void combine(struct world *w, const struct adl_cell *cell,
                    const struct adl_pack *pack)
{
    struct adl_part part = {.kind = ADL_PART_DATA,
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    int32_t *used = &w->used[cell->owner * w->nwindows + cell->window];
    int64_t size = (int64_t)adl_part_size(&part);

    w->tally.meetings += *used == 0;
    if (*used == 0 || *used + size > w->room) {
        w->tally.combined++;
        *used = sizeof(struct adl_message);
        w->tally.crossing += *used;
    }
    *used += (int32_t)size;
    assert_true(*used <= w->room);
    w->tally.crossing += size;
    w->tally.small += pack->bytes;
    w->tally.copied_sender += pack->bytes;
}

static void move_part(struct world *w, int node, const struct adl_cell *cell,
                      const struct adl_pack *pack)
{
    struct tally *t = &w->tally;

    t->bytes += pack->bytes;
    w->filled[cell->owner * w->nwindows + cell->window] += pack->bytes;
    if (cell->owner % w->job.nodes == node) {
        t->local += pack->bytes;
        t->copied_sender += pack->bytes;
        return;
    }
    t->copied_owner += pack->bytes;
    if (pack->contig && pack->bytes >= ADL_DIRECT_MIN)
        t->large++;
    else
        combine(w, cell, pack);
}

/* ---- one rank ---- */

static void walk_rank(struct world *w, int node, int r)
{
    const struct job *j = &w->job;
    int64_t off = 0, len = j->block, all = (int64_t)j->ranks * j->nodes;
    struct adl_tile tile = {&off, &len, 1, len * all, len};
    int64_t disp = len * ((int64_t)node * j->ranks + r);
    struct adl_extents ext;
    struct adl_cell cell;

    adl_extents_begin(&ext, &tile, disp, 0, NULL, len * j->blocks);
    while (ext.left) {
        struct adl_pack_limit limit = {0, ADL_DIRECT_BYTES, ADL_DIRECT_RUNS};
        struct adl_pack pack;

        adl_window_locate(w->win, adl_extents_at(&ext), &cell);
        limit.end = cell.end;
        assert_int_equal(adl_pack_describe(&ext, cell.buf - cell.start, &limit,
                                           w->pat, &pack),
                         0);
        move_part(w, node, &cell, &pack);
    }
}

static void run(struct world *w, const struct job *job)
{
    world_begin(w, job);
    for (int node = 0; node < job->nodes; node++) {
        memset(w->used, 0,
               (size_t)(job->naggs * w->nwindows) * sizeof(*w->used));
        for (int r = 0; r < job->ranks; r++)
            walk_rank(w, node, r);
    }
}

/* ---- what is not data ---- */

/* Messages of one reduction among the nodes' leaders, all of them, and steps of
 * the one that has most. */
static int64_t reduction(int nodes, int *most)
{
    struct adl_butterfly_step step[ADL_BUTTERFLY_STEPS];
    int64_t sum = 0;

    *most = 0;
    for (int i = 0; i < nodes; i++) {
        int n = adl_butterfly(nodes, i, step);

        for (int k = 0; k < n; k++)
            sum += step[k].sends * step[k].n;
        *most = n > *most ? n : *most;
    }
    return sum;
}

/* Start and end agreement; the frontier once: each byte comes once, so full
 * windows need no round before the end (frontier.c, worth_a_round). */
static int64_t words(const struct job *j)
{
    int most;

    return 3 * reduction(j->nodes, &most);
}

/* ---- memory ---- */

static int64_t sink_memory(const struct world *w)
{
    int64_t size = adl_window_size(w->win);

    return adl_window_depth(w->win) *
           (size + (int64_t)adl_cover_memory(size, 0));
}

static int64_t pool_memory(const struct world *w)
{
    return adl_pool_memory(pool_size(&w->job), w->job.naggs, w->job.ranks,
                           adl_window_size(w->win));
}

/* The segment: heads, the aggregators that live here, the pool. */
static int64_t node_memory(const struct world *w)
{
    int64_t here = (w->job.naggs + w->job.nodes - 1) / w->job.nodes;

    return LIMIT_NODE_STATE + (int64_t)w->job.ranks * LIMIT_SEAT +
           here * (LIMIT_WINDOWS + sink_memory(w)) + pool_memory(w);
}

/* A rank's seat and queue, where it sends to what, a description; and some KiB
 * for what is under way, which it keeps between calls. */
static int64_t idle_memory(const struct world *w)
{
    return LIMIT_SEAT + ADL_POOL_QUEUE + 4 * (int64_t)w->job.naggs +
           ADL_DIRECT_WORDS + 8 * KiB;
}

/* ---- */

static void print_tally(const struct world *w)
{
    const struct tally *t = &w->tally;
    const struct job *j = &w->job;

    printf("# %d ranks on %d nodes, %d objects, %d aggregators, %" PRId64
           " MiB in blocks of %" PRId64 " KiB\n",
           j->nodes * j->ranks, j->nodes, j->osts, j->naggs, t->bytes / MiB,
           j->block / KiB);
    printf("#   messages: %" PRId64 " combined for %" PRId64
           " (node, aggregator, window), %" PRId64
           " large parts (x 2), %" PRId64 " of agreements\n",
           t->combined, t->meetings, t->large, words(j));
    printf("#   copies a byte: %.3f by senders, %.3f by aggregators\n",
           (double)t->copied_sender / (double)t->bytes,
           (double)t->copied_owner / (double)t->bytes);
    printf("#   memory: node %" PRId64 ", of it pool %" PRId64
           "; aggregator %" PRId64 "; idle rank %" PRId64 "\n",
           node_memory(w), pool_memory(w), sink_memory(w), idle_memory(w));
}

static void check_messages(const struct world *w)
{
    const struct job *j = &w->job;
    const struct tally *t = &w->tally;
    int steps;

    assert_true(t->bytes == job_bytes(j));
    /* one a (node, aggregator, window) */
    assert_true(t->combined == t->meetings);
    assert_true(t->combined + t->large <= t->bytes / j->block * 2);
    /* few words: O(A log N), here 3 agreements of at most log N / 2 + 3 steps
     * of three messages */
    reduction(j->nodes, &steps);
    assert_true(1 << 2 * (steps - 3) <= j->nodes);
    assert_true(words(j) <= 3 * (int64_t)j->naggs * 3 * steps);
    /* descriptions are small beside the data */
    assert_true(t->crossing - t->small <= t->small / 50 + 48 * t->combined);
    /* one copy at each end at the most */
    assert_true(t->copied_sender <= t->bytes && t->copied_owner <= t->bytes);
    assert_true(t->copied_sender == t->local + t->small);
    assert_true(t->copied_owner == t->bytes - t->local);
}

static void check_memory(const struct world *w)
{
    const struct job *j = &w->job;
    int64_t pool = pool_size(j), here = (j->naggs + j->nodes - 1) / j->nodes;

    assert_true(pool_memory(w) <= pool + pool / 50);
    assert_true(sink_memory(w) <= j->cb + j->cb / 8 + 64);
    assert_true(node_memory(w) <= pool + pool / 50 +
                                      here * (j->cb + j->cb / 8 + KiB) +
                                      j->ranks * KiB);
    assert_true(idle_memory(w) < IDLE_MAX);
    /* whole stripes, on any number of nodes and ranks */
    assert_int_equal(adl_window_size(w->win) % j->stripe, 0);
    for (int64_t i = 0; i < j->naggs * w->nwindows; i++)
        assert_true(w->filled[i] == adl_window_size(w->win));
}

/* 1,000 nodes and objects; as many full windows for every aggregator. */
static const struct job jobs[] = {
    {1000, 100, 1000, 1000, 16 * KiB, 64, MiB, 16 * MiB},
    {1000, 10, 1000, 1000, 16 * KiB, 128, MiB, 16 * MiB},
    {1000, 1, 1000, 1000, 16 * KiB, 1280, MiB, 16 * MiB},
    {1000, 100, 1000, 1000, 256 * KiB, 4, MiB, 16 * MiB},
    {1000, 1, 1000, 1000, 256 * KiB, 400, MiB, 16 * MiB},
};

static void test_jobs(void **state)
{
    static struct world w;

    (void)state;
    for (size_t row = 0; row < sizeof(jobs) / sizeof(jobs[0]); row++) {
        run(&w, &jobs[row]);
        print_tally(&w);
        check_messages(&w);
        check_memory(&w);
        /* large blocks go directly, small ones never do */
        if (jobs[row].block >= ADL_DIRECT_MIN)
            assert_int_equal(w.tally.combined, 0);
        else
            assert_int_equal(w.tally.large, 0);
        world_end(&w);
    }
}

/* The memory of a node does not know the number of nodes and ranks. */
static void test_memory(void **state)
{
    static struct world few, many;
    struct job j = jobs[0];

    (void)state;
    world_begin(&many, &j);
    j.nodes = j.naggs = 10;
    world_begin(&few, &j);
    assert_true(sink_memory(&few) == sink_memory(&many));
    assert_true(node_memory(&many) <=
                node_memory(&few) + node_memory(&few) / 50);
    world_end(&few);
    world_end(&many);
}

/* What the first open of a job moves: where each of 100,000 ranks runs, to rank
 * 0, and the map of it back to all. */
static void open_by(const char *how, int (*node_of)(int rank))
{
    enum { RANKS = 100000 };
    struct adl_resident *who = calloc(RANKS, sizeof(*who));
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_nodemap *map = NULL;
    int place;

    assert_non_null(who);
    for (int r = 0; r < RANKS; r++)
        who[r].node[0] = (uint64_t)node_of(r);
    assert_int_equal(adl_nodemap_build(who, RANKS, &map), 0);
    adl_nodemap_pack(map, &sb);
    printf("# open by %d ranks, placed %s: %zu bytes to rank 0, a map of %d "
           "nodes in %zu bytes\n",
           RANKS, how, RANKS * sizeof(*who), adl_nodemap_nodes(map), sb.len);
    assert_int_equal(adl_nodemap_nodes(map), 1000);
    assert_true(sb.len <= 32 * KiB);
    for (int r = 0; r < RANKS; r += 997)
        assert_int_equal(adl_nodemap_locate(map, r, &place), node_of(r));
    adl_strbuf_release(&sb);
    adl_nodemap_destroy(map);
    free(who);
}

static int in_blocks(int rank)
{
    return rank / 100;
}

static int in_turn(int rank)
{
    return rank % 1000;
}

static void test_open(void **state)
{
    (void)state;
    open_by("in blocks", in_blocks);
    open_by("in turn", in_turn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_open),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
