/* charts.c - test of the charts: what is drawn, with which numbers
 *
 * A picture's marks have titles with their numbers; these must be those of the
 * log, and heights and shades must follow them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "played.h"

#include "../chart.h"

#define MIB 1048576

static char text[1 << 20];

/* What a chart has written. */
#define DRAWN(call)                             \
    do {                                        \
        struct adl_strbuf sb = ADL_STRBUF_INIT; \
        call;                                   \
        assert_int_equal(sb.err, 0);            \
        assert_true(sb.len < sizeof(text));     \
        strcpy(text, adl_strbuf_text(&sb));     \
        adl_strbuf_release(&sb);                \
    } while (0)

static void assert_drawn(const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%.6000s", part, text);
}

/* Well formed as far as elements go: every one is closed, none is empty. */
static void assert_well_formed(void)
{
    assert_int_equal(played_count(text, "<svg"), played_count(text, "</svg>"));
    assert_int_equal(played_count(text, "<title>"),
                     played_count(text, "</title>"));
    assert_int_equal(played_count(text, "<text "),
                     played_count(text, "</text>"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\""));
}

/* Clients 1 and 2 write 1 MiB a millisecond to OST 0 and 1, client 2 half as
 * often; client 3 reads 4 KiB from OST 2. */
static struct lp_view *play(struct played *w)
{
    for (int i = 0; i < 8; i++) {
        w->us = i * 1000;
        played_io(w, WRITE, 1, 0, (int64_t)i * MIB, MIB);
        w->us = i * 1000;
        if (i % 2 == 0)
            played_io(w, WRITE, 2, 1, (int64_t)i * MIB, MIB);
        w->us = i * 1000;
    }
    played_io(w, READ, 3, 2, 0, 4096);
    played_enqueue(w, 2);
    played_enqueue(w, 1);
    played_callback(w, 1, 2, "filter", "lustre-OST0001");
    played_cancel(w, 2);
    return played_end(w);
}

static void test_nothing(void **state)
{
    const struct lp_view *v = played_end(*state);

    DRAWN(lp_chart_heat(v, NULL, &sb));
    assert_string_equal(text, "");
    DRAWN(lp_chart_matrix(v, 0, &sb));
    assert_string_equal(text, "");
    DRAWN(lp_chart_sizes(v, &sb));
    assert_string_equal(text, "");
    DRAWN(lp_chart_cdf(v, &sb));
    assert_string_equal(text, "");
}

static void test_heat(void **state)
{
    const struct lp_view *v = play(*state);
    struct lp_slices s = lp_slices_make(v, 100, NULL);

    DRAWN(lp_chart_heat(v, NULL, &sb));
    assert_well_formed();
    assert_int_equal(v->targets, 4); /* with the host */
    /* a cell each, and ten of the legend */
    assert_int_equal(played_count(text, "<rect "), v->targets * s.count + 10);
    assert_drawn(">OST0000</text>");
    assert_drawn(">8 MiB</text>"); /* the sum of OST 0 */
    assert_drawn(">4 MiB</text>");
    assert_drawn(">4 KiB</text>");
    assert_drawn("1 writes, 0 lock callbacks");
    assert_drawn("1 lock callbacks"); /* OST 1 */
    assert_drawn("fill-opacity=\"1.00\"");
    assert_int_equal(played_count(text, "class=\"heat\"") +
                         played_count(text, "class=\"cold\""),
                     v->targets * s.count + 10);
}

/* Shades follow the square root: a quarter of the most is half as dark. */
static void test_shades(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    played_io(w, WRITE, 1, 0, 0, 4 * MIB);
    w->us = 30000;
    played_io(w, WRITE, 1, 1, 0, MIB);
    v = played_end(w);
    DRAWN(lp_chart_heat(v, NULL, &sb));
    assert_drawn("class=\"heat\" fill-opacity=\"1.00\"><title>OST0000");
    assert_drawn("class=\"heat\" fill-opacity=\"0.54\"><title>OST0001");
}

/* The same scale for two runs: the shorter one's pictures go on to the longer
 * one's end, and its shades are of the higher rate. */
static void test_scale(void **state)
{
    const struct lp_view *v = play(*state);
    struct lp_scale scale = lp_scale_make(v, v), wider = scale;
    struct lp_slices own, both;

    assert_true(scale.microseconds >= 8000);
    assert_true(scale.rate > 0);
    own = lp_slices_make(v, 100, NULL);
    wider.microseconds *= 4;
    wider.width = 0;
    both = lp_slices_make(v, 100, &wider);
    assert_true(own.count * own.width <= scale.microseconds + own.width);
    assert_true(both.count * both.width >= wider.microseconds);
    wider.rate *= 4;
    DRAWN(lp_chart_heat(v, &wider, &sb));
    assert_well_formed();
    /* only the legend is as dark as can be */
    assert_int_equal(played_count(text, "fill-opacity=\"1.00\""), 1);
}

static void test_slices(void **state)
{
    const struct lp_view *v = play(*state);
    const struct lp_series *all = v->study->traffic->all.series;
    struct lp_slices s = lp_slices_make(v, 100, NULL);
    double bytes = 0;
    uint64_t writes = 0, callbacks = 0;

    for (unsigned i = 0; i < s.count; i++) {
        bytes += lp_slice_amount(v, &s, i, all, 0);
        writes += lp_slice_count(v, &s, i, all, LP_WRITE);
        callbacks += lp_slice_count(v, &s, i, all, LP_BLOCKING);
    }
    assert_true(bytes == 12.0 * MIB + 4096);
    assert_int_equal(writes, 12);
    assert_int_equal(callbacks, 1);
    assert_true(lp_slice_amount(v, &s, s.count + 5, all, 0) == 0);
    s = lp_slices_make(v, 1, NULL);
    assert_in_range(s.count, 1, 24);
}

static void test_matrix(void **state)
{
    const struct lp_view *v = play(*state);

    DRAWN(lp_chart_matrix(v, 1, &sb));
    assert_well_formed();
    assert_drawn("Matrix: bytes written by client and OST");
    assert_int_equal(played_count(text, "<rect "), v->clients * v->targets);
    assert_drawn("client 10.0.0.1@tcp, OST0000\n8 MiB written, 100 % of the "
                 "OST&#39;s");
    assert_drawn("client 10.0.0.2@tcp, OST0001\n4 MiB written, 100 %");
    assert_drawn("client 10.0.0.1@tcp, OST0001\n0 B written, 0 %");
    assert_int_equal(played_count(text, ">1 OST</text>"), 2);
    assert_int_equal(played_count(text, ">0 OSTs</text>"), 1);
    assert_int_equal(played_count(text, ">1 client</text>"), 2);
    DRAWN(lp_chart_matrix(v, 0, &sb));
    assert_drawn("Matrix: bytes read by client and OST");
    assert_drawn("client 10.0.0.3@tcp, OST0002\n4 KiB read, 100 %");
    assert_int_equal(played_count(text, "class=\"heat\""), 1);
}

static void test_stack(void **state)
{
    const struct lp_view *v = play(*state);

    DRAWN(lp_chart_stack(v, NULL, &sb));
    assert_well_formed();
    assert_drawn("OST0000: 1 client, 8 MiB");
    assert_drawn("OST0001: 1 client, 4 MiB");
    assert_drawn("OST0002: 1 client, 4 KiB");
    assert_null(strstr(text, "oss (OST not named): ")); /* moved nothing */
    /* the legend: what each client moved */
    assert_drawn("10.0.0.1@tcp <span class=\"dim\">8 MiB</span>");
    assert_drawn("10.0.0.3@tcp <span class=\"dim\">4 KiB</span>");
    assert_int_equal(played_count(text, "<li>"), 3);
}

/* More clients than layers: the rest is one. */
static void test_stack_rest(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    for (int c = 1; c <= 20; c++)
        played_io(w, WRITE, c, 0, (int64_t)c * MIB, (21 - c) * 65536);
    v = played_end(w);
    DRAWN(lp_chart_stack(v, NULL, &sb));
    assert_well_formed();
    assert_int_equal(played_count(text, "<li>"), 17);
    assert_drawn("other clients");
    assert_drawn("10.0.0.16@tcp <span class=\"dim\">320 KiB</span>");
    assert_null(strstr(text, "10.0.0.17@tcp <span"));
    assert_drawn("OST0000: 20 clients, 13.1 MiB");
}

static void test_locks(void **state)
{
    const struct lp_view *v = play(*state);

    DRAWN(lp_chart_locks(v, &sb));
    assert_well_formed();
    assert_drawn("lock requests: 2");
    assert_drawn("blocking callbacks: 1");
    assert_drawn(">cancels: 1</text>");
    assert_drawn("1 lock requests\n0 blocking callbacks\n0 cancels");
    assert_int_equal(played_count(text, "class=\"line line2\""), 2);
}

static void test_sizes(void **state)
{
    const struct lp_view *v = play(*state);

    DRAWN(lp_chart_sizes(v, &sb));
    assert_well_formed();
    assert_drawn("up to 4 KiB: 1 reads");
    assert_drawn("up to 1 MiB: 12 writes");
    assert_drawn(">reads: 1</text>");
    assert_drawn(">writes: 12</text>");
    /* 12 of 20 at the top of 168: the bar's height */
    assert_drawn("height=\"100.8\" class=\"bar1\"");
    assert_drawn("height=\"8.4\" class=\"bar0\"");
}

static void test_cdf(void **state)
{
    const struct lp_view *v = play(*state);

    DRAWN(lp_chart_cdf(v, &sb));
    assert_well_formed();
    assert_drawn("reads: mean ");
    assert_drawn("writes: mean ");
    assert_int_equal(played_count(text, "class=\"tip\""), 50);
    assert_drawn("in 100 % of the time not above");
    assert_int_equal(played_count(text, "class=\"line line1\""), 2);
}

static void test_round_up(void **state)
{
    static const struct {
        double n;
        int bytes;
        double want;
    } cases[] = {{0, 0, 1},       {1, 0, 1},       {1.1, 0, 2},
                 {3, 0, 5},       {5, 0, 5},       {7, 0, 10},
                 {11, 0, 20},     {99, 0, 100},    {0.03, 0, 0.05},
                 {1000, 1, 1024}, {1024, 1, 1024}, {1025, 1, 2048},
                 {-4, 1, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double got = lp_round_up(cases[i].n, cases[i].bytes);

        assert_true(got > cases[i].want * 0.999999 &&
                    got < cases[i].want * 1.000001);
    }
}

/* What a log calls a client or an OST is text, never markup. */
static void test_escaped(void **state)
{
    struct played *w = *state;
    const struct lp_view *v;

    lp_study_add_target(w->study, "<script>-OST0000");
    played_io(w, WRITE, 1, 0, 0, MIB);
    v = played_end(w);
    DRAWN(lp_chart_heat(v, NULL, &sb));
    assert_null(strstr(text, "<script>"));
    assert_drawn("&lt;script&gt;-OST0000");
    DRAWN(lp_svg_text(&sb, 1, 2, "mid", "a < b & \"c\""));
    assert_string_equal(text,
                        "<text x=\"1.0\" y=\"2.0\" class=\"mid\">a &lt; b "
                        "&amp; &quot;c&quot;</text>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAYED_TEST(test_nothing), PLAYED_TEST(test_heat),
        PLAYED_TEST(test_shades),  PLAYED_TEST(test_scale),
        PLAYED_TEST(test_slices),  PLAYED_TEST(test_matrix),
        PLAYED_TEST(test_stack),   PLAYED_TEST(test_stack_rest),
        PLAYED_TEST(test_locks),   PLAYED_TEST(test_sizes),
        PLAYED_TEST(test_cdf),     PLAYED_TEST(test_round_up),
        PLAYED_TEST(test_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
