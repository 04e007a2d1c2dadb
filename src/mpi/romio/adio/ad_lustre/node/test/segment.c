/* segment.c - test of node/segment: positions, gates, frontier
 *
 * Ranks are threads. Whoever sleeps where nobody will wake it makes the test
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
    assert_int_equal((uintptr_t)sink->gate % 128, 0);
    assert_true((char *)sink->gate >= (char *)(seg->seat + 5));
    assert_true(sink->buf >= (char *)(sink->gate + 1));
    assert_true(sink->bits == adl_sink_buf(seg, sink, 3));
    adl_sink_cover(seg, sink, 2, 0, &cover);
    assert_true((char *)cover.word + adl_cover_memory(8192, 0) <= seg->pool);
    assert_true(seg->pool + 12345 <= (char *)seg->own + seg->bytes);
    /* all of it can be written, and nobody has anything to do */
    memset(seg->pool, 1, 12345);
    assert_true(adl_segment_placed(seg) == ADL_POS_END);
    assert_true(adl_segment_settled(seg) == ADL_POS_END);
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
    struct adl_mark *mark = &m->seg->seat[m->rank].placed;
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
        adl_mark_reset(&seg->seat[r].placed, 0);
    }
    assert_int_equal(adl_segment_placed(seg), 0);
    for (int r = 0; r < RANKS; r++)
        pthread_create(&thread[r], NULL, go_forward, &mover[r]);
    for (int pos = 0; pos < STEPS; pos += 37) {
        adl_segment_await_placed(seg, pos);
        for (int r = 0; r < RANKS; r++)
            for (int i = pos > 37 ? pos - 37 : 0; i < pos; i++)
                assert_int_equal(seg->pool[r * STEPS + i], 1);
    }
    adl_segment_await_placed(seg, ADL_POS_END);
    assert_true(adl_segment_placed(seg) == ADL_POS_END);
    for (int r = 0; r < RANKS; r++)
        pthread_join(thread[r], NULL);
    adl_segment_destroy(seg);
}

/* ---- what a gate and the frontier show, and to which call ---- */

static void test_calls(void **state)
{
    struct adl_segment *seg = ranks_segment(1, WINDOW, 0);
    struct adl_sink *sink = &seg->sink[0];
    uint32_t rung;

    (void)state;
    adl_gate_free(sink->gate, &seg->meeting->gates, 7, 40);
    assert_int_equal(adl_gate_freed(sink->gate, 7, 3), 40);
    assert_int_equal(adl_gate_freed(sink->gate, 8, 3), 3);
    assert_int_equal(adl_gate_is_ready(sink->gate, 7, 3), 40);
    adl_gate_ready(sink->gate, &seg->meeting->gates, 42, 99);
    assert_int_equal(adl_gate_is_ready(sink->gate, 7, 3), 42);
    assert_int_equal(sink->gate->eof, 99);
    /* a new call starts with nothing ready, and no known end of the file */
    adl_gate_free(sink->gate, &seg->meeting->gates, 8, 10);
    assert_int_equal(adl_gate_is_ready(sink->gate, 8, 3), 10);
    assert_true(sink->gate->eof == INT64_MAX);
    /* the bell rings for what is wanted, not before */
    adl_gate_want(sink->gate, 13);
    adl_gate_want(sink->gate, 15);
    rung = adl_bell_read(&sink->gate->bell);
    adl_gate_free(sink->gate, &seg->meeting->gates, 8, 12);
    assert_int_equal(adl_bell_read(&sink->gate->bell), rung);
    adl_gate_free(sink->gate, &seg->meeting->gates, 8, 13);
    assert_int_not_equal(adl_bell_read(&sink->gate->bell), rung);

    assert_int_equal(adl_meeting_settled(seg, 8, 5), 5);
    rung = adl_bell_read(&sink->gate->work);
    adl_meeting_set(seg, 8, 100, 200);
    assert_int_not_equal(adl_bell_read(&sink->gate->work), rung);
    assert_int_equal(adl_meeting_settled(seg, 8, 5), 100);
    assert_int_equal(adl_meeting_wished(seg, 8, 5), 200);
    assert_int_equal(adl_meeting_wished(seg, 9, 5), 5);
    adl_segment_destroy(seg);
}

static void test_late(void **state)
{
    struct adl_segment *seg = ranks_segment(1, WINDOW, 0);
    struct adl_gate *gate = seg->sink[0].gate;
    uint32_t rung;

    (void)state;
    gate->expect[0] = 10;
    adl_gate_open(gate, 3);
    adl_gate_free(seg->sink[0].gate, &seg->meeting->gates, 1, 3);
    assert_true(adl_gate_enter(gate, 1, 0, 3));
    rung = adl_bell_read(&gate->work);
    adl_gate_leave(gate, 0, 9);
    assert_int_equal(adl_bell_read(&gate->work), rung);
    assert_true(adl_gate_enter(gate, 1, 0, 3));
    adl_gate_leave(gate, 0, 1);
    assert_int_not_equal(adl_bell_read(&gate->work), rung);
    adl_gate_close(gate, 4);
    assert_false(adl_gate_enter_wish(gate, 1, 0, 3));
    assert_true(adl_gate_enter_wish(gate, 1, 1, 4));
    adl_gate_leave(gate, 1, 0);
    adl_gate_shut(gate, 4);
    assert_false(adl_gate_enter(gate, 1, 0, 3));
    adl_gate_await_empty(gate, 0);
    adl_gate_await_empty(gate, 1);
    rung = adl_bell_read(&gate->work);
    adl_gate_hurry(gate, 9);
    assert_int_equal(gate->urgent, 9);
    assert_int_not_equal(adl_bell_read(&gate->work), rung);
    adl_gate_hurry(gate, 8);
    assert_int_equal(gate->urgent, 9);
    adl_segment_destroy(seg);
}

/* ---- an aggregator that gives windows up while others are inside ---- */

static void *await_slot(void *arg)
{
    struct adl_gate *gate = arg;

    adl_gate_shut(gate, 1);
    adl_gate_await_empty(gate, 0);
    return NULL;
}

/* Who leaves a window that is not complete wakes the aggregator all the same:
 * the bell tells, since a sleeper whom nobody wakes looks again by itself. */
static void test_leave_wakes(void **state)
{
    struct adl_segment *seg = ranks_segment(1, WINDOW, 0);
    struct adl_gate *gate = seg->sink[0].gate;
    pthread_t thread;
    uint32_t rung;

    (void)state;
    gate->expect[0] = 10;
    adl_gate_open(gate, 0);
    adl_gate_free(seg->sink[0].gate, &seg->meeting->gates, 1, 0);
    assert_true(adl_gate_enter(gate, 1, 0, 0));
    pthread_create(&thread, NULL, await_slot, gate);
    while (__atomic_load_n(&gate->work.sleepers, __ATOMIC_SEQ_CST) == 0)
        usleep(1000);
    rung = adl_bell_read(&gate->work);
    adl_gate_leave(gate, 0, 1);
    assert_int_not_equal(adl_bell_read(&gate->work), rung);
    pthread_join(thread, NULL);
    adl_segment_destroy(seg);
}

#define WINDOWS 2000

struct visitor {
    struct adl_segment *seg;
    int64_t came, late;
};

/* One byte for every window; plain accesses, as the engine's are. */
static void *visit_windows(void *arg)
{
    struct visitor *v = arg;
    struct adl_gate *gate = v->seg->sink[0].gate;
    char *buf = v->seg->sink[0].buf;

    for (int64_t w = 0; w < WINDOWS; w++) {
        while (w - adl_gate_freed(gate, 1, 0) >= 3)
            sched_yield();
        if (!adl_gate_enter(gate, 1, (int)(w % 3), w)) {
            v->late++;
            continue;
        }
        buf[w % 3 * v->seg->window + v->seg->rank] = 1;
        v->came++;
        adl_gate_leave(gate, (int)(w % 3), 1);
    }
    return NULL;
}

/* Empty the window that is given up: nobody else is at it, nobody comes. */
static int64_t empty_window(struct adl_segment *seg, int64_t w)
{
    char *buf = adl_sink_buf(seg, &seg->sink[0], (int)(w % 3));
    int64_t sum = 0;

    adl_gate_shut(seg->sink[0].gate, w + 1);
    adl_gate_await_empty(seg->sink[0].gate, (int)(w % 3));
    for (int r = 0; r < RANKS; r++) {
        sum += buf[r];
        buf[r] = 0;
    }
    seg->sink[0].gate->moved[w % 3] = 0;
    adl_gate_free(seg->sink[0].gate, &seg->meeting->gates, 1, w + 1);
    return sum;
}

static void test_visits(void **state)
{
    struct adl_segment *seg = ranks_segment(RANKS, WINDOW, 0);
    struct adl_segment copy[RANKS];
    struct adl_sink sink[RANKS];
    struct visitor visitor[RANKS];
    pthread_t thread[RANKS];
    int64_t got = 0, came = 0, late = 0;
    unsigned seed = 5;

    (void)state;
    for (int slot = 0; slot < 3; slot++)
        seg->sink[0].gate->expect[slot] = RANKS + 1; /* never complete */
    adl_gate_open(seg->sink[0].gate, 0);
    adl_gate_free(seg->sink[0].gate, &seg->meeting->gates, 1, 0);
    for (int r = 0; r < RANKS; r++) {
        copy[r] = ranks_seen_by(seg, r, &sink[r]);
        visitor[r] = (struct visitor){&copy[r], 0, 0};
        pthread_create(&thread[r], NULL, visit_windows, &visitor[r]);
    }
    for (int64_t w = 0; w < WINDOWS; w++) {
        for (int i = (int)(rand_r(&seed) % 4); i > 0; i--)
            sched_yield();
        got += empty_window(seg, w);
    }
    for (int r = 0; r < RANKS; r++) {
        pthread_join(thread[r], NULL);
        came += visitor[r].came;
        late += visitor[r].late;
    }
    printf("# %d visits: %d came, %d were late\n", RANKS * WINDOWS, (int)came,
           (int)late);
    assert_int_equal(got, came);
    assert_int_equal(came + late, RANKS * WINDOWS);
    adl_segment_destroy(seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),       cmocka_unit_test(test_positions),
        cmocka_unit_test(test_calls),       cmocka_unit_test(test_late),
        cmocka_unit_test(test_leave_wakes), cmocka_unit_test(test_visits),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
