/* plan.c - tests of core/plan
 *
 * A table of call sequences, then random calls of a few ranks against a model
 * that colours the bytes: a plan may only be reused where there is no hole, and
 * must be where every rank repeats itself.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../plan.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define RANKS 3
#define SPAN 256

/* A rank's access: `pieces` of `len` bytes, `stride` apart. */
struct access {
    int64_t view, start, len, stride, pieces;
};

static struct adl_shape shape_of(const struct access *a)
{
    return (struct adl_shape){.view = a->view,
                              .phase = a->stride * 1000 + a->len,
                              .bytes = a->len * a->pieces,
                              .start = a->start};
}

static void colour(const struct access *a, char *file)
{
    for (int64_t i = 0; i < a->pieces; i++)
        memset(file + a->start + i * a->stride, 1, a->len);
}

/* What all ranks cover: the span and the bytes in it. */
static int64_t covered(const struct access *of, int64_t *span)
{
    char file[SPAN] = {0};
    int64_t n = 0, first = SPAN, last = -1;

    for (int r = 0; r < RANKS; r++)
        colour(&of[r], file);
    for (int64_t i = 0; i < SPAN; i++) {
        if (!file[i])
            continue;
        n++;
        first = first < i ? first : i;
        last = i;
    }
    *span = last + 1 - first;
    return n;
}

/* One collective call; 1: it went by the plan. */
static int call(struct adl_plan *plan, const struct access *of)
{
    struct adl_claim sum = {.moved = ADL_MOVED_ANY}, mine;
    int64_t span, bytes = covered(of, &span);
    int dense = -1;

    for (int r = 0; r < RANKS; r++) {
        struct adl_shape now = shape_of(&of[r]);

        mine = (struct adl_claim){0};
        adl_plan_propose(&plan[r], &now, &mine);
        adl_claim_merge(&sum, &mine);
        sum = mine;
    }
    for (int r = 0; r < RANKS; r++) {
        int says = adl_plan_agreed(&plan[r], &sum);

        assert_true(dense == -1 || says == dense);
        dense = says;
        adl_plan_learn(&plan[r], span, bytes);
    }
    if (dense)
        assert_int_equal(bytes, span);
    return dense;
}

/* Every other 4 bytes: with a second rank at 4, no hole. */
static const struct access even = {1, 0, 4, 8, 8}, odd = {1, 4, 4, 8, 8},
                           idle = {1, 0, 0, 0, 0};

static struct access moved(struct access a, int64_t by)
{
    a.start += by;
    return a;
}

static void test_repeated(void **state)
{
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, odd, idle};

    (void)state;
    assert_int_equal(call(plan, of), 0);
    assert_int_equal(call(plan, of), 1);
    for (int64_t by = -4; by <= 8; by += 3) { /* also to odd places */
        of[0] = moved(even, by + 4);
        of[1] = moved(odd, by + 4);
        assert_int_equal(call(plan, of), 1);
    }
}

static void test_changed(void **state)
{
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, odd, idle};

    (void)state;
    call(plan, of);
    of[1] = moved(odd, 8); /* one rank moves alone */
    assert_int_equal(call(plan, of), 0);
    of[1] = odd;
    assert_int_equal(call(plan, of), 0); /* and back, it alone */
    assert_int_equal(call(plan, of), 1);
    of[0].view = of[1].view = of[2].view = 2; /* views of the same kind */
    assert_int_equal(call(plan, of), 0);
    of[2] = (struct access){2, 80, 4, 8, 1}; /* the idle rank joins */
    assert_int_equal(call(plan, of), 0);
}

static void test_holes(void **state)
{
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, idle, idle};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(call(plan, of), 0);
    of[1] = odd;
    assert_int_equal(call(plan, of), 0);
    assert_int_equal(call(plan, of), 1);
    for (int r = 0; r < RANKS; r++)
        adl_plan_learn(&plan[r], 64, 0); /* a call that failed */
    assert_int_equal(call(plan, of), 0);
}

static void test_recall(void **state)
{
    struct adl_plan plan = {0};
    struct adl_shape first = {1, 5, 100, 40, 130, 7, 6},
                     same = {.view = 1, .phase = 5, .bytes = 100, .start = 90},
                     other = {.view = 1, .phase = 5, .bytes = 99, .start = 40};
    struct adl_claim claim = {0};

    (void)state;
    assert_int_equal(adl_plan_recall(&plan, &same), 0);
    adl_plan_propose(&plan, &first, &claim);
    assert_int_equal(claim.flags, ADL_CLAIM_NEW);
    assert_int_equal(adl_plan_recall(&plan, &other), 0);
    assert_int_equal(adl_plan_recall(&plan, &same), 1);
    assert_int_equal(same.span, 130);
    assert_int_equal(same.pieces, 7);
    assert_int_equal(same.bits, 6);
}

static struct access random_access(struct rng *rng)
{
    struct access a = {.view = 1 + rng_in(rng, 0, 2 - 1)};

    a.len = rng_in(rng, 0, 4 - 1) * 4;
    a.stride = a.len + rng_in(rng, 0, 3 - 1) * 4;
    a.pieces = a.len ? rng_in(rng, 0, 5 - 1) : 0;
    a.start = rng_in(rng, 0, 8 - 1) * 4;
    return a;
}

/* Mostly the last call again, sometimes with something changed. */
static void test_random(void **state)
{
    struct rng rng = {20261116};
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, odd, idle};
    int reused = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        int64_t by = rng_in(&rng, 0, 8 - 1);

        if (rng_in(&rng, 0, 3 - 1) == 0)
            of[rng_in(&rng, 0, RANKS - 1)] = random_access(&rng);
        for (int r = 0; r < RANKS; r++)
            of[r].start = (of[r].start + by) % 32;
        reused += call(plan, of);
    }
    assert_true(reused > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_holes),    cmocka_unit_test(test_recall),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
