/* owner.c - test of core/owner
 *
 * The model deals out the stripes of each component one by one from offset 0,
 * with a counter for each owner.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/owner.h"
#include "fixture.h"
#include "random_layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MAX_AGGS 24
#define MAX_STRIPES 400
#define CASES 3000

static int same(const struct adl_stripe *a, const struct adl_stripe *b)
{
    return a->start == b->start && a->end == b->end && a->origin == b->origin &&
           a->seq == b->seq && a->row == b->row && a->comp == b->comp &&
           a->object == b->object && a->owner == b->owner && a->lap == b->lap &&
           a->nth == b->nth;
}

/* ---- table ---- */

#define SHOWN 12

static const struct {
    int count, naggs;
    int owner[SHOWN], seq[SHOWN]; /* of the first stripes */
} cases[] = {
    {5,
     2,
     {0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1},
     {0, 0, 1, 1, 2, 3, 2, 4, 3, 5, 6, 4}},
    {4,
     4,
     {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
     {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}},
    {4,
     3,
     {0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0},
     {0, 0, 0, 1, 2, 1, 1, 3, 4, 2, 2, 5}},
    {3,
     1,
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    /* several owners an object: rows in turn */
    {2,
     4,
     {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
     {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}},
    {2,
     5, /* group 0 has three members, group 1 two */
     {0, 1, 2, 3, 4, 1, 0, 3, 2, 1, 4, 3},
     {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 1, 2}},
    {1,
     3,
     {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2},
     {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}},
};

static void test_table(void **state)
{
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_stripe s;

    (void)state;
    for (size_t row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
        assert_int_equal(adl_layout_plain(10, cases[row].count, &layout), 0);
        assert_int_equal(adl_owner_create(layout, cases[row].naggs, &owner), 0);
        for (int i = 0; i < SHOWN; i++) {
            adl_owner_locate(owner, i * 10 + i % 10, &s);
            if (s.owner != cases[row].owner[i] || s.seq != cases[row].seq[i])
                fail_msg("row %zu stripe %d: owner %d seq %" PRId64, row, i,
                         s.owner, s.seq);
        }
        adl_owner_destroy(owner);
        adl_layout_destroy(layout);
    }
}

/* A part on the MDT, then two objects, then four; two owners. */
static void test_composite(void **state)
{
    const int64_t M = 1 << 20;
    const struct adl_component comps[3] = {
        {.end = M, .magic = ADL_LOV_MAGIC_V1, .pattern = ADL_LOV_PATTERN_MDT},
        {.start = M,
         .end = 6 * M,
         .magic = ADL_LOV_MAGIC_V1,
         .pattern = ADL_LOV_PATTERN_RAID0,
         .stripe_size = 2 * M,
         .stripe_count = 2},
        {.start = 6 * M,
         .end = ADL_LAYOUT_EOF,
         .magic = ADL_LOV_MAGIC_V1,
         .pattern = ADL_LOV_PATTERN_RAID0,
         .stripe_size = 4 * M,
         .stripe_count = 4},
    };
    const struct adl_layout_head head = {.composite = 1, .mirrors = 1};
    const struct adl_stripe want[] = {
        /* start, end, origin, seq, row, comp, object, owner, lap, nth */
        {0, M, 0, 0, 0, 0, 0, 0, 0, 0},
        {M, 2 * M, 0, 0, 0, 1, 0, 1, 0, 0},
        {2 * M, 4 * M, 2 * M, 0, 0, 1, 1, 0, 1, 0},
        {4 * M, 6 * M, 4 * M, 1, 1, 1, 0, 1, 0, 0},
        {6 * M, 8 * M, 4 * M, 0, 0, 2, 1, 0, 1, 0},
        {8 * M, 12 * M, 8 * M, 1, 0, 2, 2, 1, 0, 1},
        {12 * M, 16 * M, 12 * M, 1, 0, 2, 3, 0, 1, 1},
        {16 * M, 20 * M, 16 * M, 2, 1, 2, 0, 1, 0, 0},
    };
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_stripe s;

    (void)state;
    assert_int_equal(adl_layout_create(&head, comps, 3, NULL, &layout, NULL),
                     0);
    assert_int_equal(adl_owner_create(layout, 2, &owner), 0);
    adl_layout_destroy(layout);
    assert_int_equal(adl_owner_ncomps(owner), 3);
    adl_owner_locate(owner, 0, &s);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        if (!same(&s, &want[i]))
            fail_msg("stripe %zu: [%" PRId64 ", %" PRId64 ") owner %d seq "
                     "%" PRId64,
                     i, s.start, s.end, s.owner, s.seq);
        adl_owner_next(owner, &s);
    }
    adl_owner_destroy(owner);
}

static void test_refused(void **state)
{
    struct adl_layout *layout;
    struct adl_owner *owner = NULL;

    (void)state;
    assert_int_equal(adl_layout_plain(10, 3, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 0, &owner), -EINVAL);
    assert_int_equal(adl_owner_create(layout, -1, &owner), -EINVAL);
    assert_null(owner);
    adl_layout_destroy(layout);
    adl_owner_destroy(NULL);
}

/* Offsets up to the largest. */
static void test_far(void **state)
{
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_stripe s, t;

    (void)state;
    assert_int_equal(adl_layout_plain(INT64_C(4095) << 20, 2000, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 7, &owner), 0);
    adl_owner_locate(owner, INT64_MAX - 1, &s);
    assert_true(s.end == INT64_MAX && s.start < s.end);
    assert_int_equal(adl_owner_stripe(owner, s.owner, 0, s.seq, &t), 0);
    assert_true(same(&s, &t));
    assert_int_equal(adl_owner_stripe(owner, s.owner, 0, s.seq + 1, &t),
                     -ENOENT);
    assert_int_equal(adl_owner_stripe(owner, 0, 0, INT64_MAX, &t), -ENOENT);
    assert_int_equal(adl_owner_first_at(owner, s.owner, s.start, &t), 0);
    assert_true(same(&s, &t));
    assert_int_equal(adl_owner_first_at(owner, 0, INT64_MAX, &t), -ENOENT);
    adl_owner_destroy(owner);
    adl_layout_destroy(layout);
}

/* Real layouts, mirrors among them: object and stripe as the layout says. */
static void check_captured(struct rng *rng, const struct adl_layout *layout)
{
    struct adl_owner *owner;
    struct adl_stripe s;
    struct adl_place place;

    if (!adl_layout_mapped(layout)) {
        assert_int_equal(adl_owner_create(layout, 3, &owner), -EINVAL);
        return;
    }
    assert_int_equal(adl_owner_create(layout, 3, &owner), 0);
    for (int i = 0; i < 200; i++) {
        int64_t off = rng_in(rng, 0, INT64_C(1) << rng_in(rng, 1, 40));

        adl_layout_locate(layout, off, &place);
        adl_owner_locate(owner, off, &s);
        assert_true(s.object == place.object && s.row == place.row);
        assert_true(s.start <= off && off < s.end && s.end == place.end);
    }
    adl_owner_destroy(owner);
}

static void test_captured(void **state)
{
    static const char *const names[] = {FIXTURES};
    static char blob[FIXTURE_MAX];
    struct rng rng = rng_begin();
    struct adl_layout *layout;
    size_t len;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        len = fixture_read(names[i], "bin", blob);
        assert_int_equal(adl_layout_decode(blob, len, NULL, &layout, NULL), 0);
        check_captured(&rng, layout);
        adl_layout_destroy(layout);
    }
}

/* ---- random, against the model ---- */

struct model {
    struct adl_layout *layout;
    struct adl_owner *owner;
    int naggs;
    int groups;
    int n; /* stripes listed, from offset 0 of the file on */
    struct adl_stripe stripe[MAX_STRIPES];
};

/* By the rule in owner.h, word by word. */
static int model_owner(const struct model *m, int number, int64_t row)
{
    int group = number % m->groups, members = 0;

    for (int agg = group; agg < m->naggs; agg += m->groups)
        members++;
    return group + m->groups * (int)(row % members);
}

static int largest_count(const struct adl_layout *layout)
{
    struct adl_home home;
    int most = 0;

    for (int i = 0; i < adl_layout_objects(layout); i++) {
        adl_layout_home(layout, i, &home);
        most = home.stripe_count > most ? home.stripe_count : most;
    }
    return most;
}

/* All stripes of one component, clipped; counted from offset 0. */
static void model_component(struct model *m, int comp, int first,
                            const struct adl_home *home, int64_t end)
{
    int64_t start = adl_layout_component(m->layout, home->comp)->start;
    int64_t seq[MAX_AGGS] = {0}, t;

    for (t = 0; t * home->stripe_size < end && m->n < MAX_STRIPES; t++) {
        struct adl_stripe s = {.comp = comp, .row = t / home->stripe_count};

        s.object = (int)(t % home->stripe_count);
        s.owner = model_owner(m, first + s.object, s.row);
        s.seq = seq[s.owner]++;
        s.origin = t * home->stripe_size;
        s.start = s.origin > start ? s.origin : start;
        s.end = s.origin + home->stripe_size;
        s.end = s.end < end ? s.end : end;
        s.lap = s.object % m->groups;
        s.nth = s.object / m->groups;
        if (s.start < s.end)
            m->stripe[m->n++] = s;
    }
}

static void model_fill(struct model *m)
{
    struct adl_home home, next;
    int comp = 0;

    m->n = 0;
    m->groups = largest_count(m->layout);
    if (m->naggs < m->groups)
        m->groups = m->naggs;
    for (int number = 0; number < adl_layout_objects(m->layout);
         number += home.stripe_count) {
        int64_t end = INT64_MAX;

        adl_layout_home(m->layout, number, &home);
        if (number + home.stripe_count < adl_layout_objects(m->layout)) {
            adl_layout_home(m->layout, number + home.stripe_count, &next);
            end = adl_layout_component(m->layout, next.comp)->start;
        }
        model_component(m, comp++, number, &home, end);
    }
    assert_int_equal(adl_owner_ncomps(m->owner), comp);
}

static void check_stripe(const struct model *m, int i, const char *how,
                         const struct adl_stripe *s)
{
    const struct adl_stripe *w = &m->stripe[i];

    if (!same(s, w))
        fail_msg("%s, stripe %d: [%" PRId64 ", %" PRId64 ") owner %d seq "
                 "%" PRId64 ", not [%" PRId64 ", %" PRId64 ") %d %" PRId64,
                 how, i, s->start, s->end, s->owner, s->seq, w->start, w->end,
                 w->owner, w->seq);
}

/* The layout agrees on object and row, or its mapping was misread. */
static void check_place(const struct model *m, const struct adl_stripe *s)
{
    struct adl_place place;
    struct adl_home home;

    adl_layout_locate(m->layout, s->start, &place);
    adl_layout_home(m->layout, place.number, &home);
    assert_int_equal(place.object, s->object);
    assert_true(place.row == s->row && place.end == s->end);
    assert_true(adl_owner_stripe_size(m->owner, s->comp) == home.stripe_size);
}

static void check_forward(struct rng *rng, const struct model *m)
{
    struct adl_stripe s, step;

    adl_owner_locate(m->owner, 0, &step);
    for (int i = 0; i < m->n; i++) {
        int64_t last = m->stripe[i].end - 1;

        adl_owner_locate(m->owner, m->stripe[i].start, &s);
        check_stripe(m, i, "first byte", &s);
        adl_owner_locate(m->owner, rng_in(rng, s.start, last), &s);
        check_stripe(m, i, "a byte", &s);
        check_stripe(m, i, "step", &step);
        check_place(m, &s);
        adl_owner_next(m->owner, &step);
    }
}

static void check_inverse(struct rng *rng, const struct model *m)
{
    struct adl_stripe s;
    int k, agg = (int)rng_in(rng, 0, m->naggs - 1);

    for (int i = 0; i < m->n; i++) {
        const struct adl_stripe *w = &m->stripe[i];
        int64_t off = rng_in(rng, w->start, w->end - 1);

        assert_int_equal(
            adl_owner_stripe(m->owner, w->owner, w->comp, w->seq, &s), 0);
        check_stripe(m, i, "by number", &s);
        for (k = i; k < m->n && m->stripe[k].owner != agg; k++)
            ;
        if (k == m->n)
            continue; /* it may follow behind the list */
        assert_int_equal(adl_owner_first_at(m->owner, agg, off, &s), 0);
        check_stripe(m, k, "first at", &s);
    }
}

/* Every seq up to the first that lies behind is listed or refused. */
static void check_refusals(const struct model *m)
{
    struct adl_stripe s;
    int i, listed = 0;

    for (int agg = 0; agg < m->naggs; agg++)
        for (int comp = 0; comp < adl_owner_ncomps(m->owner); comp++)
            for (int64_t seq = -1; seq < 2 * MAX_STRIPES; seq++) {
                if (adl_owner_stripe(m->owner, agg, comp, seq, &s))
                    continue;
                for (i = 0; i < m->n && !same(&m->stripe[i], &s); i++)
                    ;
                listed += i < m->n;
                assert_true(i < m->n || s.start >= m->stripe[m->n - 1].end);
            }
    assert_int_equal(listed, m->n);
}

/* One owner an object when there are not more owners than objects. */
static void check_balance(const struct model *m)
{
    int objects[MAX_AGGS] = {0}, low = 1 << 30, high = 0, i;

    if (adl_owner_ncomps(m->owner) > 1 || m->groups < m->naggs)
        return;
    for (i = 0; i < m->n && m->stripe[i].row == 0; i++)
        objects[m->stripe[i].owner]++;
    for (i = 0; i < m->naggs; i++) {
        low = objects[i] < low ? objects[i] : low;
        high = objects[i] > high ? objects[i] : high;
    }
    assert_true(high - low <= 1);
}

static void test_random(void **state)
{
    static struct model m;
    struct rng rng = rng_begin();
    int64_t unit;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        m.layout = random_layout(&rng, &unit);
        assert_non_null(m.layout);
        m.naggs = (int)rng_in(&rng, 1, MAX_AGGS);
        assert_int_equal(adl_owner_create(m.layout, m.naggs, &m.owner), 0);
        assert_int_equal(adl_owner_naggs(m.owner), m.naggs);
        model_fill(&m);
        check_forward(&rng, &m);
        check_inverse(&rng, &m);
        if (i % 100 == 0)
            check_refusals(&m);
        check_balance(&m);
        adl_owner_destroy(m.owner);
        adl_layout_destroy(m.layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),    cmocka_unit_test(test_composite),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_far),
        cmocka_unit_test(test_captured), cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
