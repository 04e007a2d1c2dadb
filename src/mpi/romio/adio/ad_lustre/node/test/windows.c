/* windows.c - test of node/windows: who is admitted, holds, counts, marks
 *
 * First each rule by itself, then threads that mark while the aggregator closes
 * windows: what it finds in a window is what was marked in time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include <sched.h>
#include <stdio.h>

#include "../../core/layout/layout.h"
#include "../windows.h"

#define WINDOW 4096
#define DEPTH 3
#define SECONDS_MAX 120

/* One aggregator with all stripes of a file: window w holds the bytes from
 * w * WINDOW on. A rank sees its windows in a call that begins with window
 * `first`. */
struct bench {
    struct adl_owner *owner;
    struct adl_window *schedule;
    struct adl_segment *seg;
    struct adl_terms terms;
    struct adl_sink sink;
};

static void begin_call(struct bench *b, int64_t call, int64_t first)
{
    b->terms = (struct adl_terms){
        .call = call, .start = first * WINDOW, .end = INT64_C(1) << 40};
    adl_windows_begin(&b->sink, &b->terms, b->schedule, 1);
}

/* The aggregator has begun the call, and its windows below `freed` are free. */
static void bench_begin(struct bench *b, int64_t call, int64_t freed)
{
    struct adl_layout *layout;

    assert_int_equal(adl_layout_plain(WINDOW, 1, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 1, &b->owner), 0);
    adl_layout_destroy(layout);
    assert_int_equal(adl_window_create(b->owner, DEPTH * WINDOW, &b->schedule),
                     0);
    assert_int_equal(adl_window_depth(b->schedule), DEPTH);
    assert_int_equal(adl_window_size(b->schedule), WINDOW);
    b->seg = ranks_segment(1, WINDOW, 0);
    b->sink = b->seg->sink[0];
    begin_call(b, call, freed);
    adl_windows_open(&b->sink, freed);
    adl_windows_free(&b->sink, freed);
}

static void bench_end(struct bench *b)
{
    adl_segment_destroy(b->seg);
    adl_window_destroy(b->schedule);
    adl_owner_destroy(b->owner);
}

/* ---- who is admitted ---- */

static void test_admit(void **state)
{
    static const struct {
        int64_t call, window;
        enum adl_admit want;
    } row[] = {
        {7, 39, ADL_PAST},
        {7, 40, ADL_NOW},
        {7, 42, ADL_NOW},
        {7, 43, ADL_LATER},
        {7, 0, ADL_PAST},
        {7, INT64_MAX, ADL_LATER},
        /* the next call, which has not begun here: its first window is 10 */
        {8, 9, ADL_PAST},
        {8, 10, ADL_NOW},
        {8, 13, ADL_LATER},
    };
    struct bench b;

    (void)state;
    bench_begin(&b, 7, 40);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        begin_call(&b, row[i].call, row[i].call == 7 ? 40 : 10);
        if (adl_windows_admit(&b.sink, row[i].window) != row[i].want)
            fail_msg("row %zu", i);
    }
    /* over: nothing is admitted any more */
    begin_call(&b, 7, 10);
    adl_windows_free(&b.sink, INT64_MAX);
    assert_int_equal(adl_windows_admit(&b.sink, 41), ADL_PAST);
    bench_end(&b);
}

static void test_calls(void **state)
{
    struct adl_windows *ws;
    struct bench b;
    uint32_t rung;

    (void)state;
    bench_begin(&b, 7, 40);
    ws = b.sink.windows;
    begin_call(&b, 8, 3);
    assert_int_equal(adl_windows_freed(&b.sink), 3);
    begin_call(&b, 7, 3);
    assert_int_equal(adl_windows_freed(&b.sink), 40);
    assert_int_equal(adl_windows_ready(&b.sink), 40);
    adl_windows_set_ready(&b.sink, 42, 99);
    assert_int_equal(adl_windows_ready(&b.sink), 42);
    assert_int_equal(ws->eof, 99);
    /* a new call starts with nothing ready, and no known end of the file */
    begin_call(&b, 8, 3);
    adl_windows_free(&b.sink, 10);
    assert_int_equal(adl_windows_ready(&b.sink), 10);
    assert_true(ws->eof == INT64_MAX);
    /* the bell rings when the window that is wanted is admitted, not before */
    adl_windows_want(&b.sink, 15);
    adl_windows_want(&b.sink, 17);
    rung = adl_bell_read(&ws->bell);
    adl_windows_free(&b.sink, 12);
    assert_int_equal(adl_bell_read(&ws->bell), rung);
    adl_windows_free(&b.sink, 13);
    assert_int_equal(adl_windows_admit(&b.sink, 15), ADL_NOW);
    assert_int_not_equal(adl_bell_read(&ws->bell), rung);
    bench_end(&b);
}

/* Each window has a buffer and a coverage of its own, `depth` of them. */
static void test_buffers(void **state)
{
    struct adl_cover cover[DEPTH];
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 3);
    for (int w = 0; w < DEPTH; w++) {
        adl_windows_cover(&b.sink, 3 + w, &cover[w]);
        adl_cover_add(&cover[w], w, 1);
        memset(adl_windows_buf(&b.sink, 3 + w), 'a' + w, WINDOW);
    }
    for (int w = 0; w < DEPTH; w++) {
        const char *buf = adl_windows_buf(&b.sink, 3 + w);
        int64_t start, len;

        assert_int_equal(buf[0], 'a' + w);
        assert_int_equal(buf[WINDOW - 1], 'a' + w);
        assert_ptr_equal(buf, adl_windows_buf(&b.sink, 3 + w + DEPTH));
        assert_true(adl_cover_next(&cover[w], 0, WINDOW, &start, &len));
        assert_int_equal(start, w);
        assert_int_equal(len, 1);
    }
    bench_end(&b);
}

/* ---- counting, marking, hurrying ---- */

static void test_counted(void **state)
{
    struct adl_windows *ws;
    struct bench b;
    uint32_t rung;

    (void)state;
    bench_begin(&b, 1, 3);
    ws = b.sink.windows;
    rung = adl_bell_read(&ws->work);
    adl_windows_moved(&b.sink, 3, WINDOW - 2);
    adl_windows_hold(&b.sink, 3);
    assert_true(adl_windows_is_held(&b.sink, 3));
    adl_windows_release(&b.sink, 3, 1);
    assert_false(adl_windows_is_held(&b.sink, 3));
    assert_false(adl_windows_counted(&b.sink, 3));
    assert_int_equal(adl_bell_read(&ws->work), rung);
    adl_windows_moved(&b.sink, 3, 1);
    assert_true(adl_windows_counted(&b.sink, 3));
    assert_int_not_equal(adl_bell_read(&ws->work), rung);
    adl_windows_clear(&b.sink, 3);
    assert_false(adl_windows_counted(&b.sink, 3));
    bench_end(&b);
}

/* A window expects its bytes of the span, from when it has a buffer. */
static void test_expected(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 3);
    b.terms.start = 3 * WINDOW + 100;
    b.terms.end = 7 * WINDOW + 200;
    assert_int_equal(adl_windows_bytes(&b.sink, 3), WINDOW - 100);
    assert_int_equal(adl_windows_bytes(&b.sink, 7), 200);
    assert_int_equal(adl_windows_bytes(&b.sink, 8), 0);
    adl_windows_free(&b.sink, 5);
    for (int w = 5; w < 8; w++) {
        adl_windows_moved(&b.sink, w, 199);
        assert_false(adl_windows_counted(&b.sink, w));
        adl_windows_moved(&b.sink, w, w < 7 ? WINDOW - 199 : 1);
        assert_true(adl_windows_counted(&b.sink, w));
    }
    bench_end(&b);
}

static void test_marking(void **state)
{
    struct adl_windows *ws;
    struct bench b;
    uint32_t rung;

    (void)state;
    bench_begin(&b, 1, 3);
    ws = b.sink.windows;
    adl_windows_close(&b.sink, 4);
    assert_false(adl_windows_hold_open(&b.sink, 3));
    assert_false(adl_windows_is_held(&b.sink, 3));
    assert_true(adl_windows_hold_open(&b.sink, 4));
    assert_true(adl_windows_is_held(&b.sink, 4));
    adl_windows_release(&b.sink, 4, 0);
    adl_windows_await_unheld(&b.sink, 4);
    rung = adl_bell_read(&ws->work);
    adl_windows_hurry(&b.sink, 9);
    assert_int_equal(ws->urgent, 9);
    assert_int_not_equal(adl_bell_read(&ws->work), rung);
    adl_windows_hurry(&b.sink, 8);
    assert_int_equal(ws->urgent, 9);
    /* a call that has not begun here takes all */
    begin_call(&b, 2, 3);
    assert_true(adl_windows_hold_open(&b.sink, 3));
    adl_windows_release(&b.sink, 3, 0);
    bench_end(&b);
}

/* On one node nothing is counted or held, and every request is in time. */
static void test_one_node(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 3);
    b.sink.many = 0;
    adl_windows_close(&b.sink, 4);
    assert_true(adl_windows_hold_open(&b.sink, 3));
    assert_false(adl_windows_is_held(&b.sink, 3));
    adl_windows_moved(&b.sink, 3, WINDOW);
    adl_windows_release(&b.sink, 3, WINDOW);
    assert_false(adl_windows_counted(&b.sink, 3));
    assert_int_equal(b.sink.windows->held[0], 0);
    bench_end(&b);
}

/* ---- an aggregator that waits for messages ---- */

static void *await_first(void *arg)
{
    adl_windows_await_unheld(arg, 0);
    return NULL;
}

/* A message that releases a window wakes the aggregator also if the window is
 * not complete. The test looks at the bell, since a sleeper that is not woken
 * looks again by itself. */
static void test_release_wakes(void **state)
{
    struct adl_windows *ws;
    pthread_t thread;
    struct bench b;
    uint32_t rung;

    (void)state;
    bench_begin(&b, 1, 0);
    ws = b.sink.windows;
    adl_windows_hold(&b.sink, 0);
    pthread_create(&thread, NULL, await_first, &b.sink);
    while (__atomic_load_n(&ws->work.sleepers, __ATOMIC_SEQ_CST) == 0)
        usleep(1000);
    rung = adl_bell_read(&ws->work);
    adl_windows_release(&b.sink, 0, 1);
    assert_int_not_equal(adl_bell_read(&ws->work), rung);
    pthread_join(thread, NULL);
    bench_end(&b);
}

#define WINDOWS 2000
#define MARKERS 4

struct marker {
    const struct adl_sink *sink;
    int number;
    int64_t came, late;
};

/* One byte for every window; plain accesses, as the engine's are. */
static void *mark_windows(void *arg)
{
    struct marker *m = arg;

    for (int64_t w = 0; w < WINDOWS; w++) {
        while (adl_windows_admit(m->sink, w) == ADL_LATER)
            sched_yield();
        if (!adl_windows_hold_open(m->sink, w)) {
            m->late++;
            continue;
        }
        adl_windows_buf(m->sink, w)[m->number] = 1;
        m->came++;
        adl_windows_release(m->sink, w, 0);
    }
    return NULL;
}

/* No one else is at a window that was closed and is not held. */
static int64_t empty_window(const struct adl_sink *sink, int64_t w)
{
    char *buf = adl_windows_buf(sink, w);
    int64_t sum = 0;

    adl_windows_close(sink, w + 1);
    adl_windows_await_unheld(sink, w);
    for (int r = 0; r < MARKERS; r++) {
        sum += buf[r];
        buf[r] = 0;
    }
    adl_windows_free(sink, w + 1);
    return sum;
}

static void test_markers(void **state)
{
    struct marker marker[MARKERS];
    pthread_t thread[MARKERS];
    int64_t got = 0, came = 0, late = 0;
    unsigned seed = 5;
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 0); /* no window is ever complete */
    for (int r = 0; r < MARKERS; r++) {
        marker[r] = (struct marker){&b.sink, r, 0, 0};
        pthread_create(&thread[r], NULL, mark_windows, &marker[r]);
    }
    for (int64_t w = 0; w < WINDOWS; w++) {
        for (int i = (int)(rand_r(&seed) % 4); i > 0; i--)
            sched_yield();
        got += empty_window(&b.sink, w);
    }
    for (int r = 0; r < MARKERS; r++) {
        pthread_join(thread[r], NULL);
        came += marker[r].came;
        late += marker[r].late;
    }
    printf("# %d marks: %d came, %d were late\n", MARKERS * WINDOWS, (int)came,
           (int)late);
    assert_int_equal(got, came);
    assert_int_equal(came + late, MARKERS * WINDOWS);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admit),    cmocka_unit_test(test_calls),
        cmocka_unit_test(test_buffers),  cmocka_unit_test(test_counted),
        cmocka_unit_test(test_expected), cmocka_unit_test(test_marking),
        cmocka_unit_test(test_one_node), cmocka_unit_test(test_release_wakes),
        cmocka_unit_test(test_markers),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
