/* inputs.c - test of brw and disk: the servers' own statistics, line by line */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../brw.h"
#include "../disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int brw(struct lp_brw_list *b, const char *line)
{
    return lp_brw_line(b, line, strlen(line));
}

static const struct lp_brw_row *row(const struct lp_brw_list *b, unsigned i,
                                    enum lp_brw_section section,
                                    const char *label)
{
    for (unsigned k = 0; k < b->list[i].rows; k++)
        if (b->list[i].row[k].section == section &&
            strcmp(b->list[i].row[k].label, label) == 0)
            return &b->list[i].row[k];
    fail_msg("no row %s", label);
    return NULL;
}

static void snapshot(struct lp_brw_list *b, const char *r1, const char *r2)
{
    assert_int_equal(brw(b, "obdfilter.lustre-OST0000.brw_stats="), 1);
    assert_int_equal(brw(b, "snapshot_time:         1.5 (secs.nsecs)"), 1);
    assert_int_equal(brw(b, "                           read      |     write"),
                     1);
    assert_int_equal(
        brw(b, "pages per bulk r/w     rpcs  % cum % |  rpcs  % cum %"), 1);
    assert_int_equal(brw(b, r1), 1);
    assert_int_equal(brw(b, r2), 1);
    assert_int_equal(brw(b, ""), 1);
    assert_int_equal(
        brw(b, "disk I/O size          ios   % cum % |  ios   % cum %"), 1);
    assert_int_equal(brw(b, "1M:              7 100 100   |    9 100 100"), 1);
}

static void test_brw_one(void **state)
{
    struct lp_brw_list b = {0};

    (void)state;
    lp_brw_begin(&b, "host");
    snapshot(&b, "1:		 108 100 100   |   39   0   0",
             "256:	       5 0 100   |   1000  99 100");
    assert_int_equal(b.count, 2); /* the host has none of its own */
    assert_string_equal(b.list[1].target, "lustre-OST0000");
    assert_int_equal(b.list[1].snapshots, 1);
    assert_int_equal(b.list[1].rows, 3);
    assert_int_equal(lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "1"), 0),
                     108);
    assert_int_equal(
        lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "256"), 1), 1000);
    assert_int_equal(lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_SIZE, "1M"), 0),
                     7);
    lp_brw_release(&b);
    assert_int_equal(b.count, 0);
}

/* The difference of the snapshots; counters that went back count nothing. */
static void test_brw_two(void **state)
{
    struct lp_brw_list b = {0};

    (void)state;
    lp_brw_begin(&b, "host");
    snapshot(&b, "1: 100 100 100 | 39 0 0", "256: 5 0 100 | 1000 99 100");
    lp_brw_begin(&b, "host");
    snapshot(&b, "1: 150 100 100 | 39 0 0", "256: 2 0 100 | 1600 99 100");
    assert_int_equal(b.list[1].snapshots, 2);
    assert_int_equal(lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "1"), 0),
                     50);
    assert_int_equal(lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "1"), 1),
                     0);
    assert_int_equal(
        lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "256"), 0), 0);
    assert_int_equal(
        lp_brw_value(&b.list[1], row(&b, 1, LP_BRW_PAGES, "256"), 1), 600);
    lp_brw_release(&b);
}

/* The file itself, without lctl's line: under the name it was given. */
static void test_brw_unnamed(void **state)
{
    struct lp_brw_list b = {0};

    (void)state;
    assert_int_equal(brw(&b, "1: 1 1 1 | 1 1 1"), 0); /* nothing begun */
    lp_brw_begin(&b, "oss3");
    assert_int_equal(brw(&b, "snapshot_time: 2"), 1);
    assert_int_equal(brw(&b, "1: 1 1 1 | 1 1 1"), 0); /* no title yet */
    assert_int_equal(brw(&b, "I/O time (1/1000s)     ios"), 1);
    assert_int_equal(brw(&b, "4: 12 1 1 | 34 1 1"), 1);
    assert_int_equal(brw(&b, "nonsense"), 0);
    assert_int_equal(brw(&b, "4: 12 1"), 0);
    assert_string_equal(b.list[0].target, "oss3");
    assert_int_equal(b.list[0].row[0].section, LP_BRW_TIME);
    assert_int_equal(lp_brw_value(&b.list[0], &b.list[0].row[0], 1), 34);
    lp_brw_release(&b);
}

static int disk(struct lp_disk_list *d, const char *line)
{
    return lp_disk_line(d, line, strlen(line));
}

/* The first report is since the machine started and does not count. */
static void test_iostat(void **state)
{
    struct lp_disk_list d = {0};
    const struct lp_disk *k;

    (void)state;
    lp_disk_begin(&d, "oss1");
    assert_int_equal(disk(&d, "Linux 5.14 (oss1) 11/16/26 _x86_64_ (2 CPU)"),
                     1);
    assert_int_equal(disk(&d, "11/16/26 21:00:00"), 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(disk(&d, "Device r/s rkB/s w/s wkB/s %util"), 1);
        assert_int_equal(disk(&d, i == 0   ? "sda 9 99999 9 99999 100.00"
                                  : i == 1 ? "sda 1 100.5 2 200 10.00"
                                  : i == 2 ? "sda 1 300.5 2 0 50.00"
                                           : "sda 1 0 2 100 0.00"),
                         1);
        assert_int_equal(disk(&d, ""), 1);
    }
    assert_int_equal(d.count, 1);
    k = &d.list[0];
    assert_string_equal(k->host, "oss1");
    assert_string_equal(k->device, "sda");
    assert_int_equal(k->reports, 3);
    assert_true(k->sum[0] == 401 && k->most[0] == 300.5);
    assert_true(k->sum[1] == 300 && k->most[1] == 200);
    assert_true(k->util_sum == 60 && k->util_most == 50);
    lp_disk_release(&d);
}

/* Columns elsewhere, megabytes, no utilisation; several disks and hosts. */
static void test_iostat_forms(void **state)
{
    struct lp_disk_list d = {0};

    (void)state;
    for (int host = 0; host < 2; host++) {
        lp_disk_begin(&d, host ? "b" : "a");
        for (int i = 0; i < 2; i++) {
            assert_int_equal(disk(&d, "Device: tps MB_read/s MB_wrtn/s"), 1);
            assert_int_equal(disk(&d, "sda 5 2 1"), 1);
            assert_int_equal(disk(&d, "dm-0 5 4 0.5"), 1);
        }
    }
    assert_int_equal(d.count, 4);
    assert_true(d.list[0].sum[0] == 2048 && d.list[0].sum[1] == 1024);
    assert_string_equal(d.list[1].device, "dm-0");
    assert_true(d.list[1].sum[1] == 512);
    assert_string_equal(d.list[3].host, "b");
    assert_true(d.list[3].util_most == 0);
    lp_disk_release(&d);
}

static void test_iostat_bad(void **state)
{
    struct lp_disk_list d = {0};
    char longer[600];

    (void)state;
    lp_disk_begin(&d, "a");
    assert_int_equal(disk(&d, "sda 1 2 3"), 0); /* before any head */
    assert_int_equal(disk(&d, "Device rkB/s wkB/s"), 1);
    assert_int_equal(disk(&d, "Device rkB/s wkB/s"), 1);
    assert_int_equal(disk(&d, "sda"), 0);
    assert_int_equal(disk(&d, "sda x y"), 0);
    assert_int_equal(disk(&d, "sda -1 2"), 0);
    memset(longer, 'a', sizeof(longer));
    assert_int_equal(lp_disk_line(&d, longer, sizeof(longer)), 0);
    assert_int_equal(d.count, 0);
    lp_disk_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brw_one),      cmocka_unit_test(test_brw_two),
        cmocka_unit_test(test_brw_unnamed),  cmocka_unit_test(test_iostat),
        cmocka_unit_test(test_iostat_forms), cmocka_unit_test(test_iostat_bad),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
