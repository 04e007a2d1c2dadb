/* lockwindow.c - test of core/lockwindow
 *
 * A player makes an aggregator's accesses and keeps the locks it was told to
 * ask for. After each access the lock for it must be there, whole and once.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/lockwindow.h"
#include "random_layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MiB INT64_C(1048576)
#define MAX_LOCKS 200000

struct player {
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_lockwindow *win;
    int agg, max;
    int64_t *lock; /* starts of stripes asked for */
    int nlocks;
    int64_t again; /* wishes for what was asked for before */
    int most;      /* largest batch */
};

static void player_begin(struct player *p, int naggs, int agg, int max)
{
    if (!p->layout)
        assert_int_equal(adl_layout_plain(MiB, 4, &p->layout), 0);
    assert_int_equal(adl_owner_create(p->layout, naggs, &p->owner), 0);
    assert_int_equal(adl_lockwindow_create(p->owner, agg, max, 0, &p->win), 0);
    p->agg = agg;
    p->max = max;
    p->lock = malloc(MAX_LOCKS * sizeof(*p->lock));
    assert_non_null(p->lock);
    p->nlocks = 0;
    p->again = p->most = 0;
}

static void player_end(struct player *p)
{
    adl_lockwindow_destroy(p->win);
    adl_owner_destroy(p->owner);
    adl_layout_destroy(p->layout);
    free(p->lock);
    memset(p, 0, sizeof(*p));
}

static int has_lock(const struct player *p, int64_t start)
{
    for (int i = p->nlocks - 1; i >= 0; i--)
        if (p->lock[i] == start)
            return 1;
    return 0;
}

/* Every wish is exactly one stripe of ours. */
static void take(struct player *p, const struct adl_lockwish *wish, int n)
{
    struct adl_stripe s;

    assert_true(n <= p->max);
    p->most = n > p->most ? n : p->most;
    for (int i = 0; i < n; i++) {
        adl_owner_locate(p->owner, wish[i].start, &s);
        assert_int_equal(s.owner, p->agg);
        assert_int_equal(s.start, wish[i].start);
        assert_int_equal(s.end, wish[i].end);
        p->again += has_lock(p, wish[i].start);
        assert_true(p->nlocks < MAX_LOCKS);
        p->lock[p->nlocks++] = wish[i].start;
    }
}

static void touch(struct player *p, int64_t off)
{
    const struct adl_lockwish *wish;
    struct adl_stripe s;
    int n = adl_lockwindow_access(p->win, off, &wish);

    take(p, wish, n);
    adl_owner_locate(p->owner, off, &s);
    assert_true(has_lock(p, s.start));
}

/* A collective call: every stripe of ours in [start, end). */
static int64_t play(struct player *p, int64_t start, int64_t end)
{
    const struct adl_lockwish *wish;
    struct adl_stripe s;
    int64_t n = 0;
    int asked;

    adl_lockwindow_call(p->win, start, end);
    asked = adl_lockwindow_begin(p->win, &wish);
    take(p, wish, asked);
    for (int64_t off = start;
         !adl_owner_first_at(p->owner, p->agg, off, &s) && s.start < end;
         off = s.end, n++)
        touch(p, s.start < start ? start : s.start);
    return n;
}

static const struct adl_lockwindow_counts *counts(const struct player *p)
{
    return adl_lockwindow_counts(p->win);
}

static void test_forward(void **state)
{
    struct player p = {0};
    int64_t n = 0;

    (void)state;
    player_begin(&p, 16, 5, 500);
    for (int call = 0; call < 200; call++)
        n += play(&p, call * 100 * MiB, (call + 1) * 100 * MiB);
    assert_int_equal(counts(&p)->hits, n);
    assert_int_equal(counts(&p)->misses, 0);
    /* never more than the window ahead, each extent once */
    assert_in_range(counts(&p)->extents, n, n + 500);
    assert_int_equal(p.nlocks, counts(&p)->extents);
    assert_int_equal(counts(&p)->used, n);
    assert_true(p.most <= 500);
    player_end(&p);
}

/* What is known is asked for, and no more: a file of one call, and then a few
 * that go on. */
static void test_small(void **state)
{
    struct player p = {0};
    int64_t n;

    (void)state;
    player_begin(&p, 4, 1, 500);
    n = play(&p, 0, 16 * MiB);
    assert_int_equal(n, 4);
    assert_int_equal(counts(&p)->extents, 4);
    for (int call = 1; call < 4; call++)
        n += play(&p, call * 16 * MiB, (call + 1) * 16 * MiB);
    assert_int_equal(counts(&p)->extents, n);
    for (int call = 4; call < 8; call++)
        n += play(&p, call * 16 * MiB, (call + 1) * 16 * MiB);
    assert_in_range(counts(&p)->extents, n + 1, n + 4);
    assert_int_equal(counts(&p)->used, n);
    assert_int_equal(counts(&p)->misses, 0);
    player_end(&p);
}

/* The window begins where the access does, not at 0. */
static void test_start(void **state)
{
    struct player p = {0};

    (void)state;
    player_begin(&p, 16, 0, 10);
    play(&p, 1600 * MiB, 1616 * MiB);
    assert_int_equal(p.lock[0], 1600 * MiB);
    assert_int_equal(p.nlocks, 1);
    player_end(&p);
}

/* Small calls: renewed in batches of half a window, not call by call. */
static void test_batches(void **state)
{
    struct player p = {0};
    int renewals = 0, before = 0;

    (void)state;
    player_begin(&p, 4, 1, 100);
    for (int call = 0; call < 4000; call++) {
        play(&p, call * MiB, (call + 1) * MiB);
        renewals += p.nlocks != before;
        before = p.nlocks;
    }
    assert_int_equal(counts(&p)->misses, 0);
    printf("# %d renewals\n", renewals);
    assert_in_range(renewals, 15, 100);
    player_end(&p);
}

/* Backward jump and new dataset: what each call needs is asked for. */
static void test_jumps(void **state)
{
    struct player p = {0};

    (void)state;
    player_begin(&p, 16, 3, 50);
    play(&p, 8000 * MiB, 8800 * MiB);
    play(&p, 0, 800 * MiB);
    play(&p, 100000 * MiB, 100800 * MiB);
    play(&p, 100800 * MiB, 101600 * MiB);
    assert_int_equal(counts(&p)->misses, 0);
    assert_int_equal(counts(&p)->hits, 4 * 50);
    assert_int_equal(counts(&p)->extents, 4 * 50);
    player_end(&p);
}

/* Calls that go backwards are foreseen, too. */
static void test_backward(void **state)
{
    struct player p = {0};

    (void)state;
    player_begin(&p, 16, 3, 50);
    for (int call = 100; call > 0; call--)
        play(&p, call * 160 * MiB, (call + 1) * 160 * MiB);
    assert_int_equal(counts(&p)->misses, 0);
    assert_in_range(counts(&p)->extents - counts(&p)->used, 1, 50);
    player_end(&p);
}

/* Record variables: three of different size, far apart, many records. */
static void test_variables(void **state)
{
    static const int64_t at[] = {0, 20000, 50000}, len[] = {64, 128, 32};
    struct player p = {0};
    int64_t n = 0;

    (void)state;
    player_begin(&p, 16, 7, 200);
    for (int rec = 0; rec < 40; rec++) {
        for (int v = 0; v < 3; v++) {
            int64_t start = (at[v] + rec * 100000) * MiB;

            n += play(&p, start, start + len[v] * MiB);
        }
    }
    assert_int_equal(counts(&p)->misses, 0);
    assert_int_equal(counts(&p)->hits, n);
    /* and what is asked for is used */
    assert_in_range(counts(&p)->extents, n, n + 200);
    player_end(&p);
}

/* Writing the same variables over and over asks for them once. */
static void test_rewrite(void **state)
{
    struct player p = {0};

    (void)state;
    player_begin(&p, 16, 7, 200);
    for (int step = 0; step < 50; step++)
        for (int v = 0; v < 4; v++)
            play(&p, v * 50000 * MiB, (v * 50000 + 160) * MiB);
    assert_int_equal(counts(&p)->misses, 0);
    assert_true(counts(&p)->extents < 16 * 200);
    player_end(&p);
}

/* Random places: nothing is asked for that is not used. */
static void test_no_pattern(void **state)
{
    struct player p = {0};
    struct rng rng = rng_begin();
    int64_t start, n = 0;

    (void)state;
    player_begin(&p, 4, 1, 500);
    for (int call = 0; call < 300; call++) {
        start = rng_in(&rng, 0, 10000000) * 4 * MiB;
        n += play(&p, start, start + 4 * MiB);
    }
    assert_in_range(counts(&p)->extents, n, n + 8);
    assert_int_equal(counts(&p)->hits, n);
    player_end(&p);
}

/* Looking ahead ends with the pattern and begins again with the next one. */
static void test_recovers(void **state)
{
    struct player p = {0};
    int64_t before;

    (void)state;
    player_begin(&p, 4, 1, 500);
    for (int call = 0; call < 25; call++)
        play(&p, (call * call + 7 * call) * 10000 * MiB,
             (call * call + 7 * call) * 10000 * MiB + 4 * MiB);
    before = counts(&p)->extents - counts(&p)->used;
    assert_int_equal(before, 0);
    for (int call = 0; call < 400; call++)
        play(&p, call * 40 * MiB, (call + 1) * 40 * MiB);
    assert_in_range(counts(&p)->extents - counts(&p)->used, 100, 500);
    player_end(&p);
}

/* Locks in doubt are asked for again, once, and that is no miss. */
static void test_doubt(void **state)
{
    struct player p = {0};

    (void)state;
    player_begin(&p, 16, 3, 50);
    for (int call = 0; call < 12; call++)
        play(&p, call * 160 * MiB, (call + 1) * 160 * MiB);
    assert_int_equal(p.again, 0);
    adl_lockwindow_doubt(p.win, 0, INT64_MAX);
    play(&p, 12 * 160 * MiB, 13 * 160 * MiB);
    assert_int_equal(counts(&p)->misses, 0);
    assert_true(p.again >= 10);
    /* what lies behind does not matter any more */
    p.again = 0;
    adl_lockwindow_doubt(p.win, 0, 400 * MiB);
    play(&p, 13 * 160 * MiB, 14 * 160 * MiB);
    assert_int_equal(p.again, 0);
    player_end(&p);
}

/* Nothing is asked for in a component that no call has reached. */
static void test_components(void **state)
{
    struct adl_layout_head head = {.composite = 1, .mirrors = 1};
    struct adl_component comps[3] = {
        {.end = 4 * MiB, .stripe_size = MiB, .stripe_count = 1},
        {.start = 4 * MiB,
         .end = 64 * MiB,
         .stripe_size = MiB,
         .stripe_count = 2},
        {.start = 64 * MiB,
         .end = ADL_LAYOUT_EOF,
         .stripe_size = 4 * MiB,
         .stripe_count = 4},
    };
    struct player p = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        comps[i].magic = ADL_LOV_MAGIC_V1;
        comps[i].pattern = ADL_LOV_PATTERN_RAID0;
        comps[i].stripe_offset = ADL_LOV_OFFSET_ANY;
    }
    assert_int_equal(adl_layout_create(&head, comps, 3, NULL, &p.layout, NULL),
                     0);
    player_begin(&p, 4, 1, 500);
    play(&p, 0, 8 * MiB);
    for (int i = 0; i < p.nlocks; i++)
        assert_true(p.lock[i] < 64 * MiB);
    assert_true(p.nlocks > 0);
    play(&p, 8 * MiB, 200 * MiB);
    assert_true(p.lock[p.nlocks - 1] > 180 * MiB);
    assert_int_equal(counts(&p)->misses, 0);
    player_end(&p);
}

/* Bytes on the MDT have no such locks. */
static void test_from(void **state)
{
    struct player p = {0};
    const struct adl_lockwish *wish;

    (void)state;
    player_begin(&p, 4, 0, 5);
    adl_lockwindow_destroy(p.win);
    assert_int_equal(adl_lockwindow_create(p.owner, 0, 5, 4 * MiB, &p.win), 0);
    adl_lockwindow_call(p.win, 0, 40 * MiB);
    assert_int_equal(adl_lockwindow_begin(p.win, &wish), 5);
    assert_int_equal(wish[0].start, 4 * MiB);
    take(&p, wish, 5);
    assert_int_equal(adl_lockwindow_access(p.win, 0, &wish), 0);
    assert_int_equal(counts(&p)->hits + counts(&p)->misses, 0);
    touch(&p, 4 * MiB);
    player_end(&p);
}

static void test_refused(void **state)
{
    struct player p = {0};
    struct adl_lockwindow *win;

    (void)state;
    player_begin(&p, 4, 0, 5);
    assert_int_equal(adl_lockwindow_create(p.owner, 0, 0, 0, &win), -EINVAL);
    adl_lockwindow_destroy(NULL);
    player_end(&p);
}

/* Far offsets: nothing overflows. */
static void test_far(void **state)
{
    struct player p = {0};
    int64_t far = INT64_C(1) << 60;

    (void)state;
    player_begin(&p, 4, 2, 20);
    for (int i = 1; i <= 7; i++)
        play(&p, i * far, i * far + 64 * MiB);
    for (int i = 7; i >= 0; i--)
        play(&p, i * far, i * far + 64 * MiB);
    player_end(&p);
}

static void play_random(struct rng *rng, struct player *p, int64_t unit)
{
    int64_t at = rng_in(rng, 0, 50) * unit, len = rng_in(rng, 1, 60) * unit;
    int64_t delta = rng_in(rng, -30, 200) * unit;

    for (int call = rng_in(rng, 1, 12); call > 0 && at >= 0; call--) {
        play(p, at, at + len);
        if (rng_chance(rng, 10))
            adl_lockwindow_doubt(p->win, at, at + rng_in(rng, 0, 9) * unit);
        if (rng_chance(rng, 20))
            len = rng_in(rng, 1, 60) * unit;
        at += delta;
    }
}

static void test_random(void **state)
{
    struct rng rng = rng_begin();

    (void)state;
    for (int i = 0; i < 500; i++) {
        struct player p = {0};
        int naggs = (int)rng_in(&rng, 1, 12);
        int64_t unit;

        p.layout = random_layout(&rng, &unit);
        assert_non_null(p.layout);
        player_begin(&p, naggs, (int)rng_in(&rng, 0, naggs - 1),
                     (int)rng_in(&rng, 1, 60));
        for (int k = 0; k < 6; k++)
            play_random(&rng, &p, unit);
        assert_int_equal(p.nlocks, counts(&p)->extents);
        player_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),    cmocka_unit_test(test_small),
        cmocka_unit_test(test_start),      cmocka_unit_test(test_batches),
        cmocka_unit_test(test_jumps),      cmocka_unit_test(test_backward),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_rewrite),
        cmocka_unit_test(test_no_pattern), cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_doubt),      cmocka_unit_test(test_components),
        cmocka_unit_test(test_from),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
