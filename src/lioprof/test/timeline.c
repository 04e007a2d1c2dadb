/* timeline.c - test of timeline and names: what fits, and what happens then
 *
 * Random times, also backwards, against a model that keeps every event: the
 * sums of any bins must be those of the events in their time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../timeline.h"
#include "../names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CAP 16
#define EVENTS 400

static void test_wider(void **state)
{
    struct lp_timeline *t = lp_timeline_create(4, 10);
    struct lp_series *s = lp_series_create(t, 2);

    (void)state;
    assert_int_equal(lp_timeline_used(t), 0);
    assert_int_equal(lp_timeline_bin(t, 1000), 0);
    lp_series_add(s, 0, 1, 5);
    assert_int_equal(lp_timeline_bin(t, 1035), 3);
    lp_series_add(s, 3, 1, 7);
    assert_int_equal(lp_timeline_width(t), 10);
    /* one more than there is room for: bins [1000,1020), [1020,1040), ... */
    assert_int_equal(lp_timeline_bin(t, 1040), 2);
    assert_int_equal(lp_timeline_width(t), 20);
    assert_int_equal(lp_timeline_start(t), 1000);
    assert_int_equal(lp_series_at(s, 0, 1), 5);
    assert_int_equal(lp_series_at(s, 1, 1), 7);
    assert_int_equal(lp_series_at(s, 1, 0), 0);
    /* before the first */
    assert_int_equal(lp_timeline_bin(t, 985), 0);
    assert_int_equal(lp_timeline_start(t), 980);
    assert_int_equal(lp_series_at(s, 1, 1), 5);
    lp_timeline_destroy(t);
}

struct event {
    int64_t us;
    uint64_t n;
};

static void check(struct lp_timeline *t, struct lp_series *s,
                  const struct event *e, int events)
{
    uint64_t sum[CAP] = {0};

    for (int i = 0; i < events; i++) {
        int64_t bin = (e[i].us - lp_timeline_start(t)) / lp_timeline_width(t);

        assert_in_range(bin, 0, CAP - 1);
        sum[bin] += e[i].n;
    }
    for (unsigned i = 0; i < CAP; i++)
        assert_int_equal(lp_series_at(s, i, 0), sum[i]);
}

static void test_random(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct lp_timeline *t = lp_timeline_create(CAP, 3);
        struct lp_series *s = lp_series_create(t, 1);
        struct event e[EVENTS];
        int64_t now = 1000000;

        for (int i = 0; i < EVENTS; i++) {
            now += (int64_t)(rand_r(&seed) % (round * 4 + 2)) - round;
            e[i] = (struct event){now > 0 ? now : 0, rand_r(&seed) % 9};
            lp_series_add(s, lp_timeline_bin(t, e[i].us), 0, e[i].n);
            check(t, s, e, i + 1);
        }
        lp_timeline_destroy(t);
    }
}

static void test_names(void **state)
{
    struct lp_names *n = lp_names_create(1000, "rest");
    char text[32];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 1500; i++) {
            snprintf(text, sizeof(text), "name%u", i);
            assert_int_equal(lp_names_add(n, text, strlen(text)),
                             i < 1000 ? i + 1 : 0);
        }
    }
    assert_int_equal(lp_names_count(n), 1001);
    assert_string_equal(lp_names_text(n, 1), "name0");
    assert_string_equal(lp_names_text(n, 1000), "name999");
    assert_string_equal(lp_names_text(n, 0), "rest");
    assert_int_equal(lp_names_find(n, "name7", 5), 8);
    assert_int_equal(lp_names_find(n, "name7x", 5), 8);
    assert_int_equal(lp_names_find(n, "absent", 6), 0);
    lp_names_destroy(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wider),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
