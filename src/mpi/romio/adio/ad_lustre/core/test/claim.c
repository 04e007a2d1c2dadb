/* claim.c - tests of core/claim */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../coll/claim.h"

#define NONE INT64_MAX

/* Ranks in order: the span of each, NONE: no access. */
static const struct {
    const char *what;
    int n;
    int64_t span[4][2];
    int interleaved;
    int64_t start, end;
} table[] = {
    {"one after the other", 3, {{0, 10}, {10, 20}, {20, 30}}, 0, 0, 30},
    {"overlapping by one byte", 2, {{0, 10}, {9, 20}}, 1, 0, 20},
    {"interleaved", 3, {{0, 90}, {10, 100}, {20, 110}}, 1, 0, 110},
    {"backwards", 2, {{10, 20}, {0, 10}}, 1, 0, 20},
    {"an idle rank between", 3, {{0, 10}, {NONE, 0}, {10, 20}}, 0, 0, 20},
    {"idle before", 2, {{NONE, 0}, {5, 6}}, 0, 5, 6},
    {"far back", 4, {{0, 10}, {10, 40}, {NONE, 0}, {30, 50}}, 1, 0, 50},
    {"no rank", 2, {{NONE, 0}, {NONE, 0}}, 0, NONE, 0},
};

static struct adl_claim claim_of(const int64_t *span, int rank)
{
    struct adl_claim c = {.start = span[0], .end = span[1], .edge = span[1]};

    c.bytes = c.most = c.least = span[0] == NONE ? 0 : span[1] - span[0];
    c.pieces = span[0] != NONE;
    c.bits = 1 << rank;
    return c;
}

static void test_spans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct adl_claim sum = claim_of(table[i].span[0], 0), next;

        print_message("# %s\n", table[i].what);
        for (int r = 1; r < table[i].n; r++) {
            next = claim_of(table[i].span[r], r);
            adl_claim_merge(&sum, &next);
            sum = next;
        }
        assert_int_equal(!!(sum.flags & ADL_CLAIM_INTERLEAVED),
                         table[i].interleaved);
        assert_int_equal(sum.start, table[i].start);
        assert_int_equal(sum.end, table[i].end);
        assert_int_equal(sum.bits, (1 << table[i].n) - 1);
    }
}

/* What locks/lockmode sends along: the union of spans, the worst trouble. */
static void test_locks(void **state)
{
    struct adl_claim a = {.alone_lo = NONE, .lock_trouble = 25};
    struct adl_claim b = {.alone_lo = 100, .alone_hi = 200};
    struct adl_claim c = {.alone_lo = 50, .alone_hi = 60, .lock_trouble = 95};

    (void)state;
    adl_claim_merge(&a, &b);
    assert_int_equal(b.alone_lo, 100);
    assert_int_equal(b.alone_hi, 200);
    assert_int_equal(b.lock_trouble, 25);
    adl_claim_merge(&b, &c);
    assert_int_equal(c.alone_lo, 50);
    assert_int_equal(c.alone_hi, 200);
    assert_int_equal(c.lock_trouble, 95);
}

/* Of the ranks that have waited for a lock the shortest time; a rank that has
 * not locked its block counts for all. */
static void test_lock_times(void **state)
{
    static const int64_t times[][3] = {{0, 0, 0},
                                       {0, 700, 700},
                                       {700, 0, 700},
                                       {700, 300, 300},
                                       {300, 700, 300}};

    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct adl_claim a = {.lock_time = times[i][0]};
        struct adl_claim b = {.lock_time = times[i][1],
                              .flags = i == 1 ? ADL_CLAIM_UNLOCKED : 0};
        struct adl_claim c = {0};

        adl_claim_merge(&a, &b);
        assert_int_equal(b.lock_time, times[i][2]);
        adl_claim_merge(&b, &c);
        assert_int_equal(!!(c.flags & ADL_CLAIM_UNLOCKED), i == 1);
    }
}

/* Nodes merge their own ranks first: the result must not depend on it. */
static void test_associative(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct adl_claim a, b, c, left, right;

        if (table[i].n != 3)
            continue;
        a = claim_of(table[i].span[0], 0);
        b = claim_of(table[i].span[1], 1);
        c = claim_of(table[i].span[2], 2);
        left = b;
        adl_claim_merge(&a, &left);
        right = c;
        adl_claim_merge(&left, &right);
        left = c;
        adl_claim_merge(&b, &left);
        adl_claim_merge(&a, &left);
        assert_memory_equal(&left, &right, sizeof(left));
    }
}

static void test_sums_and_errors(void **state)
{
    struct adl_claim a = {.bytes = 5,
                          .pieces = 2,
                          .most = 5,
                          .least = 5,
                          .error = -5,
                          .flags = ADL_CLAIM_NONCONTIG};
    struct adl_claim b = {
        .bytes = 7, .pieces = 1, .most = 7, .least = 7, .error = -28};

    (void)state;
    adl_claim_merge(&a, &b);
    assert_int_equal(b.bytes, 12);
    assert_int_equal(b.pieces, 3);
    assert_int_equal(b.most, 7);
    assert_int_equal(b.least, 5);
    assert_int_equal(b.error, -28);
    assert_true(b.flags & ADL_CLAIM_NONCONTIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_lock_times),
        cmocka_unit_test(test_associative),
        cmocka_unit_test(test_sums_and_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
