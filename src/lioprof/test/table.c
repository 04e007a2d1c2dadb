/* table.c - test of table: rows and columns as text, CSV, JSON and HTML */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct lp_table *sample(void)
{
    struct lp_table *t = lp_table_create("sample", "A sample");

    lp_table_column(t, "name", LP_TEXT);
    lp_table_column(t, "count", LP_COUNT);
    lp_table_column(t, "bytes", LP_BYTES);
    lp_table_column(t, "share", LP_PERCENT);
    lp_table_row(t);
    lp_table_text(t, "one");
    lp_table_number(t, 1234567);
    lp_table_number(t, 1536);
    lp_table_number(t, 0.25);
    lp_table_row(t);
    lp_table_text(t, "zwölf"); /* two bytes, one column */
    lp_table_empty(t);
    lp_table_number(t, NAN); /* as one that is not known */
    lp_table_number(t, 1);
    return t;
}

static void assert_written(const struct lp_table *t, enum lp_format format,
                           const char *want)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    lp_table_write(t, format, &sb);
    assert_int_equal(sb.err, 0);
    assert_string_equal(adl_strbuf_text(&sb), want);
    adl_strbuf_release(&sb);
}

static void test_text(void **state)
{
    struct lp_table *t = sample();

    (void)state;
    assert_string_equal(lp_table_name(t), "sample");
    assert_string_equal(lp_table_title(t), "A sample");
    assert_int_equal(lp_table_rows(t), 2);
    assert_written(t, LP_AS_TEXT,
                   "A sample\n"
                   "  name       count     bytes  share\n"
                   "  one    1,234,567  1.50 KiB   25 %\n"
                   "  zwölf                       100 %\n"
                   "\n");
    lp_table_destroy(t);
}

static void test_csv(void **state)
{
    struct lp_table *t = sample();

    (void)state;
    assert_written(t, LP_AS_CSV,
                   "name,count,bytes,share\n"
                   "one,1234567,1536,0.25\n"
                   "zwölf,,,1\n");
    lp_table_destroy(t);
}

/* Separators and quotes in a text. */
static void test_csv_quoted(void **state)
{
    struct lp_table *t = lp_table_create("q", "Q");

    (void)state;
    lp_table_column(t, "a,b", LP_TEXT);
    lp_table_column(t, "c", LP_TEXT);
    lp_table_row(t);
    lp_table_text(t, "say \"yes\"");
    lp_table_text(t, "two\nlines");
    lp_table_row(t);
    lp_table_text(t, "plain");
    assert_written(t, LP_AS_CSV,
                   "\"a,b\",c\n"
                   "\"say \"\"yes\"\"\",\"two\nlines\"\n"
                   "plain,\n");
    lp_table_destroy(t);
}

static void test_json(void **state)
{
    struct lp_table *t = sample();

    (void)state;
    assert_written(t, LP_AS_JSON,
                   "{\"name\":\"sample\",\"title\":\"A sample\",\"rows\":["
                   "{\"name\":\"one\",\"count\":1234567,\"bytes\":1536,"
                   "\"share\":0.250},"
                   "{\"name\":\"zwölf\",\"count\":null,\"bytes\":null,"
                   "\"share\":1}]}");
    lp_table_destroy(t);
}

/* Every kind of number, for people and for programs. */
static void test_kinds(void **state)
{
    static const struct {
        enum lp_column kind;
        double value;
        const char *shown, *plain;
    } cases[] = {
        {LP_COUNT, 1000, "1,000", "1000"},
        {LP_COUNT, 1e20, "18,446,744,073,709,551,615", "1e+20"},
        {LP_BYTES, 1048576, "1 MiB", "1048576"},
        {LP_RATE, 2048, "2 KiB/s", "2048"},
        {LP_PERCENT, 0.5, "50 %", "0.5"},
        {LP_RATIO, 1.5, "1.50", "1.5"},
        {LP_RATIO, 2.0 / 3, "0.67", "0.666667"},
        {LP_MICROS, 1500, "1.50 ms", "1500"},
        {LP_MOMENT, 1794792298411776.0, "2026-11-16T01:24:58.411776",
         "1794792298411776"},
        {LP_COUNT, INFINITY, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lp_table *t = lp_table_create("k", "K");
        char want[160];
        int width = (int)strlen(cases[i].shown);

        lp_table_column(t, "x", cases[i].kind);
        lp_table_row(t);
        lp_table_number(t, cases[i].value);
        snprintf(want, sizeof(want), "x\n%s\n", cases[i].plain);
        assert_written(t, LP_AS_CSV, want);
        snprintf(want, sizeof(want), "K\n  %*s\n  %s\n\n", width ? width : 1,
                 "x", width ? cases[i].shown : " ");
        assert_written(t, LP_AS_TEXT, want);
        lp_table_destroy(t);
    }
}

/* More cells than columns, more columns than there may be, no row yet. */
static void test_limits(void **state)
{
    struct lp_table *t = lp_table_create("l", "L");
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    char name[16];

    (void)state;
    lp_table_text(t, "too early");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "c%d", i);
        lp_table_column(t, name, LP_COUNT);
    }
    for (int r = 0; r < 100; r++) {
        lp_table_row(t);
        for (int i = 0; i < 60; i++)
            lp_table_number(t, r);
    }
    assert_int_equal(lp_table_rows(t), 100);
    lp_table_write(t, LP_AS_CSV, &sb);
    assert_non_null(strstr(adl_strbuf_text(&sb), ",c23\n0,0"));
    assert_null(strstr(adl_strbuf_text(&sb), "c24"));
    assert_non_null(strstr(adl_strbuf_text(&sb), "\n99,99"));
    adl_strbuf_release(&sb);
    lp_table_destroy(t);
    lp_table_destroy(NULL);
}

static void test_html(void **state)
{
    struct lp_table *t = lp_table_create("h", "H");
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    (void)state;
    lp_table_column(t, "who", LP_TEXT);
    lp_table_column(t, "n", LP_COUNT);
    for (int i = 0; i < 5; i++) {
        lp_table_row(t);
        lp_table_text(t, i ? "b" : "<a href=\"x\">&'\001\177");
        lp_table_number(t, i);
    }
    lp_table_html(t, 3, &sb);
    assert_string_equal(
        adl_strbuf_text(&sb),
        "<div class=\"scroll\"><table><thead><tr><th>who</th><th class=\"n\">"
        "n</th></tr></thead><tbody>\n"
        "<tr><td>&lt;a href=&quot;x&quot;&gt;&amp;&#39;?"
        "?</td>"
        "<td class=\"n\">0</td></tr>\n"
        "<tr><td>b</td><td class=\"n\">1</td></tr>\n"
        "<tr><td>b</td><td class=\"n\">2</td></tr>\n"
        "</tbody></table></div>\n"
        "<p class=\"note\">2 more rows: <code>lioprof analyze --table "
        "h</code></p>\n");
    adl_strbuf_release(&sb);
    lp_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),       cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_quoted), cmocka_unit_test(test_json),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_html)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
