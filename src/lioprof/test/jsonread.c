/* jsonread.c - test of the readers beside logs: JSON, brw_stats, iostat */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../jsonread.h"
#include "../brw.h"
#include "../disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct lp_json *parse(const char *text)
{
    struct adl_err err;

    return lp_json_parse(text, strlen(text), &err);
}

static void test_values(void **state)
{
    struct lp_json *j = parse(
        " {\"a\": [1, -2.5e2, true, null], \"b\\n\": \"x\\u00e9\\ud83d\\ude00"
        "\\ud800y\\\"\", \"c\": {\"d\": {}}} ");
    const struct lp_json *a = lp_json_get(j, "a");

    (void)state;
    assert_non_null(j);
    assert_int_equal(a->kind, LP_JSON_LIST);
    assert_true(lp_json_number(a->first, 0) == 1);
    assert_true(lp_json_number(a->first->next, 0) == -250);
    assert_int_equal(a->first->next->next->kind, LP_JSON_BOOL);
    assert_int_equal(a->first->next->next->next->kind, LP_JSON_NULL);
    assert_string_equal(lp_json_text(lp_json_get(j, "b\n"), "?"),
                        "x\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdy\"");
    assert_int_equal(lp_json_get(lp_json_get(j, "c"), "d")->kind,
                     LP_JSON_OBJECT);
    assert_null(lp_json_get(lp_json_get(j, "no"), "d"));
    assert_true(lp_json_number(lp_json_get(j, "b\n"), 7) == 7);
    lp_json_destroy(j);
}

static void test_wrong(void **state)
{
    static const char *const wrong[] = {
        "",      "{",       "[1,]", "{\"a\"}",   "{\"a\":}",  "[1 2]",
        "\"a",   "\"\\x\"", "nul",  "1 2",       "\"\\u12\"", "--1",
        "{1:2}", "[\"\\",   "1e",   "{\"a\":1,}"};
    char deep[300];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (parse(wrong[i]))
            fail_msg("%s was taken", wrong[i]);
    memset(deep, '[', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    assert_null(parse(deep));
}

static void feed(const char *text, struct lp_brw_list *b,
                 struct lp_disk_list *d)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        assert_int_equal(
            b ? lp_brw_line(b, text, len) : lp_disk_line(d, text, len), 1);
        text += len + (text[len] == '\n');
    }
}

#define SNAPSHOT(a, b)                                              \
    "obdfilter.lustre-OST0002.brw_stats=\n"                         \
    "snapshot_time:         1409777887.590578 (secs.nsecs)\n\n"     \
    "                           read      |     write\n"            \
    "pages per bulk r/w     rpcs  % cum % |  rpcs        % cum %\n" \
    "1:                      " a " 100 100   |    39   0   0\n"     \
    "256:                       0   0 100   |  " b "  50  50\n\n"   \
    "                           read      |     write\n"            \
    "disk I/O size          ios   % cum % |  ios         % cum %\n" \
    "4K:                      " a " 100 100   |     7   0   0\n"

static void test_brw(void **state)
{
    struct lp_brw_list b = {0};

    (void)state;
    lp_brw_begin(&b, "host");
    feed(SNAPSHOT("108", "1000"), &b, NULL);
    assert_int_equal(b.count, 2);
    assert_string_equal(b.list[1].target, "lustre-OST0002");
    assert_int_equal(b.list[1].rows, 3);
    /* one snapshot: what it says */
    assert_int_equal(lp_brw_value(&b.list[1], &b.list[1].row[0], 0), 108);
    feed(SNAPSHOT("128", "1500"), &b, NULL);
    /* two: the difference */
    assert_int_equal(lp_brw_value(&b.list[1], &b.list[1].row[0], 0), 20);
    assert_int_equal(lp_brw_value(&b.list[1], &b.list[1].row[1], 1), 500);
    assert_int_equal(b.list[1].row[2].section, LP_BRW_SIZE);
    assert_string_equal(b.list[1].row[2].label, "4K");
    assert_int_equal(lp_brw_line(&b, "what is this", 12), 0);
    lp_brw_release(&b);
}

static void test_disk(void **state)
{
    struct lp_disk_list d = {0};

    (void)state;
    lp_disk_begin(&d, "oss1");
    feed("Linux 5.14.0 (oss1) \t11/16/26 \t_x86_64_\t(8 CPU)\n\n"
         "11/16/26 21:00:00\n"
         "Device            r/s     rkB/s   w/s     wkB/s  %util\n"
         "sda            999.00   9999.00  9.00  99999.00  99.00\n\n"
         "11/16/26 21:00:01\n"
         "Device            r/s     rkB/s   w/s     wkB/s  %util\n"
         "sda              1.00    100.00  2.00    200.00  10.00\n"
         "11/16/26 21:00:02\n"
         "Device            r/s     rkB/s   w/s     wkB/s  %util\n"
         "sda              1.00    300.00  2.00      0.00  30.00\n",
         NULL, &d);
    assert_int_equal(d.count, 1);
    assert_string_equal(d.list[0].device, "sda");
    /* the first report is since the machine started */
    assert_int_equal(d.list[0].reports, 2);
    assert_true(d.list[0].sum[0] == 400 && d.list[0].most[0] == 300);
    assert_true(d.list[0].sum[1] == 200 && d.list[0].util_most == 30);
    lp_disk_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_brw),
        cmocka_unit_test(test_disk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
