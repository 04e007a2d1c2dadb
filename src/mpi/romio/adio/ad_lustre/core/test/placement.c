/* placement.c - test the placement of aggregators */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../nodes/placement.h"
#include "../text/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

/* How ranks lie on nodes. */
struct job {
    int nodes, per_node;
    enum { BLOCK, CYCLIC } order;
    int domains;                 /* NUMA domains a node, 0: not known */
    enum { HALVES, TURNS } bind; /* ranks on domains: in blocks or in turn */
};

/* Rank number i of node n. */
static int job_rank(const struct job *job, int n, int i)
{
    return job->order == BLOCK ? n * job->per_node + i : i * job->nodes + n;
}

static int job_numa(const struct job *job, int i)
{
    if (job->domains < 2)
        return 0;
    if (job->bind == TURNS)
        return i % job->domains;
    return i * job->domains / job->per_node;
}

static struct adl_nodemap *make_map(const struct job *job)
{
    int nranks = job->nodes * job->per_node;
    struct adl_resident *who = calloc((size_t)nranks, sizeof(*who));
    struct adl_nodemap *map = NULL;

    for (int n = 0; n < job->nodes; n++)
        for (int i = 0; i < job->per_node; i++) {
            struct adl_resident *r = &who[job_rank(job, n, i)];

            r->node[0] = (uint64_t)n;
            r->numa = job_numa(job, i);
            snprintf(r->name, sizeof(r->name), "n%d", n);
        }
    assert_int_equal(adl_nodemap_build(who, nranks, &map), 0);
    free(who);
    return map;
}

/* ---- tables -------------------------------------------------------- */

struct row {
    struct job job;
    int objects, multiplier, cb_nodes;
    const char *config_list;
    int stride, lock_mode;
    const char *list;
    int count;         /* aggregators */
    const char *ranks; /* in owner order, NULL: only counted */
    int notes;
};

#define J(nodes, per_node)                \
    {                                     \
        nodes, per_node, BLOCK, 0, HALVES \
    }

static const struct row rows[] = {
    /* one owner per object */
    {J(1, 1), 1, 1, 0, NULL, -1, 0, NULL, 1, "0", 0},
    {J(1, 4), 1, 1, 0, NULL, -1, 0, NULL, 1, "0", 0},
    {J(1, 4), 0, 1, 0, NULL, -1, 0, NULL, 1, "0", 0},
    {J(1, 4), 4, 1, 0, NULL, -1, 0, NULL, 4, "0 1 2 3", 0},
    {J(1, 4), 8, 1, 0, NULL, -1, 0, NULL, 4, "0 1 2 3", 0},
    {J(1, 8), 4, 1, 0, NULL, -1, 0, NULL, 4, "0 2 4 6", 0},
    {J(4, 4), 4, 1, 0, NULL, -1, 0, NULL, 4, "0 4 8 12", 0},
    {J(4, 4), 2, 1, 0, NULL, -1, 0, NULL, 2, "0 8", 0},
    {J(4, 4), 8, 1, 0, NULL, -1, 0, NULL, 8, "0 4 8 12 2 6 10 14", 0},
    {J(4, 4), 6, 1, 0, NULL, -1, 0, NULL, 6, "0 4 8 12 2 10", 0},
    {J(4, 4), 16, 1, 0, NULL, -1, 0, NULL, 16,
     "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15", 0},
    {J(4, 4), 1000, 1, 0, NULL, -1, 0, NULL, 16,
     "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15", 0},
    {J(3, 2), 4, 1, 0, NULL, -1, 0, NULL, 4, "0 2 4 1", 0},
    {J(3, 2), 7, 1, 0, NULL, -1, 0, NULL, 6, "0 2 4 1 3 5", 0},
    {J(4, 4), 4, 1, 0, NULL, -1, 2, NULL, 4, "0 4 8 12", 0},
    /* 61 OSTs on 60 nodes */
    {J(60, 1), 61, 1, 0, NULL, -1, 0, NULL, 60, NULL, 0},
    {J(60, 32), 61, 1, 0, "*:1", -1, 0, NULL, 60, NULL, 0},
    {J(60, 32), 61, 1, 60, NULL, -1, 0, NULL, 60, NULL, 0},
    {J(60, 32), 61, 1, 0, NULL, -1, 0, NULL, 61, NULL, 0},
    /* cb_nodes forced: any number */
    {J(4, 4), 4, 1, 1, NULL, -1, 0, NULL, 1, "0", 0},
    {J(4, 4), 4, 1, 3, NULL, -1, 0, NULL, 3, "0 4 8", 0},
    {J(4, 4), 4, 1, 5, NULL, -1, 0, NULL, 5, "0 4 8 12 2", 0},
    {J(4, 4), 4, 1, 5, NULL, -1, 2, NULL, 5, "0 2 4 8 12", 0},
    {J(4, 4), 4, 9, 3, NULL, -1, 0, NULL, 3, "0 4 8", 0},
    {J(4, 4), 4, 1, 100, NULL, -1, 2, NULL, 16, NULL, 1},
    {J(4, 4), 7, 1, 7, NULL, -1, 0, NULL, 7, "0 4 8 12 2 6 10", 0},
    /* several owners per object: together, apart */
    {J(4, 4), 4, 2, 0, NULL, -1, 0, NULL, 8, "0 4 8 12 2 6 10 14", 0},
    {J(4, 4), 4, 2, 0, NULL, -1, 2, NULL, 8, "0 4 2 6 8 12 10 14", 0},
    {J(4, 4), 4, 2, 0, NULL, -1, 1, NULL, 8, "0 4 2 6 8 12 10 14", 0},
    {J(2, 4), 2, 4, 0, NULL, -1, 0, NULL, 8, "0 4 1 5 2 6 3 7", 0},
    {J(2, 4), 2, 4, 0, NULL, -1, 1, NULL, 8, "0 2 1 3 4 6 5 7", 0},
    {J(4, 4), 1, 4, 0, NULL, -1, 0, NULL, 4, "0 1 2 3", 0},
    {J(4, 4), 1, 4, 0, NULL, -1, 2, NULL, 4, "0 4 8 12", 0},
    {J(8, 1), 2, 2, 0, NULL, -1, 0, NULL, 4, "0 4 1 5", 0},
    {J(8, 1), 2, 2, 0, NULL, -1, 2, NULL, 4, "0 2 4 6", 0},
    {J(8, 1), 4, 4, 0, NULL, -1, 0, NULL, 8, "0 2 4 6 1 3 5 7", 0},
    {J(192, 1), 24, 8, 0, NULL, -1, 2, NULL, 192, NULL, 0},
    /* cb_config_list */
    {J(4, 4), 8, 1, 0, "*:*", -1, 0, NULL, 8, "0 4 8 12 2 6 10 14", 0},
    {J(4, 4), 8, 1, 0, "*:1", -1, 0, NULL, 4, "0 4 8 12", 0},
    {J(4, 4), 8, 1, 0, "*", -1, 0, NULL, 4, "0 4 8 12", 0},
    {J(4, 4), 16, 1, 0, "*:2", -1, 0, NULL, 8, "0 4 8 12 2 6 10 14", 0},
    {J(4, 4), 8, 1, 0, "n2:*", -1, 0, NULL, 4, "8 9 10 11", 0},
    {J(4, 4), 8, 1, 0, "n1,n3:2", -1, 0, NULL, 3, "4 12 14", 0},
    {J(4, 4), 8, 1, 0, "n3:2,n1", -1, 0, NULL, 3, "12 4 14", 0},
    {J(4, 4), 8, 1, 0, "n0:0,*:1", -1, 0, NULL, 3, "4 8 12", 0},
    {J(4, 4), 8, 1, 0, "n1:1,n1:4", -1, 0, NULL, 1, "4", 0},
    {J(4, 4), 8, 1, 0, "*:1,n1:4", -1, 0, NULL, 4, "0 4 8 12", 0},
    {J(4, 4), 8, 1, 0, "n[12]:1", -1, 0, NULL, 2, "4 8", 0},
    {J(4, 4), 4, 1, 0, "*:0", -1, 0, NULL, 4, "0 4 8 12", 1},
    {J(4, 4), 4, 1, 0, "nosuch:2", -1, 0, NULL, 4, "0 4 8 12", 1},
    {J(4, 4), 4, 1, 0, "n1:x", -1, 0, NULL, 1, "4", 1},
    {J(4, 4), 4, 1, 9, "*:1", -1, 0, NULL, 4, "0 4 8 12", 1},
    {J(4, 4), 2, 2, 0, "*:1", -1, 0, NULL, 4, "0 8 4 12", 0},
    /* stride */
    {J(4, 4), 4, 1, 0, NULL, 4, 0, NULL, 4, "0 4 8 12", 0},
    {J(4, 4), 4, 1, 0, NULL, 1, 0, NULL, 4, "0 1 2 3", 0},
    {J(4, 4), 4, 1, 0, NULL, 3, 0, NULL, 4, "0 3 6 9", 0},
    {J(4, 4), 4, 1, 6, NULL, 5, 0, NULL, 6, "0 5 10 15 1 6", 0},
    {J(4, 4), 4, 1, 0, NULL, 100, 0, NULL, 4, "0 1 2 3", 0},
    {J(4, 4), 8, 1, 0, "*:1", 2, 0, NULL, 4, "0 4 8 12", 0},
    /* list */
    {J(4, 4), 4, 1, 0, NULL, -1, 0, "3,1,2", 3, "3 1 2", 0},
    {J(4, 4), 4, 1, 0, NULL, 2, 0, "0-12:4", 4, "0 4 8 12", 0},
    {J(4, 4), 4, 1, 1, "n0", -1, 0, "0 5 10 ", 3, "0 5 10", 0},
    {J(4, 4), 4, 1, 0, NULL, -1, 0, "1,1,14-99", 3, "1 14 15", 1},
    {J(4, 4), 4, 1, 0, NULL, -1, 0, "x,-1", 4, "0 4 8 12", 3},
    {J(4, 4), 4, 1, 0, NULL, -1, 0, "", 4, "0 4 8 12", 0},
    /* ranks dealt to nodes in turn */
    {{4, 4, CYCLIC, 0, HALVES}, 4, 1, 0, NULL, -1, 0, NULL, 4, "0 1 2 3", 0},
    {{4, 4, CYCLIC, 0, HALVES},
     8,
     1,
     0,
     NULL,
     -1,
     0,
     NULL,
     8,
     "0 1 2 3 8 9 10 11",
     0},
    {{4, 4, CYCLIC, 0, HALVES}, 4, 1, 0, NULL, 4, 0, NULL, 4, "0 4 8 12", 0},
    /* NUMA domains */
    {{1, 8, BLOCK, 2, HALVES}, 2, 1, 0, NULL, -1, 0, NULL, 2, "0 4", 0},
    {{1, 8, BLOCK, 2, HALVES}, 4, 1, 0, NULL, -1, 0, NULL, 4, "0 4 2 6", 0},
    {{1, 8, BLOCK, 2, HALVES}, 3, 1, 0, NULL, -1, 0, NULL, 3, "0 4 2", 0},
    {{1, 8, BLOCK, 2, TURNS}, 4, 1, 0, NULL, -1, 0, NULL, 4, "0 1 4 5", 0},
    {{2, 8, BLOCK, 4, HALVES},
     2,
     4,
     0,
     NULL,
     -1,
     0,
     NULL,
     8,
     "0 8 2 10 4 12 6 14",
     0},
};

static void put_ranks(struct adl_strbuf *sb, const struct adl_placement *p)
{
    for (int i = 0; i < p->count; i++)
        adl_strbuf_printf(sb, "%s%d", i ? " " : "", p->rank[i]);
}

static struct adl_place_ask ask_of(const struct row *row,
                                   const struct adl_nodemap *map)
{
    return (struct adl_place_ask){.nodes = map,
                                  .objects = row->objects,
                                  .multiplier = row->multiplier,
                                  .cb_nodes = row->cb_nodes,
                                  .stride = row->stride,
                                  .lock_mode = row->lock_mode,
                                  .config_list = row->config_list,
                                  .list = row->list};
}

static void check_row(const struct row *row, int number)
{
    struct adl_nodemap *map = make_map(&row->job);
    struct adl_place_ask ask = ask_of(row, map);
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_placement *p = NULL;

    assert_int_equal(adl_place(&ask, &notes, &p), 0);
    put_ranks(&sb, p);
    if (p->count != row->count || notes.count != row->notes ||
        (row->ranks && strcmp(row->ranks, adl_strbuf_text(&sb))))
        fail_msg("row %d: got %d: %s; %d notes, first '%s'", number, p->count,
                 adl_strbuf_text(&sb), notes.count,
                 notes.count ? notes.line[0] : "");
    for (int i = 0; i < p->count; i++)
        assert_int_equal(p->node[i], row->job.order == BLOCK
                                         ? p->rank[i] / row->job.per_node
                                         : p->rank[i] % row->job.nodes);
    adl_placement_destroy(p);
    adl_strbuf_release(&sb);
    adl_notes_release(&notes);
    adl_nodemap_destroy(map);
}

static void test_rows(void **state)
{
    int n = sizeof(rows) / sizeof(rows[0]);

    (void)state;
    assert_true(n >= 40);
    for (int i = 0; i < n; i++)
        check_row(&rows[i], i);
}

/* Nodes of different sizes: ranks 0-3, 4, 5. */
static void test_uneven(void **state)
{
    static const struct adl_run run[] = {
        {0, 4, 1, 0, 0}, {4, 1, 1, 0, 0}, {5, 1, 1, 0, 0}};
    struct adl_nodemap *map = adl_nodemap_create();
    struct adl_place_ask ask = {.nodes = map, .objects = 6, .multiplier = 1};
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_placement *p = NULL;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(adl_nodemap_add(map, NULL, &run[i], 1), 0);
    assert_int_equal(adl_place(&ask, NULL, &p), 0);
    put_ranks(&sb, p);
    assert_string_equal(sb.text, "0 4 5 1 2 3");
    adl_placement_destroy(p);
    adl_strbuf_release(&sb);
    adl_nodemap_destroy(map);
}

static void test_no_ranks(void **state)
{
    struct adl_nodemap *map = adl_nodemap_create();
    struct adl_place_ask ask = {.nodes = map, .objects = 6, .multiplier = 1};
    struct adl_placement *p = NULL;

    (void)state;
    assert_true(adl_place(&ask, NULL, &p) < 0);
    assert_null(p);
    adl_nodemap_destroy(map);
    adl_placement_destroy(NULL);
}

static void test_hints(void **state)
{
    struct job job = J(4, 4);
    struct adl_nodemap *map = make_map(&job);
    struct adl_place_ask ask;
    struct adl_placement *p = NULL;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    adl_hints_set(&h, "CO", "2", ADL_FROM_INFO, NULL);
    adl_hints_set(&h, "cb_config_list", "*:1", ADL_FROM_INFO, NULL);
    ask = adl_place_ask_of(&h, map, 8);
    assert_int_equal(ask.multiplier, 2);
    assert_int_equal(adl_place(&ask, NULL, &p), 0);
    assert_int_equal(p->count, 4);
    adl_placement_destroy(p);
    adl_hints_release(&h);
    adl_nodemap_destroy(map);
}

/* ---- what always holds --------------------------------------------- */

static void check_distinct(const struct adl_placement *p, int nranks)
{
    char *seen = calloc(1, (size_t)nranks);

    for (int i = 0; i < p->count; i++) {
        assert_in_range(p->rank[i], 0, nranks - 1);
        assert_false(seen[p->rank[i]]);
        seen[p->rank[i]] = 1;
    }
    free(seen);
}

/* Aggregators on the fullest and the emptiest node. */
static void count_nodes(const struct adl_placement *p, int nodes, int *most,
                        int *least)
{
    int *n = calloc((size_t)nodes, sizeof(*n));

    for (int i = 0; i < p->count; i++)
        n[p->node[i]]++;
    *most = 0;
    *least = p->count;
    for (int i = 0; i < nodes; i++) {
        *most = n[i] > *most ? n[i] : *most;
        *least = n[i] < *least ? n[i] : *least;
    }
    free(n);
}

/* Nodes that hold owners of group g. */
static int nodes_of_group(const struct adl_placement *p, int g, int groups)
{
    int b, n = 0;

    for (int a = g; a < p->count; a += groups) {
        for (b = g; b < a && p->node[b] != p->node[a]; b += groups)
            ;
        n += b == a;
    }
    return n;
}

static void check_owners(const struct adl_placement *p, const struct row *row)
{
    int groups = p->count < row->objects ? p->count : row->objects;
    int split = 0, most, least, n;

    count_nodes(p, row->job.nodes, &most, &least);
    if (row->lock_mode || p->count == groups)
        assert_true(most - least <= 1);
    for (int g = 0; g < groups; g++) {
        int owners = (p->count - g + groups - 1) / groups;

        n = nodes_of_group(p, g, groups);
        if (row->lock_mode == 0)
            split += n > 1;
        else if (most <= groups)
            assert_int_equal(n, owners);
        else /* every node has an owner of every group */
            assert_int_equal(n, row->job.nodes);
    }
    if (row->lock_mode == 0)
        assert_int_equal(split, p->split);
    if (row->lock_mode == 0 &&
        (p->count + groups - 1) / groups <= row->job.per_node / 2 &&
        row->objects <= row->job.nodes)
        assert_int_equal(p->split, 0);
}

static void check_random(unsigned *seed)
{
    struct row row = {.stride = -1};
    struct adl_place_ask ask;
    struct adl_placement *p = NULL;
    struct adl_nodemap *map;
    int64_t want;
    int nranks, r[6];

    for (int i = 0; i < 6; i++) {
        *seed = *seed * 1103515245 + 12345;
        r[i] = (int)(*seed >> 16 & 0x7fff);
    }
    row.job = (struct job){1 + r[0] % 17, 1 + r[1] % 13, r[5] & 1, r[5] / 2 % 4,
                           r[5] / 8 & 1};
    row.objects = 1 + r[2] % 40;
    row.multiplier = 1 + r[3] % 6;
    row.lock_mode = r[4] % 3;
    row.cb_nodes = r[4] % 5 ? 0 : 1 + r[4] % 100;
    nranks = row.job.nodes * row.job.per_node;
    want = row.cb_nodes ? row.cb_nodes : row.objects * row.multiplier;
    map = make_map(&row.job);
    ask = ask_of(&row, map);
    assert_int_equal(adl_place(&ask, NULL, &p), 0);
    assert_int_equal(p->count, want < nranks ? want : nranks);
    check_distinct(p, nranks);
    check_owners(p, &row);
    adl_placement_destroy(p);
    adl_nodemap_destroy(map);
}

static void test_random(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int i = 0; i < 3000; i++)
        check_random(&seed);
}

/* ---- size ---------------------------------------------------------- */

static double seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void place_large(struct row row, int count)
{
    struct adl_nodemap *map = make_map(&row.job);
    struct adl_place_ask ask = ask_of(&row, map);
    struct adl_placement *p = NULL;

    assert_int_equal(adl_place(&ask, NULL, &p), 0);
    assert_int_equal(p->count, count);
    check_distinct(p, row.job.nodes * row.job.per_node);
    adl_placement_destroy(p);
    adl_nodemap_destroy(map);
}

/* 100,000 ranks on 1,000 nodes and 1,000 OSTs: under a second and 50 MB. */
static void test_large(void **state)
{
    static const struct job job = {1000, 100, BLOCK, 4, HALVES};
    static const struct job dealt = {1000, 100, CYCLIC, 4, TURNS};
    struct rusage use;
    double start = seconds(), took;

    (void)state;
    place_large((struct row){.job = job, .objects = 1000, .multiplier = 1},
                1000);
    took = seconds() - start;
    place_large((struct row){.job = dealt, .objects = 1000, .multiplier = 4},
                4000);
    place_large(
        (struct row){
            .job = job, .objects = 1000, .multiplier = 100, .lock_mode = 2},
        100000);
    place_large(
        (struct row){
            .job = job, .objects = 1000, .multiplier = 8, .stride = 16},
        8000);
    getrusage(RUSAGE_SELF, &use);
    print_message("# 100000 ranks: %.3f s, peak %ld KiB\n", took,
                  use.ru_maxrss);
    assert_true(took < 1.0);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(use.ru_maxrss < 50 * 1024);
#endif
}

/* cb_config_list=*:nics: as many as a node has, one where it is not known. */
static void test_nics(void **state)
{
    static const struct {
        int nics, count;
    } rows[] = {{0, 2}, {1, 2}, {4, 8}, {99, 16}};
    struct adl_resident who[16];

    (void)state;
    memset(who, 0, sizeof(who));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_nodemap *map = NULL;
        struct adl_placement *p = NULL;
        struct adl_place_ask ask = {.objects = 64, .config_list = "*:nics"};

        for (int r = 0; r < 16; r++) {
            who[r].node[0] = (uint64_t)r / 8;
            who[r].nics = rows[i].nics;
        }
        assert_int_equal(adl_nodemap_build(who, 16, &map), 0);
        ask.nodes = map;
        assert_int_equal(adl_place(&ask, NULL, &p), 0);
        assert_int_equal(p->count, rows[i].count);
        adl_placement_destroy(p);
        adl_nodemap_destroy(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nics),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_uneven), cmocka_unit_test(test_no_ranks),
        cmocka_unit_test(test_hints),  cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
