/* choice.c - tests of core/choice: a table of calls */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/choice.h"
#include "../hints/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define MIB (1 << 20)

/* Blocks of 1 MiB of 8 ranks on 4 nodes, read from flash, on 4 objects with an
 * aggregator each, nothing asked for.
 * Every row changes one thing of it. */
struct row {
    const char *what;
    int expected; /* through the aggregators */
    struct adl_choice file;
    struct adl_claim all;
    int write, apart;
};

#define MACHINE                                                          \
    .on_lustre = 1, .stripe = MIB, .objects = 4, .ranks = 8, .nodes = 4, \
    .aggs = 4, .ahead = 1
#define FILE_ .cb = ADL_AUTOMATIC, MACHINE
#define ALL                                                                  \
    .start = 0, .end = 8 * MIB, .bytes = 8 * MIB, .pieces = 8, .least = MIB, \
    .most = MIB

/* clang-format off */
static const struct row rows[] = {
    {"blocks apart", 0, {FILE_}, {ALL}, 0, 1},
    {"written", 0, {FILE_}, {ALL}, 1, 1},
    {"written, perhaps overlapping", 1, {FILE_}, {ALL}, 1, 0},
    {"written under locks", 1, {FILE_, .guarded = 1}, {ALL}, 1, 1},
    {"written, nonblocking", 1, {FILE_, .later = 1}, {ALL}, 1, 1},
    {"written, in no order", 1,
     {FILE_}, {ALL, .flags = ADL_CLAIM_TANGLED}, 1, 1},
    {"written, asked for aggregation", 1,
     {.cb = ADL_ENABLE, MACHINE}, {ALL}, 1, 1},
    {"asked for aggregation", 1,
     {.cb = ADL_ENABLE, MACHINE}, {ALL}, 0, 1},
    {"cannot be aggregated", 0,
     {FILE_, .alone = 1}, {ALL}, 1, 1},
    {"no rank has bytes", 0, {FILE_}, {.start = 1}, 0, 0},
    {"the next of several reads", 1, {FILE_, .follows = 1}, {ALL}, 0, 1},
    {"the next, with gaps between the blocks", 0, {FILE_, .follows = 1},
     {.end = 64 * MIB, .bytes = 8 * MIB, .pieces = 8, .least = MIB,
      .most = MIB}, 0, 1},
    {"disks", 1, {FILE_, .seeks = 1}, {ALL}, 0, 1},
    {"disks, 4 MiB of an object in a row", 0, {FILE_, .seeks = 1},
     {.end = 128 * MIB, .bytes = 128 * MIB, .pieces = 8, .least = 16 * MIB,
      .most = 16 * MIB}, 0, 1},
    {"locks or promises", 1, {FILE_, .guarded = 1}, {ALL}, 0, 1},
    {"in the aggregators' caches", 1, {FILE_, .gathered = 1}, {ALL}, 0, 1},
    {"several pieces a rank", 1,
     {FILE_}, {ALL, .flags = ADL_CLAIM_NONCONTIG}, 0, 1},
    {"several large pieces a rank", 0, {FILE_},
     {.end = 512 * MIB, .bytes = 512 * MIB, .pieces = 32, .least = 64 * MIB,
      .most = 64 * MIB, .flags = ADL_CLAIM_NONCONTIG}, 0, 1},
    {"in another order than the ranks", 0,
     {FILE_}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 0, 1},
    {"perhaps overlapping", 1,
     {FILE_}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 0, 0},
    {"64 requests an object", 0,
     {FILE_}, {.end = 32 * MIB, .bytes = 32 * MIB, .pieces = 256,
               .least = 131072, .most = 131072}, 0, 1},
    {"65 requests an object", 1,
     {FILE_}, {.end = 33 * MIB, .bytes = 33 * MIB, .pieces = 257,
               .least = 131072, .most = 262144}, 0, 1},
    {"all of them for one object", 1,
     {.cb = ADL_AUTOMATIC, .on_lustre = 1, .stripe = 16 * MIB, .objects = 4},
     {.start = 16 * MIB, .end = 32 * MIB, .bytes = 16 * MIB, .pieces = 65,
      .least = 258111, .most = 258112}, 0, 1},
    {"across the border of two", 0,
     {.cb = ADL_AUTOMATIC, .on_lustre = 1, .stripe = 16 * MIB, .objects = 4},
     {.start = 16 * MIB - 1, .end = 32 * MIB - 1, .bytes = 16 * MIB,
      .pieces = 65, .least = 258111, .most = 258112}, 0, 1},
    {"small blocks", 1,
     {FILE_}, {.end = 8 * 4096, .bytes = 8 * 4096, .pieces = 8,
               .least = 4096, .most = 4096}, 0, 1},
    {"blocks of 64 KiB", 1,
     {FILE_}, {.end = 8 * 65536, .bytes = 8 * 65536, .pieces = 8,
               .least = 65536, .most = 65536}, 0, 1},
    {"blocks of 128 KiB", 0,
     {FILE_}, {.end = 8 * 131072, .bytes = 8 * 131072, .pieces = 8,
               .least = 131072, .most = 131072}, 0, 1},
    {"small and large ones", 0,
     {FILE_}, {.end = MIB + 4096, .bytes = MIB + 4096, .pieces = 2,
               .least = 4096, .most = MIB}, 0, 1},
    {"elsewhere than on Lustre", 0,
     {.cb = ADL_AUTOMATIC, .seeks = 1, .stripe = MIB, .objects = 4},
     {ALL}, 0, 1},
    {"elsewhere, small blocks", 1,
     {.cb = ADL_AUTOMATIC, .stripe = MIB, .objects = 4},
     {.end = 8 * 4096, .bytes = 8 * 4096, .pieces = 8, .least = 4096}, 0, 1},
    {"written, from the threshold on", 0,
     {FILE_, .threshold = MIB, .held = 1, .seeks = 1}, {ALL}, 1, 1},
    {"written under locks, from the threshold on", 1,
     {FILE_, .threshold = MIB, .guarded = 1}, {ALL}, 1, 1},
    {"written, below the threshold", 1,
     {FILE_, .threshold = MIB + 1}, {ALL}, 1, 0},
    {"written interleaved, from the threshold on", 1,
     {FILE_, .threshold = MIB}, {ALL, .flags = ADL_CLAIM_INTERLEAVED}, 1, 0},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *r = &rows[i];
        struct adl_claim all = r->all;
        struct adl_terms terms = {.start = r->all.start,
                                  .end = r->all.end,
                                  .bytes = r->all.bytes,
                                  .write = r->write,
                                  .whole = all.bytes == all.end - all.start,
                                  .apart = r->apart};

        all.flags |= ADL_CLAIM_UNLOCKED;
        if (adl_choice_aggregate(&r->file, &all, &terms) != r->expected)
            fail_msg("%s: not %d", r->what, r->expected);
    }
}

/* ---- writes: which blocks are large ---- */

/* The smallest block of which every rank writes its own, of 4 KiB to 256 MiB in
 * powers of two; 0: none. Blocks follow each other in the file. */
static int64_t turns_at(struct adl_choice file, int blocks, int64_t lock_time,
                        int locked)
{
    struct adl_terms terms = {.write = 1, .apart = 1};

    for (int64_t size = 4096; size <= 256 * MIB; size *= 2) {
        int64_t n = (int64_t)file.ranks * blocks;
        struct adl_claim all = {.end = n * size,
                                .bytes = n * size,
                                .pieces = n,
                                .least = blocks * size,
                                .most = blocks * size,
                                .bits = size,
                                .lock_time = lock_time};

        all.flags = (blocks > 1 ? ADL_CLAIM_NONCONTIG : 0) |
                    (locked ? 0 : ADL_CLAIM_UNLOCKED);
        if (!adl_choice_aggregate(&file, &all, &terms))
            return size;
    }
    return 0;
}

struct turn {
    const char *what;
    int64_t expected; /* KiB */
    int blocks;       /* a rank */
    struct adl_choice file;
};

#define ON(r, n, a, o)                                                \
    .on_lustre = 1, .stripe = MIB, .ranks = r, .nodes = n, .aggs = a, \
    .objects = o, .cb = ADL_AUTOMATIC

/* clang-format off */
static const struct turn turns[] = {
    {"8 ranks, 4 aggregators", 512, 1, {ON(8, 4, 4, 4), .ahead = 1}},
    {"all have it open", 512, 1, {ON(8, 4, 4, 4), .ahead = 1, .opened = 1}},
    {"aggregators hold it", 2048, 1, {ON(8, 4, 4, 4), .ahead = 1, .held = 1}},
    {"no locks ahead", 4096, 1, {ON(8, 4, 4, 4)}},
    {"one node", 512, 1, {ON(8, 1, 4, 4)}},
    {"one object", 512, 1, {ON(8, 4, 1, 1), .ahead = 1}},
    {"a rank, a node, an object each", 512, 1, {ON(8, 8, 8, 8), .ahead = 1}},
    {"4 blocks a rank", 512, 4, {ON(8, 4, 4, 4), .ahead = 1}},
    {"64 blocks a rank", 512, 64, {ON(8, 4, 4, 4), .ahead = 1}},
    {"64 ranks an aggregator", 512, 1, {ON(1024, 16, 16, 16), .ahead = 1}},
    {"100,000 ranks", 8192, 1, {ON(100000, 2000, 512, 256), .ahead = 1}},
};
/* clang-format on */

static void test_turns(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        const struct turn *t = &turns[i];
        int64_t at = turns_at(t->file, t->blocks, 0, 0);

        if (at != t->expected * 1024)
            fail_msg("%s: turns at %jd KiB", t->what, (intmax_t)at / 1024);
    }
}

/* Where locks have been measured, or each rank has its own already. */
static const struct {
    const char *what;
    int64_t expected;  /* KiB */
    int64_t lock_time; /* ns */
    int blocks, held, locked;
} measured[] = {
    {"a lock takes 8 ms", 4096, 8000000, 1, 0, 0},
    {"64 blocks a rank", 8192, 8000000, 64, 0, 0},
    {"every rank has its own", 512, 8000000, 1, 0, 1},
    {"or had, before the aggregators wrote", 32768, 8000000, 1, 1, 1},
    {"a lock takes no time", 512, 1, 1, 0, 0},
    {"a lock takes for ever", 0, INT64_MAX, 1, 0, 0},
};

static void test_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        struct adl_choice file = {ON(8, 4, 4, 4), .ahead = 1,
                                  .held = measured[i].held};
        int64_t at = turns_at(file, measured[i].blocks, measured[i].lock_time,
                              measured[i].locked);

        if (at != measured[i].expected * 1024)
            fail_msg("%s: turns at %jd KiB", measured[i].what,
                     (intmax_t)at / 1024);
    }
}

/* No cost becomes negative or overflows, whatever the sizes. */
static void test_extremes(void **state)
{
    const int64_t sizes[] = {1, 4096, 1LL << 30, 1LL << 38};
    const int counts[] = {1, 7, 100000};

    (void)state;
    for (int i = 0; i < 4 * 4 * 3 * 3; i++) {
        int64_t size = sizes[i % 4], n = counts[i / 16 % 3];
        struct adl_choice f = {ON(counts[i / 48], 3, 2, counts[i / 16 % 3])};
        struct adl_claim all = {.end = n * size,
                                .bytes = n * size,
                                .pieces = n,
                                .most = size,
                                .least = size,
                                .bits = size};
        struct adl_choice_costs c;

        f.stripe = sizes[i / 4 % 4];
        c = adl_choice_costs(&f, &all);
        assert_true(c.alone > 0 && c.through > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_measured), cmocka_unit_test(test_extremes)};

    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
