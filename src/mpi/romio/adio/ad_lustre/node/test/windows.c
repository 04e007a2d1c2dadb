/* windows.c - test of node/windows: who is admitted, holds, counts, marks
 *
 * First each rule by itself, then threads that mark while the aggregator closes
 * windows: what it finds in a window is what was marked in time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include <sched.h>
#include <stdio.h>

#include "../windows.h"

#define WINDOW 4096
#define DEPTH 3
#define SECONDS_MAX 120

static struct adl_bell node;

static struct adl_windows windows_at(int64_t call, int64_t freed)
{
    struct adl_windows ws = {.want = INT64_MAX};

    adl_windows_open(&ws, freed);
    adl_windows_free(&ws, &node, call, freed);
    return ws;
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
    struct adl_windows ws = windows_at(7, 40);

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (adl_windows_admit(&ws, row[i].call, 10, DEPTH, row[i].window) !=
            row[i].want)
            fail_msg("row %zu", i);
    /* over: nothing is admitted any more */
    adl_windows_free(&ws, &node, 7, INT64_MAX);
    assert_int_equal(adl_windows_admit(&ws, 7, 10, DEPTH, 41), ADL_PAST);
}

static void test_calls(void **state)
{
    struct adl_windows ws = windows_at(7, 40);
    uint32_t rung;

    (void)state;
    assert_int_equal(adl_windows_freed(&ws, 7, 3), 40);
    assert_int_equal(adl_windows_freed(&ws, 8, 3), 3);
    assert_int_equal(adl_windows_ready(&ws, 7, 3), 40);
    adl_windows_set_ready(&ws, &node, 42, 99);
    assert_int_equal(adl_windows_ready(&ws, 7, 3), 42);
    assert_int_equal(ws.eof, 99);
    /* a new call starts with nothing ready, and no known end of the file */
    adl_windows_free(&ws, &node, 8, 10);
    assert_int_equal(adl_windows_ready(&ws, 8, 3), 10);
    assert_true(ws.eof == INT64_MAX);
    /* the bell rings for what is wanted, not before */
    adl_windows_want(&ws, 13);
    adl_windows_want(&ws, 15);
    rung = adl_bell_read(&ws.bell);
    adl_windows_free(&ws, &node, 8, 12);
    assert_int_equal(adl_bell_read(&ws.bell), rung);
    adl_windows_free(&ws, &node, 8, 13);
    assert_int_not_equal(adl_bell_read(&ws.bell), rung);
}

/* ---- counting, marking, hurrying ---- */

static void test_counted(void **state)
{
    struct adl_windows ws = windows_at(1, 3);
    uint32_t rung;

    (void)state;
    adl_windows_expect(&ws, 0, 10);
    rung = adl_bell_read(&ws.work);
    adl_windows_moved(&ws, 0, 8);
    adl_windows_hold(&ws, 0);
    assert_true(adl_windows_is_held(&ws, 0));
    adl_windows_release(&ws, 0, 1);
    assert_false(adl_windows_is_held(&ws, 0));
    assert_false(adl_windows_counted(&ws, 0));
    assert_int_equal(adl_bell_read(&ws.work), rung);
    adl_windows_moved(&ws, 0, 1);
    assert_true(adl_windows_counted(&ws, 0));
    assert_int_not_equal(adl_bell_read(&ws.work), rung);
    adl_windows_clear(&ws, 0);
    assert_false(adl_windows_counted(&ws, 0));
}

static void test_marking(void **state)
{
    struct adl_windows ws = windows_at(1, 3);
    uint32_t rung;

    (void)state;
    adl_windows_expect(&ws, 1, 10);
    adl_windows_close(&ws, 4);
    assert_false(adl_windows_hold_open(&ws, 1, 0, 3));
    assert_false(adl_windows_is_held(&ws, 0));
    assert_true(adl_windows_hold_open(&ws, 1, 1, 4));
    assert_true(adl_windows_is_held(&ws, 1));
    adl_windows_release(&ws, 1, 0);
    adl_windows_await_unheld(&ws, 1);
    /* a call that has not begun here takes all */
    assert_true(adl_windows_hold_open(&ws, 2, 0, 3));
    adl_windows_release(&ws, 0, 0);
    rung = adl_bell_read(&ws.work);
    adl_windows_hurry(&ws, 9);
    assert_int_equal(ws.urgent, 9);
    assert_int_not_equal(adl_bell_read(&ws.work), rung);
    adl_windows_hurry(&ws, 8);
    assert_int_equal(ws.urgent, 9);
}

/* ---- an aggregator that waits for messages ---- */

static void *await_slot(void *arg)
{
    adl_windows_await_unheld(arg, 0);
    return NULL;
}

/* A message that releases a window wakes the aggregator also if the window is
 * not complete. The test looks at the bell, since a sleeper that is not woken
 * looks again by itself. */
static void test_release_wakes(void **state)
{
    struct adl_windows ws = windows_at(1, 0);
    pthread_t thread;
    uint32_t rung;

    (void)state;
    adl_windows_expect(&ws, 0, 10);
    adl_windows_hold(&ws, 0);
    pthread_create(&thread, NULL, await_slot, &ws);
    while (__atomic_load_n(&ws.work.sleepers, __ATOMIC_SEQ_CST) == 0)
        usleep(1000);
    rung = adl_bell_read(&ws.work);
    adl_windows_release(&ws, 0, 1);
    assert_int_not_equal(adl_bell_read(&ws.work), rung);
    pthread_join(thread, NULL);
}

#define WINDOWS 2000
#define MARKERS 4

struct marker {
    struct adl_windows *ws;
    char *seat; /* a byte of each buffer */
    int64_t came, late;
};

/* One byte for every window; plain accesses, as the engine's are. */
static void *mark_windows(void *arg)
{
    struct marker *m = arg;

    for (int64_t w = 0; w < WINDOWS; w++) {
        int slot = (int)(w % DEPTH);

        while (adl_windows_admit(m->ws, 1, 0, DEPTH, w) == ADL_LATER)
            sched_yield();
        if (!adl_windows_hold_open(m->ws, 1, slot, w)) {
            m->late++;
            continue;
        }
        m->seat[slot * MARKERS] = 1;
        m->came++;
        adl_windows_release(m->ws, slot, 0);
    }
    return NULL;
}

/* No one else is at a window that was closed and is not held. */
static int64_t empty_window(struct adl_windows *ws, char *buf, int64_t w)
{
    int slot = (int)(w % DEPTH);
    int64_t sum = 0;

    adl_windows_close(ws, w + 1);
    adl_windows_await_unheld(ws, slot);
    for (int r = 0; r < MARKERS; r++) {
        sum += buf[slot * MARKERS + r];
        buf[slot * MARKERS + r] = 0;
    }
    adl_windows_free(ws, &node, 1, w + 1);
    return sum;
}

static void test_markers(void **state)
{
    struct adl_windows ws = windows_at(1, 0);
    char buf[DEPTH * MARKERS] = {0};
    struct marker marker[MARKERS];
    pthread_t thread[MARKERS];
    int64_t got = 0, came = 0, late = 0;
    unsigned seed = 5;

    (void)state;
    for (int slot = 0; slot < DEPTH; slot++)
        adl_windows_expect(&ws, slot, 1); /* never complete */
    for (int r = 0; r < MARKERS; r++) {
        marker[r] = (struct marker){&ws, buf + r, 0, 0};
        pthread_create(&thread[r], NULL, mark_windows, &marker[r]);
    }
    for (int64_t w = 0; w < WINDOWS; w++) {
        for (int i = (int)(rand_r(&seed) % 4); i > 0; i--)
            sched_yield();
        got += empty_window(&ws, buf, w);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admit),         cmocka_unit_test(test_calls),
        cmocka_unit_test(test_counted),       cmocka_unit_test(test_marking),
        cmocka_unit_test(test_release_wakes), cmocka_unit_test(test_markers),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
