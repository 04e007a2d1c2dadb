/* nodemap.c - test node maps, runs of ranks, and even shares */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../nodes/balance.h"
#include "../nodes/nodemap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MAX 16

static const struct {
    int limit[MAX], n, total;
    int share[MAX], sum;
} shares[] = {
    {{4, 4, 4, 4}, 4, 0, {0, 0, 0, 0}, 0},
    {{4, 4, 4, 4}, 4, 1, {1, 0, 0, 0}, 1},
    {{4, 4, 4, 4}, 4, 2, {1, 0, 1, 0}, 2},
    {{4, 4, 4, 4}, 4, 3, {1, 1, 1, 0}, 3},
    {{4, 4, 4, 4}, 4, 4, {1, 1, 1, 1}, 4},
    {{4, 4, 4, 4}, 4, 6, {2, 1, 2, 1}, 6},
    {{4, 4, 4, 4}, 4, 16, {4, 4, 4, 4}, 16},
    {{4, 4, 4, 4}, 4, 99, {4, 4, 4, 4}, 16},
    {{1, 9, 1}, 3, 7, {1, 5, 1}, 7},
    {{0, 9, 0}, 3, 7, {0, 7, 0}, 7},
    {{0, 0}, 2, 7, {0, 0}, 0},
    {{1, 1, 1, 1, 1, 1, 1, 1}, 8, 3, {1, 0, 1, 0, 0, 1, 0, 0}, 3},
};

static void test_balance(void **state)
{
    int share[MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        assert_int_equal(
            adl_balance(shares[i].limit, shares[i].n, shares[i].total, share),
            shares[i].sum);
        for (int k = 0; k < shares[i].n; k++)
            if (share[k] != shares[i].share[k])
                fail_msg("row %zu: share %d is %d", i, k, share[k]);
    }
}

/* Ranks on nodes named by letters, their domains, and the runs of node a. */
static const struct {
    const char *where, *numa;
    const char *runs; /* first,count,step,numa */
} runs[] = {
    {"a", "0", "0,1,1,0 "},
    {"aaaa", "0000", "0,4,1,0 "},
    {"abbbabbbabbba", "0000000000000", "0,4,4,0 "},
    {"aabbbabbba", "0000000000", "0,2,1,0 5,2,4,0 "},
    {"aaaa", "0011", "0,2,1,0 2,2,1,1 "},
    {"aaaa", "0101", "0,2,2,0 1,2,2,1 "},
    {"aaaa", "1000", "1,3,1,0 0,1,1,1 "},
};

static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct adl_resident who[MAX] = {0};
        struct adl_strbuf sb = ADL_STRBUF_INIT;
        struct adl_nodemap *map = NULL;
        int n = (int)strlen(runs[i].where), nruns;
        struct adl_run run[MAX];
        char text[200] = "";

        for (int r = 0; r < n; r++) {
            who[r].node[0] = (uint64_t)runs[i].where[r];
            who[r].numa = runs[i].numa[r] - '0';
        }
        assert_int_equal(adl_nodemap_build(who, n, &map), 0);
        adl_nodemap_pack(map, &sb);
        memcpy(&nruns, sb.text, sizeof(nruns));
        memcpy(run, sb.text + sizeof(nruns), sizeof(*run) * (size_t)nruns);
        for (int k = 0; k < nruns; k++)
            sprintf(text + strlen(text), "%d,%d,%d,%d ", run[k].first,
                    run[k].count, run[k].step, run[k].numa);
        assert_string_equal(text, runs[i].runs);
        adl_strbuf_release(&sb);
        adl_nodemap_destroy(map);
    }
}

static void test_map(void **state)
{
    static const struct adl_run a[] = {{0, 4, 2, 0, 0}, {1, 4, 2, 1, 0}};
    static const struct adl_run b[] = {{8, 1, 1, 0, 0}, {10, 2, 1, 0, 0}};
    struct adl_nodemap *map = adl_nodemap_create();
    int pick[8], node[12];

    (void)state;
    assert_int_equal(adl_nodemap_add(map, "a", a, 2), 0);
    assert_int_equal(adl_nodemap_add(map, NULL, b, 2), 0);
    assert_int_equal(adl_nodemap_nodes(map), 2);
    assert_int_equal(adl_nodemap_ranks(map), 11);
    assert_int_equal(adl_nodemap_size(map, 1), 3);
    assert_string_equal(adl_nodemap_name(map, 0), "a");
    assert_null(adl_nodemap_name(map, 1));
    assert_int_equal(adl_nodemap_pick(map, 0, 4, pick), 0);
    assert_true(pick[0] == 0 && pick[1] == 1 && pick[2] == 4 && pick[3] == 5);
    assert_int_equal(adl_nodemap_pick(map, 1, 3, pick), 0);
    assert_true(pick[0] == 8 && pick[1] == 10 && pick[2] == 11);
    assert_int_equal(adl_nodemap_pick(map, 1, 4, pick), -EINVAL);
    adl_nodemap_expand(map, 12, node);
    for (int i = 0; i < 12; i++)
        assert_int_equal(node[i], i < 8 ? 0 : i == 9 ? -1 : 1);
    adl_nodemap_destroy(map);
    adl_nodemap_destroy(NULL);
}

static void test_bad_runs(void **state)
{
    static const struct adl_run bad[] = {{0, 0, 1, 0, 0},
                                         {-1, 1, 1, 0, 0},
                                         {0, 2, 0, 0, 0},
                                         {1 << 30, 3, 1 << 30, 0, 0}};
    struct adl_nodemap *map = adl_nodemap_create();

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(adl_nodemap_add(map, "x", &bad[i], 1), -EINVAL);
    assert_int_equal(adl_nodemap_add(map, "x", bad, 0), -EINVAL);
    assert_int_equal(adl_nodemap_nodes(map), 0);
    adl_nodemap_destroy(map);
}

/* ---- from what the ranks say ---- */

/* Ranks on nodes named by letters; runs as they should be, node by node. */
static const struct {
    const char *where;
    const char *runs; /* first,count,step of each, nodes apart by | */
} said[] = {
    {"a", "0,1,1 |"},
    {"aaaa", "0,4,1 |"},
    {"abab", "0,2,2 |1,2,2 |"},
    {"bbaa", "0,2,1 |2,2,1 |"},
    {"dcba", "0,1,1 |1,1,1 |2,1,1 |3,1,1 |"},
    {"abca", "0,2,3 |1,1,1 |2,1,1 |"},
    {"abbaab", "0,2,3 4,1,1 |1,2,1 5,1,1 |"},
};

static void runs_text(const struct adl_nodemap *map, char *text, size_t size)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    size_t used = 0;

    adl_nodemap_pack(map, &sb);
    for (size_t at = 0; at < sb.len;) {
        struct adl_run run;
        int n;

        memcpy(&n, sb.text + at, sizeof(n));
        for (at += sizeof(n); n-- > 0; at += sizeof(run)) {
            memcpy(&run, sb.text + at, sizeof(run));
            used += (size_t)snprintf(text + used, size - used, "%d,%d,%d ",
                                     run.first, run.count, run.step);
        }
        used += (size_t)snprintf(text + used, size - used, "|");
    }
    adl_strbuf_release(&sb);
}

/* Every rank is where it said, before and after packing. */
static void check_places(const struct adl_nodemap *map, const char *where)
{
    int n = (int)strlen(where);

    for (int r = 0; r < n; r++) {
        int place, lower = 0, first = (int)(strchr(where, where[r]) - where);
        int node = adl_nodemap_locate(map, r, &place), found = 0;

        for (int i = 0; i < r; i++)
            lower += where[i] == where[r];
        assert_int_equal(place, lower);
        assert_int_equal(adl_nodemap_first(map, node), first);
        for (int i = 0; i < adl_nodemap_size(map, node); i++)
            found += adl_nodemap_member(map, node, i) == r;
        assert_int_equal(found, 1);
    }
    assert_int_equal(adl_nodemap_locate(map, n, &n), -1);
}

static void test_build(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        struct adl_resident who[MAX] = {0};
        struct adl_strbuf sb = ADL_STRBUF_INIT;
        struct adl_nodemap *map = NULL, *copy = NULL;
        int n = (int)strlen(said[i].where);
        char text[256] = "";

        for (int r = 0; r < n; r++) {
            who[r].node[i % 2] = /* they may differ in either half */
                (uint64_t)said[i].where[r];
            who[r].name[0] = said[i].where[r];
        }
        assert_int_equal(adl_nodemap_build(who, n, &map), 0);
        runs_text(map, text, sizeof(text));
        assert_string_equal(text, said[i].runs);
        assert_int_equal(adl_nodemap_name(map, 0)[0], said[i].where[0]);
        check_places(map, said[i].where);
        adl_nodemap_pack(map, &sb);
        assert_int_equal(adl_nodemap_unpack(sb.text, sb.len, &copy), 0);
        check_places(copy, said[i].where);
        for (size_t cut = 1; cut < sb.len; cut++) {
            struct adl_nodemap *part = NULL;

            if (adl_nodemap_unpack(sb.text, cut, &part) == 0)
                adl_nodemap_destroy(part);
            else
                assert_null(part);
        }
        adl_strbuf_release(&sb);
        adl_nodemap_destroy(copy);
        adl_nodemap_destroy(map);
    }
}

/* Aggregators of a node are picked from its domains in turn. */
static void test_bound(void **state)
{
    struct adl_resident who[4] = {0};
    struct adl_nodemap *map = NULL;
    int picked[2];

    (void)state;
    for (int r = 0; r < 4; r++)
        who[r].numa = r / 2;
    assert_int_equal(adl_nodemap_build(who, 4, &map), 0);
    assert_int_equal(adl_nodemap_pick(map, 0, 2, picked), 0);
    assert_int_equal(picked[0], 0);
    assert_int_equal(picked[1], 2);
    adl_nodemap_destroy(map);
}

/* ---- NICs ---- */

/* A node of `domains` domains with `each` ranks, which are dealt to them in
 * turn or in blocks; NICs near each domain; how many picks; the ranks. */
static const struct {
    const char *machine;
    int domains, each, blocks, near[8], n;
    const char *ranks;
} picks[] = {
    {"no NICs known", 2, 4, 0, {0, 0}, 3, "0 1 4 "},
    {"one NIC, near the second domain", 2, 4, 0, {0, 1}, 1, "1 "},
    {"one NIC, near the second domain", 2, 4, 0, {0, 1}, 2, "1 5 "},
    {"more than there are near it", 2, 2, 0, {0, 1}, 3, "0 1 3 "},
    {"all ranks", 2, 2, 0, {0, 1}, 4, "0 1 2 3 "},
    {"three NICs", 2, 6, 1, {2, 1}, 3, "0 6 3 "},
    {"three NICs, twice as many", 2, 6, 1, {2, 1}, 6, "0 6 1 9 3 4 "},
    {"near the whole machine", 2, 4, 0, {1, 1}, 2, "0 1 "},
    /* 8 ranks in blocks of two cores' groups, as the site's default */
    {"Frontier, 1", 4, 2, 1, {1, 1, 1, 1}, 1, "0 "},
    {"Frontier, 2", 4, 2, 1, {1, 1, 1, 1}, 2, "0 4 "},
    {"Frontier, 4", 4, 2, 1, {1, 1, 1, 1}, 4, "0 2 4 6 "},
    {"Aurora, 2", 2, 6, 1, {4, 4}, 2, "0 6 "},
    {"Aurora, 8", 2, 6, 1, {4, 4}, 8, "0 6 1 7 3 9 4 10 "},
};

static struct adl_nodemap *map_of(size_t row, int nics)
{
    struct adl_resident who[64];
    struct adl_nodemap *map = NULL;
    int domains = picks[row].domains, n = domains * picks[row].each;

    memset(who, 0, sizeof(who));
    for (int r = 0; r < n; r++) {
        who[r].numa = picks[row].blocks ? r / picks[row].each : r % domains;
        who[r].near = picks[row].near[who[r].numa];
        who[r].nics = nics;
    }
    assert_int_equal(adl_nodemap_build(who, n, &map), 0);
    return map;
}

static void test_nics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(picks) / sizeof(picks[0]); i++) {
        struct adl_nodemap *map = map_of(i, 5);
        char text[200] = "";
        int rank[64], at = 0;

        assert_int_equal(adl_nodemap_nics(map, 0), 5);
        assert_int_equal(adl_nodemap_pick(map, 0, picks[i].n, rank), 0);
        for (int k = 0; k < picks[i].n; k++)
            at += snprintf(text + at, sizeof(text) - at, "%d ", rank[k]);
        if (strcmp(text, picks[i].ranks) != 0)
            fail_msg("%s: %s instead of %s", picks[i].machine, text,
                     picks[i].ranks);
        adl_nodemap_destroy(map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nics),     cmocka_unit_test(test_build),
        cmocka_unit_test(test_bound),    cmocka_unit_test(test_balance),
        cmocka_unit_test(test_runs),     cmocka_unit_test(test_map),
        cmocka_unit_test(test_bad_runs),
    };

    return cmocka_run_group_tests_name("nodemap", tests, NULL, NULL);
}
