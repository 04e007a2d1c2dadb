/* workload.c - test of workload and compare: rates, percentiles, differences
 *
 * Ten seconds with known bytes in each; bins of a second.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "played.h"

#include "../compare.h"
#include "../workload.h"

#include <math.h>

#define KIB 1024

/* MiB written to OST 0 in each second; OST 1 gets 4 KiB in second 0 only. */
static const int course[10] = {1, 0, 0, 2, 0, 0, 0, 4, 0, 3};

static int setup(void **state)
{
    struct played *w = calloc(1, sizeof(*w));
    struct lp_study_options opt = {
        .bins = 64, .width = 1000000, .pair_series = 8, .quiet = 1};

    w->study = lp_study_create(&opt);
    w->log = lp_tracelog_begin(w->study->traffic, "oss", &opt.log);
    *state = w;
    return w->study && w->log ? 0 : -1;
}

static struct lp_view *play(struct played *w)
{
    played_io(w, READ, 2, 1, 0, 4 * KIB);
    for (int i = 0; i < 10; i++) {
        w->us = (int64_t)i * 1000000 + 500000;
        for (int k = 0; k < course[i]; k++)
            played_io(w, WRITE, 1, 0, (int64_t)(10 * i + k) << 20, 1 << 20);
    }
    return played_end(w);
}

static int is_about(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static void test_rates(void **state)
{
    const struct lp_view *v = play(*state);
    const double mib = 1 << 20;
    struct lp_rates r;

    assert_int_equal(lp_timeline_used(v->study->traffic->time), 10);
    assert_int_equal(lp_rates_make(v, v->study->traffic->all.series, 1, 1, &r),
                     0);
    assert_int_equal(r.count, 10);
    assert_true(is_about(r.mean, mib)); /* 10 MiB in 10 seconds */
    assert_true(is_about(r.peak, 4 * mib));
    assert_true(is_about(r.busy, 0.4));
    assert_true(is_about(r.top_tenth, 0.4)); /* the second with 4 of 10 */
    /* squares: 1 + 4 + 16 + 9 = 30; variance 3 - 1 */
    assert_true(is_about(r.deviation, sqrt(2)));
    assert_true(lp_rates_percentile(&r, 0) == 0);
    assert_true(lp_rates_percentile(&r, 0.6) == 0);
    assert_true(is_about(lp_rates_percentile(&r, 0.7), mib));
    assert_true(is_about(lp_rates_percentile(&r, 0.9), 3 * mib));
    assert_true(is_about(lp_rates_percentile(&r, 1), 4 * mib));
    lp_rates_release(&r);
    assert_null(r.rate);
}

/* Five seconds together. */
static void test_rates_in_steps(void **state)
{
    const struct lp_view *v = play(*state);
    struct lp_rates r;

    assert_int_equal(lp_rates_make(v, v->study->traffic->all.series, 1, 5, &r),
                     0);
    assert_int_equal(r.count, 2);
    assert_true(is_about(r.rate[0], 3.0 * (1 << 20) / 5));
    assert_true(is_about(r.rate[1], 7.0 * (1 << 20) / 5));
    lp_rates_release(&r);
    /* four, four and two */
    assert_int_equal(lp_rates_make(v, v->study->traffic->all.series, 1, 4, &r),
                     0);
    assert_int_equal(r.count, 3);
    assert_true(is_about(r.peak, 4.0 * (1 << 20) / 4));
    lp_rates_release(&r);
}

static void assert_row(const struct lp_view *v, const char *table,
                       const char *line)
{
    const char *text = played_table(lp_workload_tables, v, table);
    char want[256];

    snprintf(want, sizeof(want), "\n%s\n", line);
    if (!strstr(text, want))
        fail_msg("no line '%s' in\n%s", line, text);
}

static void test_bandwidth(void **state)
{
    const struct lp_view *v = play(*state);

    assert_row(v, "bandwidth",
               "OST0000,write,1048576,0,3145728,4194304,4194304,4");
    assert_row(v, "bandwidth", "OST0000,read,0,0,0,0,0,");
    assert_row(v, "bandwidth", "OST0001,read,409.6,0,0,4096,4096,10");
    assert_row(v, "bandwidth",
               "all,both,1.04899e+06,0,3145728,4194304,4194304,3.99844");
}

static void test_cdf(void **state)
{
    const struct lp_view *v = play(*state);

    assert_row(v, "cdf", "0.5,0,0,0");
    assert_row(v, "cdf", "0.9,0,3145728,3145728");
    assert_row(v, "cdf", "1,4096,4194304,4194304");
}

static void test_directions(void **state)
{
    const struct lp_view *v = play(*state);

    assert_row(v, "directions", "all,1,10,0.0909091,0.1");
    assert_row(v, "directions", "OST0000,0,10,0,0");
    assert_row(v, "directions", "OST0001,1,0,1,");
}

static void test_bursts(void **state)
{
    const struct lp_view *v = play(*state);

    assert_row(v, "bursts", "OST0000,0.4,0.4,4,1.41421");
    assert_row(v, "bursts", "OST0001,0.1,1,10,3");
}

static void test_size_peaks(void **state)
{
    const struct lp_view *v = play(*state);

    assert_row(v, "size_peaks", "OST0000,write,10,1048576,0,0,1,1");
    assert_row(v, "size_peaks", "OST0001,read,1,4096,1,0,0,1");
    assert_row(v, "size_peaks", "OST0001,write,0,,,,,");
    assert_row(v, "sizes", "up to 1 MiB,0,0,10,1");
}

static void test_read_share(void **state)
{
    const struct lp_view *v = play(*state);

    /* the first second: a read of 4 KiB and a write of 1 MiB */
    assert_row(v, "read_share", "1000000000,1,1,0.5,0.00389105");
    assert_row(v, "read_share", "1007000000,0,4,0,0");
}

/* ---- two studies ---- */

static void assert_figure(const char *text, const char *line)
{
    char want[256];

    snprintf(want, sizeof(want), "\n%s\n", line);
    if (!strstr(text, want))
        fail_msg("no line '%s' in\n%s", line, text);
}

static void test_compare(void **state)
{
    struct played *w = *state;
    const struct lp_view *v[2];
    const char *const name[2] = {"before", "after"};
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_table *t;
    void *other;

    v[0] = play(w);
    assert_int_equal(setup(&other), 0);
    w = other;
    for (int i = 0; i < 5; i++)
        for (int c = 1; c <= 3; c++)
            played_io(w, WRITE, c, c % 2, (int64_t)i << 22, 4 << 20);
    played_enqueue(w, 1);
    v[1] = played_end(w);
    t = lp_compare(v, name);
    assert_non_null(t);
    lp_table_write(t, LP_AS_CSV, &sb);
    assert_figure(adl_strbuf_text(&sb), "reads,1,0,-100 %");
    assert_figure(adl_strbuf_text(&sb), "writes,10,15,+50 %");
    assert_figure(adl_strbuf_text(&sb), "bytes read,4 KiB,0 B,-100 %");
    assert_figure(adl_strbuf_text(&sb),
                  "bytes written,10 MiB,60 MiB,6.0 times");
    assert_figure(adl_strbuf_text(&sb), "OSTs used,2,2,same");
    assert_figure(adl_strbuf_text(&sb),
                  "\"clients writing to an OST, mean\",1.00,1.50,+50 %");
    assert_figure(adl_strbuf_text(&sb),
                  "\"clients reading from an OST, mean\",1.00,-,-");
    assert_figure(adl_strbuf_text(&sb), "requests below 64 KiB,1,0,-100 %");
    assert_figure(adl_strbuf_text(&sb), "lock requests,0,1,new");
    assert_figure(adl_strbuf_text(&sb), "blocking callbacks,0,0,same");
    /* OST 0 got 20 of 60, OST 1 got 40 */
    assert_figure(adl_strbuf_text(&sb), "busiest OST to mean,2.00,1.33,-33 %");
    assert_figure(adl_strbuf_text(&sb), "mean request,931 KiB,4 MiB,4.4 times");
    adl_strbuf_release(&sb);
    lp_table_destroy(t);
    played_teardown(&other);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, played_teardown)
    const struct CMUnitTest tests[] = {
        T(test_rates),      T(test_rates_in_steps), T(test_bandwidth),
        T(test_cdf),        T(test_directions),     T(test_bursts),
        T(test_size_peaks), T(test_read_share),     T(test_compare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
