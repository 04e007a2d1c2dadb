/* ahead.c - tests of core/ahead: tables of calls and of pieces */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/ahead.h"
#include "../layout/layout.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define CALLS 4
#define FAR ((int64_t)1 << 40)

/* ---- rows ---- */

/* clang-format off */
/* Spans of the calls of a file, and where what is expected after each ends; 0:
 * nothing is. An empty span stands for something that is no such read. */
static const struct {
    const char *what;
    struct {
        int64_t start, end, expected;
    } call[CALLS];
} rows[] = {
    {"one call", {{0, 100, 0}}},
    {"two in a row", {{0, 100, 0}, {100, 250, 400}}},
    {"not from the beginning", {{500, 600, 0}, {600, 700, 800}}},
    {"as long as the sequence so far",
     {{0, 10, 0}, {10, 30, 50}, {30, 33, 56}, {33, 133, 233}}},
    {"at most the room", {{0, 5, 0}, {5, 75, 145}, {75, 85, 162}}},
    {"from the second call on", {{500, 510, 0}, {510, 520, 530}, {520, 530, 550}}},
    {"a gap", {{0, 10, 0}, {10 + ADL_AHEAD_GAP, 80000, 94454}}},
    {"a larger gap", {{0, 10, 0}, {11 + ADL_AHEAD_GAP, 80000, 0}}},
    {"the same again", {{0, 100, 0}, {0, 100, 0}, {0, 100, 0}}},
    {"overlapping", {{0, 100, 0}, {99, 200, 0}, {200, 300, 400}}},
    {"backwards", {{200, 300, 0}, {100, 200, 0}, {0, 100, 0}}},
    {"a jump ends it",
     {{0, 10, 0}, {10, 20, 30}, {FAR, FAR + 9, 0},
      {FAR + 9, FAR + 10, FAR + 11}}},
    {"so does something else",
     {{0, 10, 0}, {10, 20, 30}, {0, 0, 0}, {20, 30, 0}}},
    {"no offset is too large",
     {{0, INT64_MAX - 20, 0}, {INT64_MAX - 20, INT64_MAX - 5, INT64_MAX}}},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_ahead ahead = {0};

        for (int c = 0; c < CALLS; c++) {
            int64_t start = rows[i].call[c].start, end = rows[i].call[c].end;
            struct adl_ahead_range range = {0, 0, 0};

            if (end == 0)
                adl_ahead_forget(&ahead);
            else if (adl_ahead_follow(&ahead, start, end, 77, &range) &&
                     (range.start != end || range.room != 77))
                fail_msg("%s: call %d: from %" PRId64, rows[i].what, c,
                         range.start);
            if (range.end != rows[i].call[c].expected)
                fail_msg("%s: call %d: up to %" PRId64, rows[i].what, c,
                         range.end);
        }
    }
}

/* ---- pieces ---- */

#define PIECES 5

/* clang-format off */
/* Stripes of 10 bytes. */
static const struct {
    const char *what;
    int count, naggs, agg;
    struct adl_ahead_range range;
    int64_t most;
    int64_t piece[PIECES][2]; /* offset and length */
} cases[] = {
    {"one object of four", 4, 4, 1, {0, 80, 99}, 99, {{10, 10}, {50, 10}}},
    {"from inside a stripe to inside one", 4, 4, 1, {15, 53, 99}, 99,
     {{15, 5}, {50, 3}}},
    {"of others only", 4, 4, 1, {20, 50, 99}, 99, {{0, 0}}},
    {"empty", 4, 4, 1, {15, 15, 99}, 99, {{0, 0}}},
    {"ended before it began", 4, 4, 1, {15, 12, 99}, 99, {{0, 0}}},
    {"no room", 4, 4, 1, {0, 80, 0}, 99, {{0, 0}}},
    {"room for a part", 4, 4, 1, {0, 80, 13}, 99, {{10, 10}, {50, 3}}},
    {"in small pieces", 4, 4, 1, {0, 80, 99}, 4,
     {{10, 4}, {14, 4}, {18, 2}, {50, 4}, {54, 4}}},
    {"two objects an owner", 4, 2, 1, {0, 60, 99}, 99,
     {{10, 10}, {30, 10}, {50, 10}}},
    {"neighbours are not joined", 3, 1, 0, {5, 25, 99}, 99,
     {{5, 5}, {10, 10}, {20, 5}}},
    {"two owners an object", 2, 4, 2, {0, 80, 99}, 99, {{20, 10}, {60, 10}}},
};
/* clang-format on */

static void check_pieces(size_t i, const struct adl_owner *owner)
{
    struct adl_ahead_range range = cases[i].range;
    int64_t off, len;

    for (int n = 0; n < PIECES; n++) {
        const int64_t *want = cases[i].piece[n];

        off = len = 0;
        adl_ahead_piece(&range, owner, cases[i].agg, cases[i].most, &off, &len);
        if (off != want[0] || len != want[1])
            fail_msg("%s: piece %d is %" PRId64 " at %" PRId64, cases[i].what,
                     n, len, off);
    }
}

static void test_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_layout *layout;
        struct adl_owner *owner;

        assert_int_equal(adl_layout_plain(10, cases[i].count, &layout), 0);
        assert_int_equal(adl_owner_create(layout, cases[i].naggs, &owner), 0);
        check_pieces(i, owner);
        adl_owner_destroy(owner);
        adl_layout_destroy(layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_pieces)};

    return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
