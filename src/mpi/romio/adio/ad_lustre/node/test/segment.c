/* segment.c - test of node/segment: positions, frontier
 *
 * Ranks are threads. A thread that sleeps and is never woken makes the test
 * hang, which an alarm ends.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include <sched.h>

#include "../../core/layout/layout.h"
#include "../../core/test/random.h"

#define RANKS 4
#define WINDOW 8192
#define STEPS 3000

static void test_shape(void **state)
{
    struct adl_segment *seg = ranks_segment(5, 5000, 12345);
    const struct adl_sink *sink = &seg->sink[0];

    (void)state;
    assert_int_equal(seg->size, 5);
    assert_int_equal(seg->window, 8192);
    assert_int_equal((uintptr_t)sink->buf % 4096, 0);
    assert_int_equal((uintptr_t)seg->seat % 128, 0);
    assert_int_equal((uintptr_t)sink->windows % 128, 0);
    assert_true((char *)sink->windows >= (char *)(seg->seat + 5));
    assert_true(sink->buf >= (char *)(sink->windows + 1));
    assert_true(sink->bits == sink->buf + 3 * sink->size);
    assert_true(sink->cover >= (int64_t)adl_cover_memory(8192, 0));
    assert_true(sink->bits + 3 * sink->cover <= seg->pool);
    assert_true(seg->pool + 12345 <= (char *)seg->own + seg->bytes);
    /* all of it can be written, and no rank has anything to do */
    memset(seg->pool, 1, 12345);
    assert_true(adl_segment_lowest(seg, ADL_AT_PLACED) == ADL_POS_END);
    assert_true(adl_segment_lowest(seg, ADL_AT_SETTLED) == ADL_POS_END);
    adl_segment_destroy(seg);
    adl_segment_destroy(NULL);
}

/* ---- positions ---- */

struct mover {
    struct adl_segment *seg;
    int rank;
    unsigned seed;
};

/* Go forward in steps of any length; data is behind the position. */
static void *go_forward(void *arg)
{
    struct mover *m = arg;
    struct adl_mark *mark = &m->seg->seat[m->rank].mark[ADL_AT_PLACED];
    char *done = m->seg->pool + m->rank * STEPS;

    for (int pos = 0; pos < STEPS;) {
        int next = pos + 1 + (int)(rand_r(&m->seed) % 50);

        for (; pos < next && pos < STEPS; pos++)
            done[pos] = 1;
        adl_mark_publish(mark, pos);
    }
    adl_mark_publish(mark, ADL_POS_END);
    return NULL;
}

static void test_positions(void **state)
{
    struct adl_segment *seg = ranks_segment(RANKS, WINDOW, RANKS * STEPS);
    struct mover mover[RANKS];
    pthread_t thread[RANKS];

    (void)state;
    for (int r = 0; r < RANKS; r++) {
        mover[r] = (struct mover){seg, r, (unsigned)r + 1};
        adl_mark_set(&seg->seat[r].mark[ADL_AT_PLACED], 0);
    }
    assert_int_equal(adl_segment_lowest(seg, ADL_AT_PLACED), 0);
    for (int r = 0; r < RANKS; r++)
        pthread_create(&thread[r], NULL, go_forward, &mover[r]);
    for (int pos = 0; pos < STEPS; pos += 37) {
        adl_segment_await(seg, ADL_AT_PLACED, pos);
        for (int r = 0; r < RANKS; r++)
            for (int i = pos > 37 ? pos - 37 : 0; i < pos; i++)
                assert_int_equal(seg->pool[r * STEPS + i], 1);
    }
    adl_segment_await(seg, ADL_AT_PLACED, ADL_POS_END);
    assert_true(adl_segment_lowest(seg, ADL_AT_PLACED) == ADL_POS_END);
    for (int r = 0; r < RANKS; r++)
        pthread_join(thread[r], NULL);
    adl_segment_destroy(seg);
}

/* ---- what the frontier shows, and to which call ---- */

static void test_frontier(void **state)
{
    struct adl_segment *seg = ranks_segment(1, WINDOW, 0);
    struct adl_sink *sink = &seg->sink[0];
    uint32_t rung;

    (void)state;
    assert_int_equal(adl_node_reached(seg, ADL_AT_SETTLED, 8, 5), 5);
    rung = adl_bell_read(&sink->windows->work);
    adl_node_set(seg, 8, 100, 200);
    assert_int_not_equal(adl_bell_read(&sink->windows->work), rung);
    assert_int_equal(adl_node_reached(seg, ADL_AT_SETTLED, 8, 5), 100);
    assert_int_equal(adl_node_reached(seg, ADL_AT_ASKED, 8, 5), 200);
    assert_int_equal(adl_node_reached(seg, ADL_AT_ASKED, 9, 5), 5);
    adl_segment_destroy(seg);
}

/* ---- where the windows of a call are ---- */

#define CASES 3000
#define STRIPES 40 /* of the file */

struct schedule {
    struct adl_owner *owner;
    struct adl_window *window;
};

static void schedule_begin(struct schedule *s, int64_t stripe, int64_t buffer)
{
    struct adl_layout *layout;

    assert_int_equal(adl_layout_plain(stripe, 3, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 2, &s->owner), 0);
    adl_layout_destroy(layout);
    assert_int_equal(adl_window_create(s->owner, buffer, &s->window), 0);
}

static void schedule_end(struct schedule *s)
{
    adl_window_destroy(s->window);
    adl_owner_destroy(s->owner);
}

/* Part of a window that a call accesses, and its memory. */
struct stretch {
    int64_t window, off;
    const char *from, *to;
};

/* The sink's part of [start, end), a stretch a cell. Returns their number. */
static int cells_of_call(const struct adl_segment *seg,
                         const struct schedule *s, int64_t start, int64_t end,
                         struct stretch *out)
{
    struct adl_cell cell;
    int n = 0;

    for (int64_t off = start; off < end; off = cell.end) {
        int64_t to;

        adl_window_locate(s->window, off, &cell);
        if (cell.owner != seg->sink->agg)
            continue;
        to = cell.end < end ? cell.end : end;
        out[n].window = cell.window;
        out[n].off = cell.buf + (off - cell.start);
        out[n].from = adl_windows_buf(seg->sink, cell.window) + out[n].off;
        out[n].to = out[n].from + (to - off);
        n++;
    }
    return n;
}

/* Each stretch is inside the sink's memory. Windows that are in memory at the
 * same time have different bytes of it. */
static void check_stretches(const struct adl_segment *seg,
                            const struct stretch *at, int n)
{
    for (int i = 0; i < n; i++) {
        assert_true(at[i].from >= seg->sink->buf);
        assert_true(at[i].to <= seg->sink->bits);
        assert_int_equal((uintptr_t)at[i].from % 4096, at[i].off % 4096);
        for (int k = i + 1; k < n; k++)
            assert_true(at[k].window - at[i].window >= seg->depth ||
                        at[k].from >= at[i].to || at[i].from >= at[k].to);
    }
}

static void test_begin(void **state)
{
    struct rng rng = rng_begin();
    int single = 0;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        int64_t stripe = rng_in(&rng, 1, 5) * 4096;
        int64_t start = rng_in(&rng, 0, STRIPES * stripe);
        int64_t end = start + rng_in(&rng, 1, STRIPES / 2 * stripe);
        struct adl_terms terms = {.start = start, .end = end};
        struct stretch at[20 * STRIPES];
        struct adl_segment *seg;
        struct schedule s;
        int n;

        schedule_begin(&s, stripe, rng_in(&rng, 3 * 4096, 60 * 4096));
        seg = ranks_segment(1, adl_window_size(s.window), 0);
        seg->depth = seg->sink->depth = adl_window_depth(s.window);
        seg->sink->bits = seg->sink->buf + seg->depth * seg->window;
        seg->sink->agg = (int)rng_in(&rng, 0, 1);
        adl_windows_begin(seg->sink, &terms, s.window, 0);
        n = cells_of_call(seg, &s, start, end, at);
        check_stretches(seg, at, n);
        if (n > 0 && at[0].window == at[n - 1].window) {
            single++;
            assert_true(at[0].from < seg->sink->buf + 4096);
        } else if (n > 0) {
            assert_true(at[0].from < seg->sink->buf + seg->window);
        }
        adl_segment_destroy(seg);
        schedule_end(&s);
    }
    assert_true(single > CASES / 10 && single < CASES - CASES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_frontier),
        cmocka_unit_test(test_begin),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
