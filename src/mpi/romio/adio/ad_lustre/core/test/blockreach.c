/* blockreach.c - tests of core/blockreach: a table of blocks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/blockreach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define MIB (1 << 20)

/* 4 ranks; the block of one of them. */
struct row {
    const char *what;
    struct adl_claim all;
    struct adl_blockreach block, expected;
};

/* clang-format off */
static const struct row rows[] = {
    {"block after block",
     {.end = 4 * MIB, .pieces = 4, .most = MIB, .least = MIB},
     {MIB, 2 * MIB}, {MIB, 2 * MIB}},
    {"8 MiB apart",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB},
     {8 * MIB, 9 * MIB}, {8 * MIB, 16 * MIB}},
    {"the last of them",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB},
     {24 * MIB, 25 * MIB}, {24 * MIB, 32 * MIB}},
    {"later calls start higher",
     {.start = 3 * MIB, .end = 28 * MIB, .pieces = 4, .most = MIB,
      .least = MIB},
     {11 * MIB, 12 * MIB}, {11 * MIB, 19 * MIB}},
    {"not all at one distance",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB},
     {9 * MIB, 10 * MIB}, {9 * MIB, 10 * MIB}},
    {"a distance that does not divide the span",
     {.end = 26 * MIB, .pieces = 4, .most = MIB, .least = MIB},
     {8 * MIB, 9 * MIB}, {8 * MIB, 9 * MIB}},
    {"of different sizes",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB / 2},
     {8 * MIB, 9 * MIB}, {8 * MIB, 9 * MIB}},
    {"in another order than the ranks",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB,
      .flags = ADL_CLAIM_INTERLEAVED},
     {8 * MIB, 9 * MIB}, {8 * MIB, 16 * MIB}},
    {"several pieces a rank",
     {.end = 25 * MIB, .pieces = 4, .most = MIB, .least = MIB,
      .flags = ADL_CLAIM_NONCONTIG},
     {8 * MIB, 9 * MIB}, {8 * MIB, 9 * MIB}},
    {"one block",
     {.end = MIB, .pieces = 1, .most = MIB, .least = MIB},
     {0, MIB}, {0, MIB}},
    {"pages of its own",
     {.end = 4000000, .pieces = 4, .most = 1000000, .least = 1000000},
     {1000000, 2000000}, {1003520, 1998848}},
    {"none of them",
     {.end = 400, .pieces = 4, .most = 100, .least = 100},
     {100, 200}, {4096, 0}},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_blockreach r = rows[i].block;

        adl_blockreach_whole(&r, &rows[i].all);
        if (r.start != rows[i].expected.start || r.end != rows[i].expected.end)
            fail_msg("%s: [%jd, %jd)", rows[i].what, (intmax_t)r.start,
                     (intmax_t)r.end);
    }
}

/* Parts of which each is on another object can be asked for at a time. */
static void test_parts(void **state)
{
    static const struct {
        const char *what;
        struct adl_blockreach range;
        int64_t stripe;
        int objects, parts;
    } of[] = {
        {"a stripe", {MIB, 2 * MIB}, MIB, 4, 1},
        {"a row", {0, 4 * MIB}, MIB, 4, 4},
        {"a row, from the middle", {2 * MIB, 6 * MIB}, MIB, 4, 4},
        {"not from a border", {4096, 2 * MIB}, MIB, 4, 2},
        {"over the borders of a row", {4096, 4 * MIB + 4096}, MIB, 4, 1},
        {"two rows", {0, 8 * MIB}, MIB, 4, 1},
        {"one object", {0, 2 * MIB}, MIB, 1, 1},
        {"no stripes", {0, 2 * MIB}, 0, 0, 1},
        {"nothing", {MIB, MIB}, MIB, 4, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct adl_blockreach rest = of[i].range, part;
        int64_t at = rest.start;
        int n = 0;

        for (; adl_blockreach_part(&rest, of[i].stripe, of[i].objects, &part);
             n++) {
            assert_int_equal(part.start, at);
            assert_true(part.end > at);
            at = part.end;
        }
        assert_int_equal(at, of[i].range.end);
        if (n != of[i].parts)
            fail_msg("%s: %d parts", of[i].what, n);
    }
}

/* No two ranks ask for a byte in common, whatever the sizes. */
static void test_apart(void **state)
{
    (void)state;
    for (int64_t size = 1000; size < 40000; size += 777) {
        for (int64_t gap = 0; gap < 30000; gap += 501) {
            struct adl_claim all = {.start = 123,
                                    .end = 123 + 7 * (size + gap) + size,
                                    .pieces = 8,
                                    .most = size,
                                    .least = size};
            int64_t last = 0;

            for (int r = 0; r < 8; r++) {
                int64_t at = 123 + r * (size + gap);
                struct adl_blockreach b = {at, at + size};

                adl_blockreach_whole(&b, &all);
                if (b.start >= b.end)
                    continue;
                assert_true(b.start >= last);
                assert_true(b.start >= at && b.start % 4096 == 0);
                last = b.end;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_apart)};

    return cmocka_run_group_tests_name("blockreach", tests, NULL, NULL);
}
