/* scale.c - the schedule of one collective write by 100,000 ranks
 *
 * Rank r writes blocks r, r + P, r + 2P, ... of the file. A node's leader
 * combines what its ranks have for a window of an owner into one message. One
 * process plays all leaders in turn, with the modules that the driver uses;
 * nothing here or there has the size of P.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../cover.h"
#include "../extents.h"
#include "../layout.h"
#include "../pattern.h"
#include "../window.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KiB INT64_C(1024)
#define MiB (1024 * KiB)
#define NODE_CELLS 4096 /* more than any node touches here */

struct job {
    int nodes, ranks; /* of a node */
    int osts, naggs;
    int64_t block, blocks; /* size, and how many a rank has */
    int64_t stripe, cb;
};

/* What a node has for a window. */
struct part {
    int owner;
    int64_t window, bytes;
};

struct tally {
    int64_t bytes, cells;
    int64_t messages, counts; /* (node, owner, window), (node, owner) */
    int64_t described;        /* bytes of patterns */
    int64_t message;          /* bytes of the largest */
    int64_t segment;          /* most that a node has in flight */
};

struct world {
    struct job job;
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_window *win;
    struct adl_pattern *pat;
    int64_t nwindows; /* of an owner */
    int64_t *filled;  /* bytes that came, by owner and window */
    struct part part[NODE_CELLS];
    int nparts;
    struct tally tally;
};

static int64_t job_bytes(const struct job *j)
{
    return j->block * j->blocks * j->ranks * j->nodes;
}

static void world_begin(struct world *w, const struct job *j)
{
    struct adl_cell last;

    memset(w, 0, sizeof(*w));
    w->job = *j;
    assert_int_equal(adl_layout_plain(j->stripe, j->osts, &w->layout), 0);
    assert_int_equal(adl_owner_create(w->layout, j->naggs, &w->owner), 0);
    assert_int_equal(adl_window_create(w->owner, j->cb, &w->win), 0);
    assert_int_equal(adl_pattern_create(&w->pat), 0);
    adl_window_locate(w->win, job_bytes(j) - 1, &last);
    w->nwindows = last.window + 1;
    w->filled = calloc((size_t)(j->naggs * w->nwindows), sizeof(int64_t));
    assert_non_null(w->filled);
}

static void world_end(struct world *w)
{
    free(w->filled);
    adl_pattern_destroy(w->pat);
    adl_window_destroy(w->win);
    adl_owner_destroy(w->owner);
    adl_layout_destroy(w->layout);
}

/* ---- one node ---- */

static void add_part(struct world *w, const struct adl_cell *cell,
                     int64_t bytes)
{
    assert_true(w->nparts < NODE_CELLS);
    w->part[w->nparts++] = (struct part){cell->owner, cell->window, bytes};
    w->tally.cells++;
    w->tally.bytes += bytes;
    assert_true(cell->window < w->nwindows);
    w->filled[cell->owner * w->nwindows + cell->window] += bytes;
}

/* The bytes that describe a node's pieces of one cell. */
static void describe(struct world *w, const struct adl_cell *cell, int64_t off,
                     int64_t len)
{
    const void *bytes;
    size_t size;

    adl_pattern_reset(w->pat);
    assert_int_equal(
        adl_pattern_add(w->pat, cell->buf + off - cell->start, len), 0);
    assert_int_equal(adl_pattern_finish(w->pat, &bytes, &size), 0);
    w->tally.described += (int64_t)size;
}

/* Ranks of a node are neighbours: their blocks of a round form one stretch. */
static void walk_node(struct world *w, int node)
{
    const struct job *j = &w->job;
    int64_t len = j->block * j->ranks, off = len * node;
    struct adl_tile tile = {&off, &len, 1, len * j->nodes, len};
    struct adl_extents ext;
    struct adl_piece piece;
    struct adl_cell cell;

    w->nparts = 0;
    adl_extents_begin(&ext, &tile, 0, 0, NULL, len * j->blocks);
    adl_window_locate(w->win, off, &cell);
    while (ext.left) {
        if (adl_extents_next(&ext, cell.end, &piece)) {
            add_part(w, &cell, piece.len);
            describe(w, &cell, piece.off, piece.len);
        } else if (adl_extents_at(&ext) == cell.end) {
            adl_window_next(w->win, &cell);
        } else {
            adl_window_locate(w->win, adl_extents_at(&ext), &cell);
        }
    }
}

static int by_owner(const void *a, const void *b)
{
    const struct part *p = a, *q = b;

    if (p->owner != q->owner)
        return p->owner < q->owner ? -1 : 1;
    return (p->window > q->window) - (p->window < q->window);
}

/* One message for the parts of one window, one count for those of an owner. */
static void count_messages(struct world *w)
{
    struct tally *t = &w->tally;
    int64_t bytes = 0;
    int i;

    qsort(w->part, (size_t)w->nparts, sizeof(w->part[0]), by_owner);
    for (i = 0; i < w->nparts; i++) {
        const struct part *p = &w->part[i];
        int new_owner = i == 0 || p->owner != p[-1].owner;
        int new_window = new_owner || p->window != p[-1].window;

        t->counts += new_owner;
        t->messages += new_window;
        bytes = p->bytes + (new_window ? 0 : bytes);
        t->message = bytes > t->message ? bytes : t->message;
    }
}

/* Owners are at the same window, give or take the depth: what of the node's
 * data belongs to `depth` windows in a row is in its segment. */
static void measure_segment(struct world *w)
{
    int depth = adl_window_depth(w->win), i;
    int64_t first, bytes;

    for (first = 0; first < w->nwindows; first++) {
        for (bytes = 0, i = 0; i < w->nparts; i++)
            if (w->part[i].window >= first && w->part[i].window < first + depth)
                bytes += w->part[i].bytes;
        if (bytes > w->tally.segment)
            w->tally.segment = bytes;
    }
}

/* ---- the whole job ---- */

/* depth windows and their coverage. */
static int64_t owner_memory(const struct world *w)
{
    int64_t bits = adl_window_grain(w->win) | w->job.block;
    int64_t size = adl_window_size(w->win);

    return adl_window_depth(w->win) *
           (size + (int64_t)adl_cover_memory(size, __builtin_ctzll(bits)));
}

static void run(struct world *w, const struct job *job)
{
    int node;

    world_begin(w, job);
    for (node = 0; node < job->nodes; node++) {
        walk_node(w, node);
        count_messages(w);
        measure_segment(w);
    }
}

static void print_tally(const struct world *w)
{
    const struct tally *t = &w->tally;
    const struct job *j = &w->job;

    printf("# %d ranks on %d nodes, %d objects, %d owners, %" PRId64 " MiB\n",
           j->nodes * j->ranks, j->nodes, j->osts, j->naggs, t->bytes / MiB);
    printf("# data messages %" PRId64 ", largest %" PRId64
           " bytes, descriptions %" PRId64 " bytes in all\n",
           t->messages, t->message, t->described);
    printf("# count messages %" PRId64 ", windows of an owner %" PRId64 "\n",
           t->counts, w->nwindows);
    printf("# memory: owner %" PRId64 " bytes, node segment %" PRId64
           " bytes\n",
           owner_memory(w), t->segment);
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* The file is cut at stripe borders and at the borders of nodes' stretches:
 * so many pieces, where common borders count once. */
static int64_t expected_cells(const struct job *j)
{
    int64_t total = job_bytes(j), stretch = j->block * j->ranks;
    int64_t common = stretch / gcd(stretch, j->stripe) * j->stripe;

    return total / j->stripe + total / stretch - total / common;
}

static void check_bounds(const struct world *w)
{
    const struct job *j = &w->job;
    const struct tally *t = &w->tally;
    int64_t cb = j->cb, i;

    assert_true(t->bytes == job_bytes(j));
    assert_true(t->cells == expected_cells(j));
    assert_true(t->messages <= t->cells);
    assert_true(t->messages <= j->nodes * j->naggs * w->nwindows);
    assert_true(t->counts <= (int64_t)j->nodes * j->naggs);
    assert_true(t->described <= 10 * t->messages);
    assert_true(t->message <= adl_window_size(w->win));
    assert_true(t->segment <= j->block * j->blocks * j->ranks);
    /* a node's share of all that owners have in flight, evenly spread */
    assert_true(t->segment <= 2 * cb * j->naggs / j->nodes);
    assert_true(owner_memory(w) <= cb + cb / 8 / j->block + 8 * 8);
    /* dense: every window is full */
    for (i = 0; i < j->naggs * w->nwindows; i++)
        assert_true(w->filled[i] == adl_window_size(w->win));
}

/* 100,000 MiB: every owner has 100 stripes, 25 windows of 4. A round of blocks
 * is 1562.5 stripes, so a node meets the same objects again every 16 rounds,
 * 25 rows further on: never twice in a window of 4 rows, and 64 / 16 = 4 times
 * in all. Hence one message a cell, and 4 messages an owner. */
static const struct job large = {.nodes = 1000,
                                 .ranks = 100,
                                 .osts = 1000,
                                 .naggs = 1000,
                                 .block = 16 * KiB,
                                 .blocks = 64,
                                 .stripe = MiB,
                                 .cb = 16 * MiB};

static void test_large(void **state)
{
    static struct world w;

    (void)state;
    run(&w, &large);
    print_tally(&w);
    check_bounds(&w);
    assert_int_equal(w.nwindows, 25);
    assert_int_equal(w.tally.messages, 160000);
    assert_int_equal(w.tally.counts, 40000);
    assert_true(owner_memory(&w) == 16 * MiB + 4 * 32);
    world_end(&w);
}

/* Ten times fewer nodes: the memory of an owner is the same. */
static void test_memory(void **state)
{
    static struct world few, many;
    struct job j = large;

    (void)state;
    run(&many, &j);
    j.nodes /= 10;
    j.blocks *= 10; /* as many bytes, so as many windows */
    run(&few, &j);
    print_tally(&few);
    check_bounds(&few);
    assert_true(owner_memory(&few) == owner_memory(&many));
    world_end(&few);
    world_end(&many);
}

/* Few owners of many objects, stripes larger than the buffer: parts. */
static void test_parts(void **state)
{
    static struct world w;
    struct job j = large;

    (void)state;
    j.nodes = 100;
    j.naggs = 10;
    j.osts = 20;
    j.stripe = 4 * MiB;
    j.cb = 4 * MiB;
    run(&w, &j);
    print_tally(&w);
    assert_true(w.tally.bytes == job_bytes(&j));
    assert_true(adl_window_size(w.win) == MiB);
    assert_int_equal(w.nwindows, 250 * 4); /* stripes of an owner x parts */
    assert_true(w.tally.message <= MiB);
    assert_true(owner_memory(&w) <= j.cb + j.cb / 8 / j.block + 64);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_parts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
