/* window.c - test of core/window
 *
 * The model lists the cells of the first stripes of a file, by the formulas of
 * window.c on the stripes that core/owner gives. All answers are then looked
 * up in that list.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/window.h"
#include "random_layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MAX_AGGS 12
#define MAX_CELLS 500
#define CASES 2000

/* ---- table: what becomes of a buffer ---- */

#define KiB 1024
#define MiB (1024 * 1024)

static const struct {
    int64_t stripe, cb;
    int depth;
    int64_t size;
    int64_t cell; /* length of the first cell */
} cases[] = {
    {MiB, 16 * MiB, 4, 4 * MiB, MiB},
    {MiB, 4 * MiB, 4, MiB, MiB},
    {MiB, 4 * MiB - 1, 3, MiB, MiB},
    {MiB, 3 * MiB, 3, MiB, MiB},
    {MiB, 3 * MiB - 1, 4, 512 * KiB, 512 * KiB},
    {64 * KiB, 16 * MiB, 4, 4 * MiB, 64 * KiB},
    {64 * KiB, 17 * MiB, 4, 68 * 64 * KiB, 64 * KiB},
    /* parts: a power of two, or equal pages */
    {16 * MiB, 16 * MiB, 4, 4 * MiB, 4 * MiB},
    {64 * MiB, 16 * MiB, 4, 4 * MiB, 4 * MiB},
    {320 * KiB, 900000, 4, 160 * KiB, 160 * KiB},
    {192 * KiB, 300000, 4, 64 * KiB, 64 * KiB},
    {1000003, 15000, 3, 4096, 4096},
    /* absurd sizes */
    {64 * KiB, 500, 3, 128, 128},
    {1000003, 500, 3, 166, 166},
    {64 * KiB, 4, 4, 1, 1},
    {64 * KiB, 1, 3, 1, 1},
    {64 * KiB, -7, 3, 1, 1},
    {1, 3, 3, 1, 1},
    {1, 16 * MiB, 4, 4 * MiB, 1},
};

static struct adl_window *make(int64_t stripe, int count, int naggs, int64_t cb,
                               struct adl_owner **owner)
{
    struct adl_layout *layout;
    struct adl_window *win;

    assert_int_equal(adl_layout_plain(stripe, count, &layout), 0);
    assert_int_equal(adl_owner_create(layout, naggs, owner), 0);
    assert_int_equal(adl_window_create(*owner, cb, &win), 0);
    adl_layout_destroy(layout);
    return win;
}

static void test_table(void **state)
{
    struct adl_window *win;
    struct adl_owner *owner;
    struct adl_cell cell;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        win = make(cases[i].stripe, 4, 3, cases[i].cb, &owner);
        adl_window_locate(win, 0, &cell);
        if (adl_window_depth(win) != cases[i].depth ||
            adl_window_size(win) != cases[i].size ||
            cell.end - cell.start != cases[i].cell)
            fail_msg("row %zu: depth %d size %" PRId64 " cell %" PRId64, i,
                     adl_window_depth(win), adl_window_size(win),
                     cell.end - cell.start);
        adl_window_destroy(win);
        adl_owner_destroy(owner);
    }
}

/* The drawing in window.h: two owners share five objects. */
static void test_drawing(void **state)
{
    static const struct {
        int64_t off, window, buf;
        int owner;
    } want[] = {
        {0, 0, 0, 0},   {10, 0, 0, 1},  {20, 0, 10, 0}, {30, 0, 10, 1},
        {40, 1, 0, 0},  {50, 1, 10, 0}, {60, 1, 0, 1},  {70, 2, 0, 0},
        {80, 1, 10, 1}, {90, 2, 10, 0},
    };
    struct adl_owner *owner;
    struct adl_window *win = make(10, 5, 2, 80, &owner);
    struct adl_cell cell;

    (void)state;
    assert_int_equal(adl_window_size(win), 20);
    adl_window_locate(win, 0, &cell);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        if (cell.start != want[i].off || cell.window != want[i].window ||
            cell.buf != want[i].buf || cell.owner != want[i].owner)
            fail_msg("cell %zu: at %" PRId64 " window %" PRId64 " buf %" PRId64
                     " owner %d",
                     i, cell.start, cell.window, cell.buf, cell.owner);
        adl_window_next(win, &cell);
    }
    assert_true(adl_window_end(win, 0, 1) == 60);
    assert_true(adl_window_first_at(win, 0, 60) == 2);
    assert_true(adl_window_first_at(win, 1, 81) == 1);
    assert_true(adl_window_first_at(win, 1, 90) == 2);
    adl_window_destroy(win);
    adl_owner_destroy(owner);
}

/* Offsets of exabytes and buffers of bytes. */
static void test_far(void **state)
{
    static const int64_t sizes[] = {1, 500, 100000, 16 * MiB, INT64_C(1) << 45};
    struct adl_owner *owner;
    struct adl_cell cell, again;

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct adl_window *win = make(64 * KiB, 7, 5, sizes[i], &owner);
        int64_t off = (INT64_C(1) << 60) + 12345;
        int64_t k, window;

        adl_window_locate(win, off, &cell);
        assert_true(cell.start <= off && off < cell.end);
        window = adl_window_first_at(win, cell.owner, off);
        assert_true(window == cell.window);
        for (k = 0; k < 100000; k++)
            if (adl_window_cell(win, cell.owner, window, (int)k, &again) ||
                again.start == cell.start)
                break;
        if (k < 100000)
            assert_true(again.start == cell.start && again.buf == cell.buf);
        assert_true(adl_window_end(win, cell.owner, window) >= cell.end);
        assert_true(adl_window_first_at(win, 0, INT64_MAX) == ADL_WINDOW_NONE);
        adl_window_destroy(win);
        adl_owner_destroy(owner);
    }
}

/* ---- random, against the model ---- */

struct model {
    struct adl_owner *owner;
    struct adl_window *win;
    int naggs;
    int64_t cb;
    int ncells;
    struct adl_cell cell[MAX_CELLS + 1];
};

static int same(const struct adl_cell *a, const struct adl_cell *b)
{
    return a->start == b->start && a->end == b->end && a->buf == b->buf &&
           a->window == b->window && a->owner == b->owner &&
           a->stripe.origin == b->stripe.origin &&
           a->stripe.seq == b->stripe.seq;
}

static void check_cell(const struct model *m, int i, const char *how,
                       const struct adl_cell *c)
{
    const struct adl_cell *w = &m->cell[i];

    if (!same(c, w))
        fail_msg("%s, cell %d: [%" PRId64 ", %" PRId64 ") owner %d window "
                 "%" PRIx64 " buf %" PRId64 ", not [%" PRId64 ", %" PRId64
                 ") %d %" PRIx64 " %" PRId64,
                 how, i, c->start, c->end, c->owner, c->window, c->buf,
                 w->start, w->end, w->owner, w->window, w->buf);
}

static void model_add(struct model *m, const struct adl_stripe *s,
                      int64_t origin, int64_t len, int64_t index, int64_t buf)
{
    struct adl_cell *c = &m->cell[m->ncells];
    int bits = 62;

    while (1 << (62 - bits) < adl_owner_ncomps(m->owner))
        bits--;
    c->start = origin > s->start ? origin : s->start;
    c->end = origin + len < s->end ? origin + len : s->end;
    c->buf = buf + c->start - origin;
    c->window = ((int64_t)s->comp << bits) + index;
    c->owner = s->owner;
    c->stripe = *s;
    if (c->start < c->end)
        m->ncells++;
}

/* Bytes that a window may have. */
static int64_t model_room(const struct model *m)
{
    int64_t cb = m->cb < 3 ? 3 : m->cb;
    int depth = 4;

    for (int i = 0; i < adl_owner_ncomps(m->owner); i++)
        if (adl_owner_stripe_size(m->owner, i) > cb / 4)
            depth = 3;
    return cb / depth;
}

static void model_stripe(struct model *m, const struct adl_stripe *s)
{
    int64_t S = adl_owner_stripe_size(m->owner, s->comp);
    int64_t room = model_room(m), K = room / S, Q = 1, n;

    if (K) {
        model_add(m, s, s->origin, S, s->seq / K, s->seq % K * S);
        return;
    }
    while (Q * 2 <= room)
        Q *= 2;
    if (S % Q && room < 4096)
        Q = room;
    if (S % Q && room >= 4096) {
        n = (S + room / 4096 * 4096 - 1) / (room / 4096 * 4096);
        for (Q = 4096; Q * n < S; Q += 4096)
            ;
    }
    n = (S + Q - 1) / Q;
    for (int64_t part = 0; part < n && m->ncells < MAX_CELLS; part++)
        model_add(m, s, s->origin + part * Q, Q, s->seq * n + part, 0);
}

static void model_fill(struct rng *rng, struct model *m, int64_t unit)
{
    struct adl_stripe s;

    m->cb = unit * rng_in(rng, 1, 60) / rng_in(rng, 1, 12);
    if (rng_chance(rng, 10))
        m->cb = rng_in(rng, -1, 500);
    assert_int_equal(adl_window_create(m->owner, m->cb, &m->win), 0);
    m->ncells = 0;
    for (adl_owner_locate(m->owner, 0, &s); m->ncells < MAX_CELLS;
         adl_owner_next(m->owner, &s))
        model_stripe(m, &s);
}

static void check_sizes(const struct model *m)
{
    int64_t cb = m->cb < 3 ? 3 : m->cb;
    int64_t grain = adl_window_grain(m->win);
    int64_t unit = grain & -grain;
    int depth = adl_window_depth(m->win);

    assert_true(depth >= 3 && depth * adl_window_size(m->win) <= cb);
    for (int i = 0; i < m->ncells; i++) {
        const struct adl_cell *c = &m->cell[i];

        assert_true(c->buf >= 0);
        assert_true(c->buf + c->end - c->start <= adl_window_size(m->win));
        assert_true((c->start | c->end | c->buf) % unit == 0);
        assert_true(adl_window_slot(m->win, c->window) < depth);
    }
    assert_true(adl_window_size(m->win) % unit == 0);
}

static void check_forward(struct rng *rng, const struct model *m)
{
    struct adl_cell cell, step;

    adl_window_locate(m->win, 0, &step);
    for (int i = 0; i < m->ncells; i++) {
        const struct adl_cell *w = &m->cell[i];

        check_cell(m, i, "step", &step);
        adl_window_locate(m->win, w->start, &cell);
        check_cell(m, i, "first byte", &cell);
        adl_window_locate(m->win, rng_in(rng, w->start, w->end - 1), &cell);
        check_cell(m, i, "a byte", &cell);
        adl_window_next(m->win, &step);
    }
}

/* Is another cell of the owner in the list behind `i`? Then what the list
 * says of the windows before it is complete. */
static int next_of_owner(const struct model *m, int i, int owner)
{
    for (i++; i < m->ncells; i++)
        if (m->cell[i].owner == owner)
            return i;
    return -1;
}

/* Places of file offsets in the window of cell i; `next`: the owner's next. */
static void check_places(const struct model *m, int agg, int i, int next)
{
    const struct adl_cell *w = &m->cell[i];
    const struct adl_cell *first = &m->cell[next_of_owner(m, -1, agg)];
    int64_t behind = INT64_MAX;

    assert_true(adl_window_place(m->win, agg, w->window, w->start) == w->buf);
    assert_true(adl_window_place(m->win, agg, w->window, w->end - 1) ==
                w->buf + (w->end - 1 - w->start));
    if (first->window < w->window)
        assert_true(adl_window_place(m->win, agg, w->window, first->start) ==
                    0);
    if (next < 0)
        return;
    if (m->cell[next].window == w->window)
        behind = m->cell[next].buf;
    assert_true(adl_window_place(m->win, agg, w->window, w->end) == behind);
}

/* The cells of one owner, window by window. */
static void check_windows(const struct model *m, int agg)
{
    int64_t window = -1;
    struct adl_cell cell;
    int next, nth = 0;

    for (int i = next_of_owner(m, -1, agg); i >= 0; i = next) {
        const struct adl_cell *w = &m->cell[i];

        assert_true(w->window >= window);
        nth = w->window > window ? 0 : nth + 1;
        window = w->window;
        assert_int_equal(adl_window_cell(m->win, agg, window, nth, &cell), 0);
        check_cell(m, i, "by window", &cell);
        next = next_of_owner(m, i, agg);
        check_places(m, agg, i, next);
        if (next < 0 || m->cell[next].window == window)
            continue;
        assert_int_equal(adl_window_cell(m->win, agg, window, nth + 1, &cell),
                         -ENOENT);
        assert_true(adl_window_end(m->win, agg, window) == w->end);
    }
}

/* A window that the list passes over holds nothing. */
static void check_gaps(const struct model *m, int agg)
{
    struct adl_cell cell;
    int i = next_of_owner(m, -1, agg), next;

    for (; i >= 0; i = next) {
        int64_t between = m->cell[i].window + 1;

        next = next_of_owner(m, i, agg);
        if (next < 0 || m->cell[next].window <= between)
            continue;
        assert_int_equal(adl_window_cell(m->win, agg, between, 0, &cell),
                         -ENOENT);
        assert_true(adl_window_end(m->win, agg, between) == 0);
    }
}

static void check_first_at(struct rng *rng, const struct model *m)
{
    int i, k;

    for (int tries = 0; tries < 100; tries++) {
        int agg = (int)rng_in(rng, 0, m->naggs - 1);
        int64_t off;

        i = (int)rng_in(rng, 0, m->ncells - 1);
        off = rng_in(rng, m->cell[i].start, m->cell[i].end - 1);
        k = next_of_owner(m, i - 1, agg);
        if (k >= 0)
            assert_true(adl_window_first_at(m->win, agg, off) ==
                        m->cell[k].window);
    }
}

/* Neighbouring windows use different slots. */
static void check_slots(const struct model *m)
{
    int depth = adl_window_depth(m->win);

    for (int64_t window = 0; window < 20; window++)
        for (int k = 1; k < depth; k++)
            assert_true(adl_window_slot(m->win, window) !=
                        adl_window_slot(m->win, window + k));
}

static void test_random(void **state)
{
    static struct model m;
    struct rng rng = rng_begin();
    struct adl_layout *layout;
    int64_t unit;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        layout = random_layout(&rng, &unit);
        m.naggs = (int)rng_in(&rng, 1, MAX_AGGS);
        assert_int_equal(adl_owner_create(layout, m.naggs, &m.owner), 0);
        model_fill(&rng, &m, unit);
        check_sizes(&m);
        check_slots(&m);
        check_forward(&rng, &m);
        for (int agg = 0; agg < m.naggs; agg++) {
            check_windows(&m, agg);
            check_gaps(&m, agg);
        }
        check_first_at(&rng, &m);
        adl_window_destroy(m.win);
        adl_owner_destroy(m.owner);
        adl_layout_destroy(layout);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
