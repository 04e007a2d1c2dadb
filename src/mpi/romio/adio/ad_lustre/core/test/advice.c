/* advice.c - test the advice: each rule fires, and does not */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../report/advice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define GIB (1LL << 30)
#define SECOND 1000000000LL

/* A file that nothing is to be said about; the cases change it. */
struct file {
    struct adl_total total[ADL_DIRS];
    struct adl_report report;
    struct adl_object_use use[ADL_DIRS][4];
    struct adl_advice_facts facts;
};

static struct adl_layout *layout;

#define W(f, name) ((f)->total[ADL_WRITES].n[ADL_N_##name])

static void set_time(struct file *f, enum adl_counter c, int64_t ave)
{
    f->total[ADL_WRITES].all[c - ADL_TIME_FIRST].sum = ave * f->report.ranks;
    f->total[ADL_WRITES].io[c - ADL_TIME_FIRST].sum = ave * W(f, io_ranks);
}

static void good(struct file *f)
{
    memset(f, 0, sizeof(*f));
    f->report = (struct adl_report){.file = "f",
                                    .ranks = 16,
                                    .aggregators = 4,
                                    .stripe_count = 4,
                                    .stripe_size = 1 << 20,
                                    .total = f->total};
    W(f, collective_calls) = W(f, active_all) = 1000;
    W(f, active_sum) = 4000;
    W(f, io_ranks) = 4;
    W(f, system_bytes) = 80 * GIB;
    W(f, system_calls) = 81920;
    f->facts = (struct adl_advice_facts){
        .report = &f->report, .layout = layout, .osts = 8, .nodes = 4};
    f->facts.lock_ahead_extents = 500;
    for (int d = 0; d < ADL_DIRS; d++)
        f->facts.use[d] = f->use[d];
    for (int i = 0; i < 4; i++)
        f->use[ADL_WRITES][i].bytes = 20 * GIB;
    set_time(f, ADL_N_t_total, 100 * SECOND);
    set_time(f, ADL_N_t_file, 30 * SECOND);
    set_time(f, ADL_N_t_send, 30 * SECOND);
}

static void one_ost(struct file *f)
{
    f->report.stripe_count = 1;
    f->report.aggregators = 1;
}

static void one_ost_little(struct file *f)
{
    one_ost(f);
    W(f, system_bytes) = 1 << 20;
}

static void one_ost_there_is(struct file *f)
{
    one_ost(f);
    f->facts.osts = 1;
}

static void hot_ost(struct file *f)
{
    f->use[ADL_WRITES][2].bytes = 70 * GIB;
    f->use[ADL_WRITES][0].bytes = 10 * GIB;
}

static void warm_ost(struct file *f)
{
    f->use[ADL_WRITES][2].bytes = 39 * GIB;
}

static void no_use(struct file *f)
{
    hot_ost(f);
    f->facts.use[ADL_WRITES] = f->facts.use[ADL_READS] = NULL;
}

static void file_bound(struct file *f)
{
    set_time(f, ADL_N_t_file, 52 * SECOND);
    set_time(f, ADL_N_t_send, 11 * SECOND);
}

static void file_bound_mode2(struct file *f)
{
    file_bound(f);
    f->report.lock_mode = 2;
}

static void file_bound_alone(struct file *f)
{
    file_bound(f);
    W(f, collective_alone) = W(f, collective_calls);
    W(f, active_all) = 0;
    W(f, active_one) = W(f, collective_calls);
}

static void send_bound(struct file *f)
{
    set_time(f, ADL_N_t_file, 45 * SECOND);
    set_time(f, ADL_N_t_send, 40 * SECOND);
}

static void few_active(struct file *f)
{
    f->report.aggregators = f->report.stripe_count = 64;
    f->report.ranks = 64;
    f->facts.use[ADL_WRITES] = f->facts.use[ADL_READS] = NULL;
    W(f, active_all) = 0;
    W(f, active_half) = 1000;
    W(f, active_sum) = 3000;
}

static void mostly_active(struct file *f)
{
    W(f, active_all) = 600;
    W(f, active_one) = 400;
}

static void gaps(struct file *f)
{
    W(f, gaps) = 20000;
    W(f, gap_bytes) = 20000 * (5LL << 20);
}

static void few_gaps(struct file *f)
{
    W(f, gaps) = 18;
    W(f, gap_bytes) = 18;
}

static void small_independent(struct file *f)
{
    W(f, independent_calls) = 300;
    W(f, independent_bytes) = 300 * 512;
}

static void a_header(struct file *f)
{
    W(f, independent_calls) = 12;
    W(f, independent_bytes) = 12 * 512;
}

static void large_independent(struct file *f)
{
    W(f, independent_calls) = 300;
    W(f, independent_bytes) = 300LL << 22;
}

static void rmw_by_default(struct file *f)
{
    W(f, rmw_calls) = 100;
    W(f, rmw_bytes) = 100 << 20;
}

static void rmw(struct file *f)
{
    rmw_by_default(f);
    f->facts.sieves = 1;
}

static void a_rmw(struct file *f)
{
    W(f, rmw_calls) = 1;
    f->facts.sieves = 1;
}

static void misses(struct file *f)
{
    f->report.lock_mode = 2;
    W(f, lock_hits) = 60;
    W(f, lock_misses) = 40;
}

static void few_misses(struct file *f)
{
    f->report.lock_mode = 2;
    W(f, lock_hits) = 82204;
    W(f, lock_misses) = 128;
}

static void late(struct file *f)
{
    set_time(f, ADL_N_t_wait, 52 * SECOND);
}

static void late_but_short(struct file *f)
{
    set_time(f, ADL_N_t_total, SECOND);
    set_time(f, ADL_N_t_wait, SECOND / 2);
    set_time(f, ADL_N_t_file, SECOND / 5);
    set_time(f, ADL_N_t_send, SECOND / 5);
}

static void few_aggregators(struct file *f)
{
    f->report.aggregators = 2;
}

static void no_more_ranks(struct file *f)
{
    f->report.aggregators = f->report.ranks = 2;
}

static const struct {
    void (*change)(struct file *f);
    const char *rule; /* NULL: nothing is said */
    const char *text, *hint;
} cases[] = {
    {NULL, NULL, NULL, NULL},
    {one_ost, "one_ost", "stripe count 1: one OST took 100 % of 80 GiB",
     "striping_factor=8"},
    {one_ost_little, NULL, NULL, NULL},
    {one_ost_there_is, NULL, NULL, NULL},
    {hot_ost, "hot_ost", "object 2 took 87 % of 80 GiB",
     "striping_unit=262144"},
    {warm_ost, NULL, NULL, NULL},
    {no_use, NULL, NULL, NULL},
    {file_bound, "file_bound",
     "52 % of the time in file write, 11 % in data send: several aggregators "
     "per OST with lock mode 2 may help",
     "cray_cb_write_lock_mode=2"},
    {file_bound_mode2, NULL, NULL, NULL},
    {file_bound_alone, NULL, NULL, NULL},
    {send_bound, NULL, NULL, NULL},
    {few_active, "few_active", "3.0 of 64 aggregators active",
     "striping_unit=262144"},
    {mostly_active, NULL, NULL, NULL},
    {gaps, "write_gaps", "write gaps: 20000 of 81920 system writes",
     "larger collective writes"},
    {few_gaps, NULL, NULL, NULL},
    {small_independent, "small_independent",
     "300 small independent writes (512 bytes on average) beside 1000 "
     "collective ones cancel locks",
     "collectively"},
    {a_header, NULL, NULL, NULL},
    {large_independent, NULL, NULL, NULL},
    {rmw, "read_modify_write", "100 read-modify-writes of 100 MiB",
     "romio_lustre_ds_in_coll=disable"},
    {a_rmw, NULL, NULL, NULL},
    {rmw_by_default, NULL, NULL, NULL},
    {misses, "lock_misses", "40 of 100 writes (40 %)",
     "romio_lustre_cb_lock_ahead_num_extents=1000"},
    {few_misses, NULL, NULL, NULL},
    {late, "late_ranks", "52 % of the time (52.0 s a rank)", "load balance"},
    {late_but_short, NULL, NULL, NULL},
    {few_aggregators, "few_aggregators", "2 aggregators for 4 stripes",
     "cb_nodes=4"},
    {no_more_ranks, NULL, NULL, NULL},
};

static void check_said(const struct adl_advice *a, size_t i)
{
    assert_string_equal(a->rule, cases[i].rule);
    assert_non_null(strstr(a->text, cases[i].text));
    assert_non_null(strstr(a->hint, cases[i].hint));
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_advice advice[ADL_ADVICE_MAX];
        struct file f;
        int n;

        good(&f);
        if (cases[i].change)
            cases[i].change(&f);
        n = adl_advice_find(&f.facts, advice);
        for (int k = 0; k < n && n != !!cases[i].rule; k++)
            print_message("# case %zu: %s\n", i, advice[k].text);
        assert_int_equal(n, cases[i].rule ? 1 : 0);
        if (n > 0)
            check_said(&advice[0], i);
    }
}

static void test_print(void **state)
{
    const struct adl_advice advice[] = {
        {"a", "too slow", "cb_nodes=2"},
        {"b", "too late", ""},
    };
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    (void)state;
    adl_advice_print(&sb, "f", advice, 2);
    assert_string_equal(sb.text,
                        "romio-lustre: advice for f: too slow: try cb_nodes=2\n"
                        "romio-lustre: advice for f: too late\n");
    adl_strbuf_release(&sb);
}

/* A file that a job has just created. */
static void test_new(void **state)
{
    static const struct {
        struct adl_advice_new f;
        const char *hint; /* NULL: nothing to say */
    } rows[] = {
        /* stripes, at, OSTs, ranks, nodes, NICs */
        {{1, 0, 16, 256, 8, 0}, "striping_factor=16"},
        {{1, 0, 100, 256, 4, 0}, "striping_factor=16"},
        {{1, 0, 100, 256, 4, 4}, "striping_factor=64"},
        {{5, 0, 16, 256, 8, 0}, "striping_factor=16"},
        {{6, 0, 16, 256, 8, 0}, NULL},
        {{16, 0, 16, 256, 8, 0}, NULL},
        {{4, 64 << 20, 16, 64, 8, 0}, "striping_factor=16"},
        {{1, 0, 16, 8, 1, 0}, NULL},  /* a small job */
        {{1, 0, 16, 12, 3, 0}, NULL}, /* another */
        {{1, 0, 16, 64, 1, 0}, "striping_factor=4"},
        {{1, 0, 1, 256, 8, 0}, NULL}, /* the file system has one */
        {{1, 0, 0, 256, 8, 0}, NULL}, /* unknown */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_advice a = {.hint = ""};
        int found = adl_advice_new(&rows[i].f, &a);

        assert_int_equal(found, rows[i].hint != NULL);
        if (found)
            assert_string_equal(a.hint, rows[i].hint);
        if (i == 0)
            assert_string_equal(a.text, "new files here have 1 stripe, of 16 "
                                        "OSTs, for 256 ranks on 8 nodes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_print),
    };
    int rc = adl_layout_plain(1 << 20, 4, &layout);

    if (rc == 0)
        rc = cmocka_run_group_tests(tests, NULL, NULL);
    adl_layout_destroy(layout);
    return rc;
}
