/* plan.c - tests of core/plan and core/edges
 *
 * Sequences of calls of a few ranks against a model that counts how often each
 * byte is accessed: a call counts as exact only if that is once for all of the
 * span, and does so whenever the ranks have said enough.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/edges.h"
#include "../coll/plan.h"
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

static void add_to(const struct access *a, int *times)
{
    for (int64_t i = 0; i < a->pieces; i++)
        for (int64_t k = 0; k < a->len; k++)
            times[a->start + i * a->stride + k]++;
}

/* Is every byte from the first to the last accessed once? */
static int is_exact(const struct access *of)
{
    int times[SPAN] = {0};
    int64_t first = 0, last = SPAN - 1;

    for (int r = 0; r < RANKS; r++)
        add_to(&of[r], times);
    while (first < SPAN && !times[first])
        first++;
    while (last > first && !times[last])
        last--;
    for (int64_t i = first; i <= last; i++)
        if (times[i] != 1)
            return 0;
    return first < SPAN;
}

/* As mpi/access does it; `large`: not even a shape that is known is counted. */
static void count_edges(const struct access *a, int large,
                        struct adl_claim *claim)
{
    claim->start = a->start;
    claim->end = a->start + (a->pieces - 1) * a->stride + a->len;
    claim->bytes = a->len * a->pieces;
    if (large && !(claim->flags & ADL_CLAIM_NEW)) {
        claim->flags |= ADL_CLAIM_UNCOUNTED;
        return;
    }
    for (int64_t i = 0; i < a->pieces; i++) {
        int64_t at = a->start + i * a->stride;

        claim->edges += adl_edges_of(at, at + a->len);
    }
}

/* One collective call; 1: it is known to be exact. */
static int call_with(struct adl_plan *plan, const struct access *of, int large)
{
    struct adl_claim sum = {.start = INT64_MAX, .moved = ADL_MOVED_ANY}, mine;
    int exact = -1;

    for (int r = 0; r < RANKS; r++) {
        struct adl_shape now = shape_of(&of[r]);

        mine = (struct adl_claim){.start = INT64_MAX};
        adl_plan_propose(&plan[r], &now, &mine);
        if (now.bytes)
            count_edges(&of[r], large, &mine);
        adl_claim_merge(&sum, &mine);
        sum = mine;
    }
    for (int r = 0; r < RANKS; r++) {
        int says = adl_plan_agreed(&plan[r], &sum);

        assert_true(exact == -1 || says == exact);
        exact = says;
    }
    if (exact)
        assert_true(is_exact(of));
    return exact;
}

static int call(struct adl_plan *plan, const struct access *of)
{
    return call_with(plan, of, 0);
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
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct adl_plan plan[RANKS] = {0};
        struct access of[RANKS] = {even, odd, idle};

        assert_int_equal(call_with(plan, of, large), 1);
        assert_int_equal(call_with(plan, of, large), 1);
        for (int64_t by = -4; by <= 8; by += 3) { /* also to odd places */
            of[0] = moved(even, by + 4);
            of[1] = moved(odd, by + 4);
            assert_int_equal(call_with(plan, of, large), 1);
        }
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
    assert_int_equal(call_with(plan, of, 1), 0); /* and back: who counts? */
    assert_int_equal(call_with(plan, of, 1), 0);
    assert_int_equal(call(plan, of), 1);
    of[0].view = of[1].view = of[2].view = 2; /* views of the same kind */
    assert_int_equal(call(plan, of), 1);
    of[2] = (struct access){2, 80, 4, 8, 1}; /* the idle rank joins */
    assert_int_equal(call(plan, of), 0);
}

/* As many bytes as the span is long do not make it exact. */
static void test_holes(void **state)
{
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, idle, idle};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(call(plan, of), 0);
    of[1] = odd;
    assert_int_equal(call(plan, of), 1);
    of[0] = (struct access){1, 0, 16, 16, 1};
    of[1] = (struct access){1, 8, 16, 16, 1};
    of[2] = (struct access){1, 32, 8, 8, 1};
    assert_int_equal(call(plan, of), 0);
    of[0] = of[1] = idle;
    of[2] = idle;
    assert_int_equal(call(plan, of), 0);
}

static void test_recall(void **state)
{
    struct adl_plan plan = {0};
    struct adl_shape first = {1, 5, 100, 40, 10, 130, 7, 6, 1},
                     same = {.view = 1, .phase = 5, .bytes = 100, .start = 90},
                     other = {.view = 1, .phase = 5, .bytes = 99, .start = 40};
    struct adl_claim claim = {0};

    (void)state;
    assert_int_equal(adl_plan_recall(&plan, &same), 0);
    adl_plan_propose(&plan, &first, &claim);
    assert_int_equal(claim.flags, ADL_CLAIM_NEW);
    assert_int_equal(adl_plan_recall(&plan, &other), 0);
    assert_int_equal(adl_plan_recall(&plan, &same), 1);
    assert_int_equal(same.below, 10);
    assert_int_equal(same.span, 130);
    assert_int_equal(same.pieces, 7);
    assert_int_equal(same.bits, 6);
    assert_int_equal(same.tangled, 1);
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

/* Parts of one stretch, dealt to the ranks at random: always exact. */
static void test_dealt(void **state)
{
    struct rng rng = {20261117};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct adl_plan plan[RANKS] = {0};
        struct access of[RANKS];
        int64_t at = rng_in(&rng, 0, 20);
        int first = (int)rng_in(&rng, 0, RANKS - 1);

        for (int r = 0; r < RANKS; r++) {
            int64_t len = rng_in(&rng, r == 0, 50);

            of[(first + r) % RANKS] = (struct access){1, at, len, len, len > 0};
            at += len;
        }
        assert_int_equal(call(plan, of), 1);
    }
}

/* Mostly the last call again, sometimes with something changed. */
static void test_random(void **state)
{
    struct rng rng = {20261116};
    struct adl_plan plan[RANKS] = {0};
    struct access of[RANKS] = {even, odd, idle};
    int exact = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        int64_t by = rng_in(&rng, 0, 8 - 1);

        if (rng_in(&rng, 0, 3 - 1) == 0)
            of[rng_in(&rng, 0, RANKS - 1)] = random_access(&rng);
        for (int r = 0; r < RANKS; r++)
            of[r].start = (of[r].start + by) % 32;
        if (call_with(plan, of, rng_chance(&rng, 50)))
            exact++;
        else if (rng_chance(&rng, 50)) /* all counted: then it is known */
            assert_int_equal(call(plan, of), is_exact(of));
    }
    assert_true(exact > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_holes),    cmocka_unit_test(test_recall),
        cmocka_unit_test(test_dealt),    cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
