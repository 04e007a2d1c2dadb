/* segment.c - test of node/segment: positions, frontier
 *
 * Ranks are threads. A thread that sleeps and is never woken makes the test
 * hang, which an alarm ends.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include <sched.h>

#include "../../core/test/random.h"

#define RANKS 4
#define WINDOW 8192
#define STEPS 3000

static void test_shape(void **state)
{
    struct adl_segment *seg = ranks_segment(5, 5000, 12345);
    const struct adl_sink *sink = &seg->sink[0];
    struct adl_cover cover;

    (void)state;
    assert_int_equal(seg->size, 5);
    assert_int_equal(seg->window, 8192);
    assert_int_equal((uintptr_t)sink->buf % 4096, 0);
    assert_int_equal((uintptr_t)seg->seat % 128, 0);
    assert_int_equal((uintptr_t)sink->windows % 128, 0);
    assert_true((char *)sink->windows >= (char *)(seg->seat + 5));
    assert_true(sink->buf >= (char *)(sink->windows + 1));
    assert_true(sink->bits == adl_sink_buf(seg, sink, 3));
    adl_sink_cover(seg, sink, 2, 0, &cover);
    assert_true((char *)cover.word + adl_cover_memory(8192, 0) <= seg->pool);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_frontier),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
