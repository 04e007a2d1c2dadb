/* selection.c - test of core/selection
 *
 * Random views. The model knows where each data byte of a view is, because it
 * walks through the tile byte by byte. Then what is refused, and what a rank
 * says of its access in the start agreement.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/edges.h"
#include "../coll/selection.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define CASES 2000
#define ENTRIES 5
#define MOST 200 /* data bytes of an access */

struct view {
    int64_t off[ENTRIES], len[ENTRIES], mem_off[1], mem_len[1];
    struct adl_selection sel;
};

/* Entries with gaps, some of them empty; the first begins behind 0, and
 * perhaps behind the tile's extent. */
static void pick_view(struct rng *rng, struct view *v)
{
    int64_t n = rng_in(rng, 1, ENTRIES), first = rng_in(rng, 0, 60), at = first;

    memset(v, 0, sizeof(*v));
    for (int64_t i = 0; i < n; i++) {
        v->off[i] = at;
        v->len[i] = rng_chance(rng, 20) ? 0 : rng_in(rng, 1, 20);
        v->sel.file.size += v->len[i];
        at += v->len[i] + rng_in(rng, 1, 9);
    }
    if (v->sel.file.size == 0)
        v->len[n - 1] = v->sel.file.size = 1;
    v->sel.file.off = v->off;
    v->sel.file.len = v->len;
    v->sel.file.n = n;
    v->sel.file.extent = at - first + rng_in(rng, 0, 9);
    v->sel.mem_contig = 1;
    v->sel.disp = rng_in(rng, 0, 50);
    v->sel.view = 3;
    v->sel.skip = rng_in(rng, 0, MOST);
    v->sel.bytes = rng_in(rng, 1, MOST);
    adl_selection_begin(&v->sel);
}

/* Where data byte `i` of the view is in the file. */
static int64_t place_of(const struct view *v, int64_t i)
{
    const struct adl_tile *t = &v->sel.file;
    int64_t base = v->sel.disp + i / t->size * t->extent;

    i %= t->size;
    for (int64_t k = 0;; i -= v->len[k++])
        if (i < v->len[k])
            return base + v->off[k] + i;
}

/* ---- places ---- */

static void check_before(const struct view *v)
{
    int64_t pos = 0;

    for (int64_t i = 0; i < 2 * MOST; i++)
        for (; pos <= place_of(v, i); pos++)
            if (adl_selection_before(&v->sel, pos) != i && pos > v->sel.disp)
                fail_msg("before %lld: %lld, not %lld", (long long)pos,
                         (long long)adl_selection_before(&v->sel, pos),
                         (long long)i);
}

/* The cursor gives the bytes in their order. */
static void check_pieces(const struct view *v)
{
    struct adl_extents ext = v->sel.ext;
    struct adl_piece piece;
    int64_t i = 0;

    while (adl_extents_next(&ext, INT64_MAX, &piece))
        for (; piece.len > 0; piece.len--, i++)
            assert_int_equal(piece.off++, place_of(v, v->sel.skip + i));
    assert_int_equal(i, v->sel.bytes);
}

static void test_places(void **state)
{
    struct rng rng = rng_begin();
    struct view v;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        pick_view(&rng, &v);
        check_before(&v);
        check_pieces(&v);
        assert_int_equal(adl_selection_after(&v.sel),
                         place_of(&v, v.sel.skip + v.sel.bytes));
    }
}

/* The view's arrays are gone, the call goes on with its copies. */
static void test_own(void **state)
{
    struct rng rng = rng_begin();
    struct view v, own;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        pick_view(&rng, &v);
        v.mem_off[0] = 8;
        v.mem_len[0] = 4;
        v.sel.mem = (struct adl_tile){v.mem_off, v.mem_len, 1, 16, 4};
        v.sel.mem_contig = 0;
        own = v;
        adl_selection_own(&own.sel);
        memset(v.off, 0, sizeof(v.off));
        memset(v.len, 0, sizeof(v.len));
        v.mem_off[0] = v.mem_len[0] = 0;
        check_pieces(&own);
        assert_int_equal(own.sel.mem.off[0], 8);
        assert_int_equal(own.sel.mem.len[0], 4);
        adl_selection_fini(&own.sel);
        assert_null(own.sel.owned);
    }
}

/* ---- what is impossible ---- */

#define BIG (INT64_MAX - 100)

static const struct {
    int64_t off, extent, disp, skip, bytes;
    int contig, want;
} limits[] = {
    {0, 20, 0, 0, 100, 0, 0},
    {0, 20, 0, BIG, 101, 1, -EFBIG},
    {0, 20, 0, BIG, 100, 1, 0},
    {0, 20, 1, BIG, 100, 1, -EFBIG},
    {0, 20, 0, BIG, 0, 1, 0},
    {0, 20, 0, INT64_MAX / 4, 10, 0, -EFBIG},
    {0, 20, 0, INT64_MAX / 32, 10, 0, 0},
    {0, BIG, 0, 0, 10, 0, -EFBIG},
    {BIG, 20, 0, 0, 10, 0, -EFBIG},
    {0, 20, BIG, 0, 100, 0, -EFBIG},
};

static void test_limits(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(limits) / sizeof(limits[0]); row++) {
        const int64_t len = 2;
        struct adl_selection sel = {
            .file = {&limits[row].off, &len, 1, limits[row].extent, 2},
            .file_contig = limits[row].contig,
            .mem_contig = 1,
            .disp = limits[row].disp,
            .skip = limits[row].skip,
            .bytes = limits[row].bytes,
            .stay = 77};

        adl_selection_begin(&sel);
        if (sel.error != limits[row].want)
            fail_msg("row %zu: %d", row, sel.error);
        if (sel.error == 0)
            continue;
        assert_int_equal(sel.bytes, 0);
        assert_int_equal(adl_extents_at(&sel.ext), INT64_MAX);
        assert_int_equal(adl_selection_after(&sel), 77);
    }
}

static void test_refuse(void **state)
{
    struct adl_selection sel = {
        .file_contig = 1, .mem_contig = 1, .skip = 5, .bytes = 9};
    struct adl_plan plan = {0};
    struct adl_claim claim;

    (void)state;
    adl_selection_refuse(&sel, 0);
    adl_selection_begin(&sel);
    assert_true(sel.bytes == 9 && sel.skip == 5 && sel.error == 0);
    adl_selection_refuse(&sel, -EIO);
    adl_selection_begin(&sel);
    adl_selection_claim(&sel, &plan, &claim);
    assert_int_equal(claim.error, -EIO);
    assert_int_equal(claim.bytes, 0);
    assert_true(claim.start > claim.end);
}

/* ---- the start agreement ---- */

static uint64_t edges_of(const struct view *v)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < v->sel.bytes; i++) {
        int64_t at = place_of(v, v->sel.skip + i);

        sum += adl_edges_of(at, at + 1);
    }
    return sum;
}

static void check_claim(const struct view *v, const struct adl_claim *claim)
{
    int64_t start = place_of(v, v->sel.skip), last = start;
    int tangled = 0, apart = 0;

    for (int64_t i = 1; i < v->sel.bytes; i++) {
        int64_t at = place_of(v, v->sel.skip + i);

        tangled |= at <= last;
        apart |= at != last + 1;
        last = at;
    }
    assert_int_equal(claim->start, start);
    assert_int_equal(claim->end, last + 1);
    assert_int_equal(claim->edge, last + 1);
    assert_int_equal(claim->bytes, v->sel.bytes);
    assert_true(claim->most == v->sel.bytes && claim->least == v->sel.bytes);
    assert_true(claim->edges == edges_of(v));
    assert_true(!(claim->flags & ADL_CLAIM_TANGLED) == !tangled);
    assert_true(!apart || (claim->flags & ADL_CLAIM_NONCONTIG));
}

/* The unit of the coverage divides every border. */
static void check_unit(const struct view *v, const struct adl_claim *claim)
{
    int64_t unit = claim->bits & -claim->bits;

    for (int64_t i = 0; i < v->sel.bytes; i++) {
        int64_t at = place_of(v, v->sel.skip + i);

        if (i == 0 || at != place_of(v, v->sel.skip + i - 1) + 1)
            assert_int_equal(at % unit, 0);
    }
}

/* Units of more than a byte. */
static void scale(struct view *v, int64_t by)
{
    for (int i = 0; i < ENTRIES; i++) {
        v->off[i] *= by;
        v->len[i] *= by;
    }
    v->sel.file.extent *= by;
    v->sel.file.size *= by;
    v->sel.disp *= by;
    v->sel.skip = v->sel.skip / by * by;
    v->sel.bytes = (v->sel.bytes / by + 1) * by;
    adl_selection_begin(&v->sel);
}

static void test_claim(void **state)
{
    struct rng rng = rng_begin();
    struct view v;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct adl_plan plan = {0};
        struct adl_claim first, next;

        pick_view(&rng, &v);
        scale(&v, INT64_C(1) << rng_in(&rng, 0, 3));
        adl_selection_claim(&v.sel, &plan, &first);
        assert_true(first.flags & ADL_CLAIM_NEW);
        check_claim(&v, &first);
        check_unit(&v, &first);
        v.sel.skip += 3 * v.sel.file.size; /* the same shape, further on */
        adl_selection_begin(&v.sel);
        adl_selection_claim(&v.sel, &plan, &next);
        assert_false(next.flags & ADL_CLAIM_NEW);
        assert_int_equal(next.moved, 3 * v.sel.file.extent);
        check_claim(&v, &next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places), cmocka_unit_test(test_own),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_claim),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
