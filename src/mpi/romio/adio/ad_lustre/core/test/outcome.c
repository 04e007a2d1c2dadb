/* outcome.c - test of core/outcome
 *
 * The table has what two ranks say and what comes out; then many ranks, merged
 * in any order and in any tree, against a model that looks at all of them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/outcome.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 2000
#define RANKS 24

/* active, swift, lock_trouble, offset, error, rank */
static const struct {
    struct adl_outcome a, b, want;
} cases[] = {
    /* clang-format off */
    /* nothing went wrong: sums, the smallest time */
    {{10, 500, 0, -1, 0, 0}, {5, 300, 0, -1, 0, 1}, {15, 300, 0, -1, 0, 0}},
    {{0, 300, 0, -1, 0, 4}, {0, 500, 0, -1, 0, 2},
     {0, 300, 0, -1, 0, 2}},
    /* an error wins over none, with its place */
    {{0, 1, 0, 77, -EIO, 9}, {0, 1, 0, -1, 0, 0},
     {0, 1, 0, 77, -EIO, 9}},
    {{0, 1, 0, -1, 0, 0}, {0, 1, 0, 77, -EIO, 9},
     {0, 1, 0, 77, -EIO, 9}},
    /* of two the worse, whatever its rank and offset */
    {{0, 1, 0, 1, -EIO, 0}, {0, 1, 0, 9, -ENOSPC, 7},
     {0, 1, 0, 9, -ENOSPC, 7}},
    /* of two equal ones the first rank's, offset and all */
    {{0, 1, 0, 9, -EIO, 3}, {0, 1, 0, 1, -EIO, 5},
     {0, 1, 0, 9, -EIO, 3}},
    {{0, 1, 0, 1, -EIO, 5}, {0, 1, 0, 9, -EIO, 3},
     {0, 1, 0, 9, -EIO, 3}},
    /* trouble with locks is beside errors */
    {{0, 1, EACCES, -1, 0, 0}, {0, 1, 0, 2, -EIO, 1},
     {0, 1, EACCES, 2, -EIO, 1}},
    {{0, 1, 1, -1, 0, 0}, {0, 1, 2, -1, 0, 1}, {0, 1, 2, -1, 0, 0}},
    /* sums beyond 32 bits */
    {{INT64_C(1) << 40, 1, 0, -1, 0, 0}, {1, 1, 0, -1, 0, 1},
     {(INT64_C(1) << 40) + 1, 1, 0, -1, 0, 0}},
    /* clang-format on */
};

static void check_equal(const struct adl_outcome *got,
                        const struct adl_outcome *want, size_t row)
{
    if (got->active != want->active || got->swift != want->swift ||
        got->error != want->error || got->lock_trouble != want->lock_trouble ||
        got->offset != want->offset || got->rank != want->rank)
        fail_msg("case %zu: active %" PRId64 " error %d rank %d at %" PRId64,
                 row, got->active, got->error, got->rank, got->offset);
}

static void test_table(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
        struct adl_outcome b = cases[row].b;

        adl_outcome_merge(&cases[row].a, &b);
        check_equal(&b, &cases[row].want, row);
    }
}

/* ---- any order, any tree ---- */

static struct adl_outcome pick(struct rng *rng, int rank)
{
    static const int32_t error[] = {0, 0, 0, -EIO, -ENOSPC, -EINTR};
    int which = (int)rng_in(rng, 0, 5);

    return (struct adl_outcome){
        .active = rng_in(rng, 0, INT64_C(1) << 50),
        .swift = rng_in(rng, 0, 1000000),
        .lock_trouble = rng_chance(rng, 20) ? rng_in(rng, 1, 200) : 0,
        .offset = error[which] ? rng_in(rng, -1, INT64_C(1) << 50) : -1,
        .error = error[which],
        .rank = rank};
}

/* Which rank's error all ranks return. */
static const struct adl_outcome *worst(const struct adl_outcome *all, int n)
{
    int64_t least = 0;

    for (int r = 0; r < n; r++)
        least = all[r].error < least ? all[r].error : least;
    while (all->error != least)
        all++;
    return all;
}

static struct adl_outcome model(const struct adl_outcome *all, int n)
{
    struct adl_outcome sum = *worst(all, n);

    sum.active = sum.lock_trouble = 0;
    for (int r = 0; r < n; r++) {
        sum.active += all[r].active;
        if (r == 0 || all[r].swift < sum.swift)
            sum.swift = all[r].swift;
        if (all[r].lock_trouble > sum.lock_trouble)
            sum.lock_trouble = all[r].lock_trouble;
    }
    return sum;
}

static void test_random(void **state)
{
    struct rng rng = rng_begin();

    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct adl_outcome all[RANKS], want;
        int n = (int)rng_in(&rng, 1, RANKS);

        for (int r = 0; r < n; r++)
            all[r] = pick(&rng, r);
        want = model(all, n);
        while (n > 1) {
            int a = (int)rng_in(&rng, 0, n - 1),
                b = (int)rng_in(&rng, 0, n - 2);

            b += b >= a;
            adl_outcome_merge(&all[a], &all[b]);
            all[a] = all[--n];
        }
        check_equal(&all[0], &want, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
