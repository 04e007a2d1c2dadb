/* counters.c - test counting, merging, time bins */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../report/counters.h"
#include "../report/iostat.h"
#include "../report/timebins.h"
#include "../report/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- one rank ---- */

static void test_active(void **state)
{
    static const struct {
        int64_t active;
        int aggs;
        enum adl_counter want;
    } cases[] = {
        {0, 1, ADL_N_active_one},    {1, 1, ADL_N_active_one},
        {1, 64, ADL_N_active_one},   {2, 2, ADL_N_active_all},
        {2, 3, ADL_N_active_most},   {2, 4, ADL_N_active_half},
        {32, 64, ADL_N_active_half}, {33, 64, ADL_N_active_most},
        {63, 64, ADL_N_active_most}, {64, 64, ADL_N_active_all},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_tally t;

        adl_tally_init(&t);
        adl_tally_active(&t, cases[i].active, cases[i].aggs);
        assert_int_equal(t.n[cases[i].want], 1);
        assert_int_equal(t.n[ADL_N_active_one] + t.n[ADL_N_active_half] +
                             t.n[ADL_N_active_most] + t.n[ADL_N_active_all],
                         1);
    }
}

static void test_rows_add_up(void **state)
{
    struct adl_tally t;
    int64_t sum = 0;

    (void)state;
    adl_tally_init(&t);
    t.n[ADL_N_t_total] = 100;
    t.n[ADL_N_t_file] = 60;
    t.n[ADL_N_t_send] = 30;
    adl_tally_close(&t);
    assert_int_equal(t.n[ADL_N_t_other], 10);
    t.n[ADL_N_t_send] = 80;
    adl_tally_close(&t);
    assert_int_equal(t.n[ADL_N_t_other], 0);
    for (int i = ADL_TIME_FIRST + 1; i < ADL_COUNTERS; i++)
        sum += t.n[i];
    assert_int_equal(sum, t.n[ADL_N_t_total]);
}

/* One call: asked at 10, agreed at 30, moved at 90, over at 100. */
static void test_timing(void **state)
{
    static const struct adl_timing call = {.at = {0, 10, 30, 90},
                                           .lock = {0, 2, 2, 5},
                                           .own = {0, 0, 0, 4},
                                           .setup_wait = 1,
                                           .setup = 3,
                                           .idle = 40,
                                           .file = 20,
                                           .aggregated = 1};
    /* waits, total, compute, open, lock, collective, wait, imbalance, file,
     * exchange, send */
    static const int64_t want[][11] = {
        {0, 100, 4, 3, 5, 31, 0, 0, 20, 17, 16},
        {1, 100, 4, 3, 5, 12, 15, 4, 20, 17, 16},
    };
    static const enum adl_counter row[] = {
        ADL_N_t_total,      ADL_N_t_compute, ADL_N_t_open,      ADL_N_t_lock,
        ADL_N_t_collective, ADL_N_t_wait,    ADL_N_t_imbalance, ADL_N_t_file,
        ADL_N_t_exchange,   ADL_N_t_send};

    (void)state;
    for (int i = 0; i < 2; i++) {
        int64_t n[ADL_COUNTERS] = {0};

        adl_timing_count(&call, 100, 6, (int)want[i][0], n);
        for (int k = 0; k < 10; k++)
            assert_int_equal(n[row[k]], want[i][k + 1]);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(adl_size_class(0), 0);
    assert_int_equal(adl_size_class(1023), 0);
    assert_int_equal(adl_size_class(1024), 1);
    assert_int_equal(adl_size_class(1 << 20), ADL_N_size_1m - ADL_N_size_0);
    assert_int_equal(adl_size_class(INT64_MAX), ADL_SIZES - 1);
    assert_int_equal(adl_size_from(ADL_SIZES - 1), 1 << 30);
}

/* ---- all ranks: against a sum made by hand, in any order of merging ---- */

#define RANKS 7
#define EXTRA 5

static void fill(struct adl_tally tally[ADL_DIRS], int64_t *extra, int rank)
{
    for (int d = 0; d < ADL_DIRS; d++) {
        adl_tally_init(&tally[d]);
        for (int i = 0; i < ADL_COUNTERS; i++)
            tally[d].n[i] = (rank * 31 + d * 17 + i * 7) % 101;
        tally[d].n[ADL_N_io_ranks] = rank % 3 == d;
        if (rank == 2)
            tally[d].n[ADL_N_system_smallest] = INT64_MAX;
    }
    for (int i = 0; i < EXTRA; i++)
        extra[i] = rank * 1000 + i;
}

static void check_time(const struct adl_spread *s, int d, int i, int io)
{
    int64_t sum = 0, min = INT64_MAX, max = 0, extra[EXTRA];

    for (int r = 0; r < RANKS; r++) {
        struct adl_tally t[ADL_DIRS];

        fill(t, extra, r);
        if (io && !t[d].n[ADL_N_io_ranks])
            continue;
        sum += t[d].n[i];
        min = t[d].n[i] < min ? t[d].n[i] : min;
        max = t[d].n[i] > max ? t[d].n[i] : max;
    }
    assert_int_equal(s->sum, sum);
    assert_int_equal(s->min, min);
    assert_int_equal(s->max, max);
}

static void check_count(int64_t n, int d, int i)
{
    int64_t sum = 0, min = INT64_MAX, max = 0, extra[EXTRA];
    enum adl_counter_kind kind = adl_counter_kind(i);

    for (int r = 0; r < RANKS; r++) {
        struct adl_tally t[ADL_DIRS];

        fill(t, extra, r);
        sum += kind == ADL_SUM ? t[d].n[i] : 0;
        min = t[d].n[i] < min ? t[d].n[i] : min;
        max = t[d].n[i] > max ? t[d].n[i] : max;
    }
    assert_int_equal(n, kind == ADL_SUM ? sum : kind == ADL_MAX ? max : min);
}

static struct adl_totals *totals_of(int rank)
{
    struct adl_totals *t = malloc(sizeof(*t) + EXTRA * sizeof(int64_t));
    struct adl_tally tally[ADL_DIRS];

    t->nextra = EXTRA;
    fill(tally, t->extra, rank);
    for (int d = 0; d < ADL_DIRS; d++)
        adl_total_of(&tally[d], &t->dir[d]);
    return t;
}

static void check_order(int from, int step)
{
    struct adl_totals *rank[RANKS], *all;

    for (int r = 0; r < RANKS; r++)
        rank[r] = totals_of(r);
    all = rank[from];
    for (int i = 1; i < RANKS; i++)
        adl_totals_merge(rank[(from + i * step) % RANKS], all);
    for (int d = 0; d < ADL_DIRS; d++)
        for (int i = 0; i < ADL_COUNTERS; i++) {
            if (i < ADL_TIME_FIRST) {
                check_count(all->dir[d].n[i], d, i);
                continue;
            }
            check_time(&all->dir[d].all[i - ADL_TIME_FIRST], d, i, 0);
            check_time(&all->dir[d].io[i - ADL_TIME_FIRST], d, i, 1);
        }
    for (int i = 0; i < EXTRA; i++)
        assert_int_equal(all->extra[i],
                         RANKS * (RANKS - 1) / 2 * 1000 + RANKS * i);
    for (int r = 0; r < RANKS; r++)
        free(rank[r]);
}

static void test_totals(void **state)
{
    (void)state;
    check_order(0, 1);
    check_order(3, 2);
    check_order(6, 5);
}

/* No rank did any I/O: there are no times. */
static void test_nobody(void **state)
{
    struct adl_totals all = {0}, more = {0};
    struct adl_tally tally;

    (void)state;
    adl_tally_init(&tally);
    tally.n[ADL_TIME_FIRST] = 5;
    adl_total_of(&tally, &all.dir[0]);
    adl_total_of(&tally, &more.dir[0]);
    adl_totals_merge(&more, &all);
    assert_int_equal(all.dir[0].all[0].sum, 10);
    assert_int_equal(all.dir[0].io[0].max, 0);
    assert_int_equal(all.dir[0].io[0].min, 0);
    assert_int_equal(all.dir[0].n[ADL_N_system_smallest], INT64_MAX);
}

/* ---- system calls ---- */

#define S 65536

static void test_iostat(void **state)
{
    struct adl_layout *layout;
    struct adl_iostat io;
    int64_t *n = io.tally[ADL_WRITES].n;

    (void)state;
    assert_int_equal(adl_layout_plain(S, 3, &layout), 0);
    assert_int_equal(adl_iostat_init(&io, layout, 1, 0), 0);
    /* a stripe; one byte less; a stripe's length but not its place; 7 stripes
     * on 3 objects */
    adl_iostat_add(&io, &(struct adl_iocall){ADL_WRITES, S, S, 0, 0});
    adl_iostat_add(&io, &(struct adl_iocall){ADL_WRITES, 0, S - 1, 0, 0});
    adl_iostat_add(&io, &(struct adl_iocall){ADL_WRITES, 1, S, 0, 0});
    adl_iostat_add(&io, &(struct adl_iocall){ADL_WRITES, 0, 7 * S, 0, 0});
    assert_int_equal(n[ADL_N_system_calls], 4);
    assert_int_equal(n[ADL_N_stripe_sized], 1);
    assert_int_equal(n[ADL_N_system_bytes], 10 * S - 1);
    assert_int_equal(n[ADL_N_system_largest], 7 * S);
    assert_int_equal(n[ADL_N_system_smallest], S - 1);
    assert_int_equal(n[ADL_N_size_16k], 1);
    assert_int_equal(n[ADL_N_size_64k], 2);
    assert_int_equal(n[ADL_N_size_256k], 1);
    assert_int_equal(io.use[ADL_WRITES][0].bytes, S - 1 + S - 1 + 3 * S);
    assert_int_equal(io.use[ADL_WRITES][1].bytes, S + 1 + 2 * S);
    assert_int_equal(io.use[ADL_WRITES][2].bytes, 2 * S);
    assert_int_equal(io.use[ADL_WRITES][0].calls, 3);
    assert_int_equal(io.use[ADL_WRITES][2].calls, 1);
    assert_int_equal(io.tally[ADL_READS].n[ADL_N_system_calls], 0);
    adl_iostat_release(&io);
    adl_layout_destroy(layout);
}

/* 2 aggregators of 4 stripes: the first has stripes 0, 2, 4, ... */
static void test_gaps(void **state)
{
    static const struct {
        int64_t off, len, gap;
    } calls[] = {
        {0, S, 0},           {2 * S, S, 0},        {4 * S, 100, 0},
        {4 * S + 100, 5, 0}, {4 * S + 200, 6, 95}, {6 * S, 1, 2 * S - 206},
        {0, 1, 6 * S + 1},
    };
    struct adl_layout *layout;
    struct adl_owner *owner;
    struct adl_iostat io;
    int64_t *n = io.tally[ADL_WRITES].n, gaps = 0, bytes = 0;

    (void)state;
    assert_int_equal(adl_layout_plain(S, 4, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 2, &owner), 0);
    assert_int_equal(adl_iostat_init(&io, layout, 0, 0), 0);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct adl_iocall c = {ADL_WRITES, calls[i].off, calls[i].len, 0, 0};

        adl_iostat_follow(&io, owner, 0, &c);
        gaps += calls[i].gap > 0;
        bytes += calls[i].gap;
        assert_int_equal(n[ADL_N_gaps], gaps);
        assert_int_equal(n[ADL_N_gap_bytes], bytes);
    }
    adl_iostat_release(&io);
    adl_owner_destroy(owner);
    adl_layout_destroy(layout);
}

/* ---- over time ---- */

#define MS 1000000LL

static void test_bins(void **state)
{
    struct adl_bins a = {.interval = 250 * MS}, b = {.interval = 250 * MS};
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    (void)state;
    adl_bins_at(&a, 1000 * MS)->dir[ADL_WRITES].calls++;
    adl_bins_at(&a, 1249 * MS)->dir[ADL_WRITES].calls++;
    adl_bins_at(&a, 2000 * MS)->dir[ADL_READS].calls++;
    adl_bins_at(&b, 1100 * MS)->dir[ADL_WRITES].system += 3;
    adl_bins_at(&b, 1300 * MS)->dir[ADL_WRITES].bytes += 7;
    adl_bins_at(&b, 1300 * MS)->dir[ADL_WRITES].ns += 1600;
    adl_bins_csv_head(&sb);
    adl_bins_csv(&sb, &a, &b, "a,\"b\"");
    assert_string_equal(
        sb.text,
        "start_ms,file,write_calls,system_writes,bytes_written,write_us,"
        "read_calls,system_reads,bytes_read,read_us\n"
        "1000,\"a,\"\"b\"\"\",2,3,0,0,0,0,0,0\n"
        "1250,\"a,\"\"b\"\"\",0,0,7,2,0,0,0,0\n"
        "2000,\"a,\"\"b\"\"\",0,0,0,0,1,0,0,0\n");
    adl_strbuf_release(&sb);
    adl_bins_release(&a);
    adl_bins_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_active), cmocka_unit_test(test_rows_add_up),
        cmocka_unit_test(test_timing), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_totals), cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_iostat), cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_bins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
