/* report.c - test the blocks, the JSON and the name of a report */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../report/report.h"
#include "../report/report_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

#define SET(t, name, value) ((t).n[ADL_N_##name] = (value))

static struct adl_total totals[ADL_DIRS];

static struct adl_report fresh(const char *file, int ranks, int aggregators)
{
    memset(totals, 0, sizeof(totals));
    return (struct adl_report){.file = file,
                               .ranks = ranks,
                               .aggregators = aggregators,
                               .stripe_count = 1,
                               .stripe_size = 1048576,
                               .total = totals};
}

static void check(struct adl_strbuf *sb, const char *name)
{
    assert_int_equal(sb->err, 0);
    assert_golden(name, adl_strbuf_text(sb));
    adl_strbuf_release(sb);
}

/* ---- access patterns: the paper's numbers ---- */

static void set_one_aggregator(struct adl_total *t)
{
    SET(*t, independent_calls, 106);
    SET(*t, collective_calls, 192);
    SET(*t, independent_ranks, 1);
    SET(*t, system_calls, 4286);
    SET(*t, active_one, 192);
    SET(*t, system_bytes, 4382277718);
    SET(*t, io_ranks, 1);
}

static void test_write_patterns(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("wrfout_d01", 192, 1);

    (void)state;
    set_one_aggregator(&totals[ADL_WRITES]);
    assert_true(adl_report_has(&r, ADL_WRITES));
    assert_false(adl_report_has(&r, ADL_READS));
    adl_report_patterns(&sb, &r, ADL_WRITES);
    check(&sb, "write-patterns.txt");
}

static void test_lock_ahead(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("wrfout_d01", 3072, 64);
    struct adl_total *t = &totals[ADL_WRITES];

    (void)state;
    r.stripe_count = 4;
    r.lock_mode = 2;
    SET(*t, independent_calls, 2);
    SET(*t, collective_calls, 638400);
    SET(*t, independent_ranks, 1);
    SET(*t, system_calls, 82334);
    SET(*t, stripe_sized, 82091);
    SET(*t, active_one, 177840);
    SET(*t, active_all, 460560);
    SET(*t, system_bytes, 86184761180);
    SET(*t, gaps, 2);
    SET(*t, gap_bytes, 2 * 524284 + 1);
    SET(*t, lock_extents, 96000);
    SET(*t, lock_hits, 82204);
    SET(*t, lock_misses, 128);
    SET(*t, lock_unused, 13796);
    r.lock_note = "nothing locked: because";
    adl_report_patterns(&sb, &r, ADL_WRITES);
    check(&sb, "write-patterns-mode2.txt");
}

static void test_read_patterns(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("example.data", 4, 1);
    struct adl_total *t = &totals[ADL_READS];

    (void)state;
    r.stripe_size = 524288;
    SET(*t, collective_calls, 4);
    SET(*t, system_calls, 1);
    SET(*t, system_bytes, 3200);
    adl_report_patterns(&sb, &r, ADL_READS);
    check(&sb, "read-patterns.txt");
}

/* ---- phases ---- */

struct time {
    enum adl_counter counter;
    int64_t min, max, ave;
};

static void set_times(struct adl_spread *to, const struct time *from, int n,
                      int64_t ranks, int shift)
{
    for (int i = 0; i < n; i++)
        to[from[i].counter - ADL_TIME_FIRST] = (struct adl_spread){
            .sum = (from[i].ave << shift) * ranks,
            .min = from[i].min << shift,
            .max = from[i].max << shift,
        };
}

/* A real report of 192 ranks of which one writes. */
static void test_all_ranks(void **state)
{
    static const struct time times[] = {
        {ADL_N_t_total, 760329267, 760329267, 760329267},
        {ADL_N_t_imbalance, 1923, 2566, 2346},
        {ADL_N_t_open, 247135, 302731, 251846},
        {ADL_N_t_compute, 92757, 213092, 97163},
        {ADL_N_t_wait, 14746, 752303980, 398433146},
        {ADL_N_t_collective, 28706, 35441, 30597},
        {ADL_N_t_exchange, 373415, 2146029, 398483},
        {ADL_N_t_send, 7189592, 759376475, 357649987},
        {ADL_N_t_other, 5582, 48380, 47134},
    };
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("wrfout_d01", 192, 1);
    struct adl_total *t = &totals[ADL_WRITES];

    (void)state;
    set_one_aggregator(t);
    set_times(t->all, times, 9, 192, 4);
    t->all[ADL_N_t_file - ADL_TIME_FIRST] = (struct adl_spread){
        .sum = 656363834LL << 4, .min = 0, .max = 656363834LL << 4};
    adl_report_phases(&sb, &r, ADL_WRITES, ADL_ALL_RANKS);
    check(&sb, "write-phases-all.txt");
}

/* Listing 5, with ticks of a nanosecond and a scale that was asked for. */
static const struct time listing5[] = {
    {ADL_N_t_total, 621076237, 621076237, 621076237},
    {ADL_N_t_imbalance, 13702, 17650, 15896},
    {ADL_N_t_compute, 2904270, 3954987, 3344989},
    {ADL_N_t_wait, 27883170, 38036293, 33823494},
    {ADL_N_t_collective, 216151, 311404, 265380},
    {ADL_N_t_exchange, 432356, 484632, 463949},
    {ADL_N_t_send, 52859942, 101826753, 75238921},
    {ADL_N_t_file, 265243604, 374646356, 325433382},
    {ADL_N_t_other, 154855180, 212509150, 181886450},
};

static void set_listing5(struct adl_total *t)
{
    SET(*t, io_ranks, 64);
    SET(*t, collective_calls, 638400);
    SET(*t, system_bytes, 86184755200);
    set_times(t->io, listing5, 9, 64, 0);
}

static void test_writers_only(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("wrfout_d01", 3072, 64);

    (void)state;
    r.scale = 10;
    r.lock_mode = 1;
    set_listing5(&totals[ADL_WRITES]);
    adl_report_phases(&sb, &r, ADL_WRITES, ADL_IO_RANKS);
    check(&sb, "write-phases-writers.txt");
}

static void test_read_phases(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("example.data", 4, 1);
    struct adl_total *t = &totals[ADL_READS];

    (void)state;
    SET(*t, io_ranks, 2);
    SET(*t, system_bytes, 3 << 20);
    set_times(t->all, listing5, 9, 4, 0);
    set_times(t->io, listing5, 9, 2, 0);
    t->all[ADL_N_t_file - ADL_TIME_FIRST].sum /= 2;
    adl_report_phases(&sb, &r, ADL_READS, ADL_ALL_RANKS);
    adl_report_phases(&sb, &r, ADL_READS, ADL_IO_RANKS);
    check(&sb, "read-phases.txt");
}

/* Nothing was measured: no division by zero, no nonsense. */
static void test_no_times(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("empty", 2, 1);

    (void)state;
    adl_report_phases(&sb, &r, ADL_WRITES, ADL_IO_RANKS);
    assert_non_null(strstr(sb.text, "2**0 "));
    assert_null(strstr(sb.text, "nan"));
    assert_null(strstr(sb.text, "inf"));
    adl_strbuf_release(&sb);
}

static void test_scale(void **state)
{
    static const struct {
        int64_t most;
        int given;
        const char *want;
    } cases[] = {
        {999999999, 0, "2**0 "},       {1000000000, 0, "2**1 "},
        {1999999999, 0, "2**1 "},      {2000000000, 0, "2**2 "},
        {INT64_MAX / 4, 0, "2**32 "},  {5, 7, "2**7 "},
        {1000000000000, 62, "2**62 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_strbuf sb = ADL_STRBUF_INIT;
        struct adl_report r = fresh("f", 1, 1);

        r.scale = cases[i].given;
        totals[ADL_WRITES].all[0].max = cases[i].most;
        adl_report_phases(&sb, &r, ADL_WRITES, ADL_ALL_RANKS);
        assert_non_null(strstr(sb.text, cases[i].want));
        adl_strbuf_release(&sb);
    }
}

/* ---- JSON ---- */

static void test_json(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_report r = fresh("dir/a \"b\"\\c\n\x80\xc3\xa9", 3072, 2);
    struct adl_total *t = &totals[ADL_WRITES];
    const int ranks[] = {0, 5};
    const char *const nodes[] = {"n1", NULL};
    struct adl_object_use use[] = {{100, 2}, {50, 1}};
    struct adl_hints hints;
    struct adl_layout *layout;
    struct adl_advice_facts facts = {.report = &r, .nodes = 2};
    struct adl_report_more more = {.report = &r,
                                   .facts = &facts,
                                   .hints = &hints,
                                   .agg_rank = ranks,
                                   .agg_node = nodes,
                                   .on_lustre = 1,
                                   .timers = 1,
                                   .job = "17",
                                   .pid = 42,
                                   .opened_ms = 1000,
                                   .closed_ms = 2000};

    (void)state;
    assert_int_equal(adl_layout_plain(1048576, 2, &layout), 0);
    assert_int_equal(adl_hints_init(&hints), 0);
    adl_hints_set(&hints, "striping_factor", "2", ADL_FROM_INFO, NULL);
    adl_hints_adjust(&hints, ADL_HINT_cb_nodes, 2, ADL_FROM_DEFAULT);
    set_listing5(t);
    SET(totals[ADL_READS], system_smallest, INT64_MAX);
    facts.layout = more.layout = layout;
    facts.use[ADL_WRITES] = facts.use[ADL_READS] = use;
    adl_report_json(&sb, &more);
    check(&sb, "report.json");
    adl_hints_release(&hints);
    adl_layout_destroy(layout);
}

static void test_name(void **state)
{
    static const struct {
        const char *pattern, *file, *want;
    } cases[] = {
        {"r.json", "f", "r.json"},
        {"%f.%p.%j.json", "a/b/out.nc", "out.nc.42.j_7.json"},
        {"%f", "lustre:/x/y", "y"},
        {"100%%%", "f", "100%%"},
        {"%x%f", "f", "%xf"},
        {"%", "f", "%"},
        {"d/%f", "a/", "d/"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_strbuf sb = ADL_STRBUF_INIT;

        adl_report_name(&sb, cases[i].pattern, cases[i].file, 42, "j/7");
        assert_string_equal(adl_strbuf_text(&sb), cases[i].want);
        adl_strbuf_release(&sb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_patterns),
        cmocka_unit_test(test_lock_ahead),
        cmocka_unit_test(test_read_patterns),
        cmocka_unit_test(test_all_ranks),
        cmocka_unit_test(test_writers_only),
        cmocka_unit_test(test_read_phases),
        cmocka_unit_test(test_no_times),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
