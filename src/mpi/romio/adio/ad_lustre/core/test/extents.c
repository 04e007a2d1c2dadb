/* extents.c - test of core/extents
 *
 * The model lists every byte of an access with its file and memory offset.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/edges.h"
#include "../coll/extents.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define ENTRIES 12
#define MAX_BYTES 2000
#define CASES 20000

struct tile {
    struct adl_tile tile;
    int64_t off[ENTRIES], len[ENTRIES];
};

static struct adl_tile tile_of(const int64_t *off, const int64_t *len,
                               int64_t n, int64_t extent)
{
    struct adl_tile t = {off, len, n, extent, 0};

    for (int64_t i = 0; i < n; i++)
        t.size += len[i];
    return t;
}

/* ---- table ---- */

#define PIECES 6
#define T(...)        \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static const struct {
    struct adl_tile file, mem; /* n = 0: contiguous */
    int64_t disp, skip, bytes;
    struct adl_piece want[PIECES]; /* up to the first of length 0 */
    int64_t end, count;
} cases[] = {
    {{0}, {0}, 100, 7, 5, {{107, 0, 5}}, 112, 1},
    {{0}, {0}, 100, 7, 0, {{0}}, 0, 0},
    {{T(0), T(8), 1, 8, 8}, {0}, 50, 4, 30, {{54, 0, 30}}, 84, 1},
    {{T(4), T(2), 1, 10, 2},
     {0},
     0,
     1,
     4,
     {{5, 0, 1}, {14, 1, 2}, {24, 3, 1}},
     25,
     3},
    {{T(0, 3, 5), T(2, 0, 3), 3, 8, 5},
     {0},
     0,
     2,
     5,
     {{5, 0, 3}, {8, 3, 2}},
     10,
     2},
    {{0},
     {T(8, 0), T(2, 3), 2, 16, 5},
     0,
     0,
     8,
     {{0, 8, 2}, {2, 0, 3}, {5, 24, 2}, {7, 16, 1}},
     8,
     1},
    {{T(0), T(4), 1, 8, 4},
     {T(0), T(3), 1, 4, 3},
     0,
     0,
     9,
     {{0, 0, 3}, {3, 4, 1}, {8, 5, 2}, {10, 8, 2}, {16, 10, 1}},
     17,
     3},
    {{T(0), T(0), 1, 8, 0}, {0}, 0, 0, 9, {{0}}, 0, 0},
    /* nothing is computed behind the last byte */
    {{T(0), T(4), 1, INT64_MAX - 8, 4},
     {0},
     4,
     4,
     4,
     {{INT64_MAX - 4, 0, 4}},
     INT64_MAX,
     1},
};

static const struct adl_tile *or_null(const struct adl_tile *t)
{
    return t->n ? t : NULL;
}

static void check_row(size_t row)
{
    struct adl_extents ext;
    struct adl_piece p;
    uint64_t edges = 0;

    adl_extents_begin(&ext, or_null(&cases[row].file), cases[row].disp,
                      cases[row].skip, or_null(&cases[row].mem),
                      cases[row].bytes);
    assert_true(adl_extents_end(&ext) == cases[row].end);
    assert_true(adl_extents_count(&ext) == cases[row].count);
    for (int i = 0; i < PIECES && cases[row].want[i].len; i++)
        edges += adl_edges_of(cases[row].want[i].off,
                              cases[row].want[i].off + cases[row].want[i].len);
    assert_true(adl_extents_edges(&ext) == edges);
    for (int i = 0; i < PIECES && cases[row].want[i].len; i++) {
        assert_true(adl_extents_at(&ext) == cases[row].want[i].off);
        assert_int_equal(adl_extents_next(&ext, INT64_MAX, &p), 1);
        assert_memory_equal(&p, &cases[row].want[i], sizeof(p));
    }
    assert_true(adl_extents_at(&ext) == INT64_MAX);
    assert_int_equal(adl_extents_next(&ext, INT64_MAX, &p), 0);
}

static void test_table(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(cases) / sizeof(cases[0]); row++)
        check_row(row);
}

static void test_tile(void **state)
{
    const struct {
        struct adl_tile tile;
        int64_t bits;
        int dense;
    } rows[] = {
        {{T(0), T(8), 1, 8, 8}, 8, 1},
        {{T(16), T(8), 1, 8, 8}, 24, 1},
        {{T(0), T(8), 1, 24, 8}, 24, 0},
        {{T(0, 8), T(8, 16), 2, 24, 24}, 24, 1},
        {{T(8, 0), T(16, 8), 2, 24, 24}, 24, 0}, /* memory order */
        {{T(0, 3, 8), T(8, 0, 8), 3, 16, 16}, 24, 1},
        {{T(0, 12), T(8, 4), 2, 12, 12}, 12, 0},
        {{T(1), T(0), 1, 4, 0}, 4, 0},
    };

    (void)state;
    assert_true(adl_tile_bits(NULL) == 0);
    assert_int_equal(adl_tile_dense(NULL), 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (adl_tile_bits(&rows[i].tile) != rows[i].bits ||
            adl_tile_dense(&rows[i].tile) != rows[i].dense)
            fail_msg("row %zu: bits %" PRId64 " dense %d", i,
                     adl_tile_bits(&rows[i].tile),
                     adl_tile_dense(&rows[i].tile));
}

/* ---- random, against the list of bytes ---- */

static void random_tile(struct rng *rng, struct tile *t, int shuffled)
{
    int64_t k, at = rng_in(rng, 0, 5), n = rng_in(rng, 1, ENTRIES);
    int holes = rng_chance(rng, 80), empty = rng_chance(rng, 30);

    for (int64_t i = 0; i < n; i++) {
        t->off[i] = at;
        t->len[i] = empty && rng_chance(rng, 40) ? 0 : rng_in(rng, 1, 9);
        at += t->len[i] + (holes ? rng_in(rng, 0, 4) : 0);
    }
    for (int64_t i = n - 1; shuffled && i > 0; i--) {
        int64_t off = t->off[i], len = t->len[i];

        k = rng_in(rng, 0, i);
        t->off[i] = t->off[k];
        t->len[i] = t->len[k];
        t->off[k] = off;
        t->len[k] = len;
    }
    at -= holes ? 0 : t->off[0] * !shuffled;
    t->tile = tile_of(t->off, t->len, n, at + (holes ? rng_in(rng, 0, 9) : 0));
}

/* The offsets of data bytes [skip, skip + n) of a tile repeated from base. */
static void expand(const struct adl_tile *t, int64_t base, int64_t skip,
                   int64_t n, int64_t *out)
{
    int64_t at = 0;

    for (int64_t rep = 0; at < skip + n; rep++)
        for (int64_t i = 0; i < (t ? t->n : 1); i++)
            for (int64_t k = 0; k < (t ? t->len[i] : skip + n) && at < skip + n;
                 k++) {
                if (at >= skip)
                    out[at - skip] =
                        base + (t ? rep * t->extent + t->off[i] : 0) + k;
                at++;
            }
}

/* A view that begins its next repetition too early, or overlaps inside. */
static void tangle(struct rng *rng, struct tile *t)
{
    int64_t i = rng_in(rng, 0, t->tile.n - 1);

    if (rng_chance(rng, 70))
        t->tile.extent = rng_in(rng, 0, t->tile.extent);
    else
        t->len[i] += rng_in(rng, 1, 20);
    t->tile = tile_of(t->off, t->len, t->tile.n, t->tile.extent);
}

struct access {
    const struct adl_tile *file, *mem;
    int64_t disp, skip, bytes;
    int64_t off[MAX_BYTES], place[MAX_BYTES];
};

static void random_access(struct rng *rng, struct access *a, struct tile *file,
                          struct tile *mem)
{
    random_tile(rng, file, 0);
    if (rng_chance(rng, 30))
        tangle(rng, file);
    random_tile(rng, mem, rng_chance(rng, 50));
    a->file = rng_chance(rng, 90) && file->tile.size ? &file->tile : NULL;
    a->mem = rng_chance(rng, 70) && mem->tile.size ? &mem->tile : NULL;
    a->disp = rng_in(rng, 0, 100);
    a->skip = rng_in(rng, 0, 100);
    a->bytes = rng_in(rng, 0, rng_chance(rng, 50) ? 50 : MAX_BYTES);
    expand(a->file, a->disp, a->skip, a->bytes, a->off);
    expand(a->mem, 0, 0, a->bytes, a->place);
}

/* A piece must hold the bytes from `at` on. */
static void check_piece(const struct access *a, const struct adl_piece *p,
                        int64_t at, int64_t limit)
{
    assert_true(p->len > 0 && at + p->len <= a->bytes);
    assert_true(p->off + p->len <= limit);
    for (int64_t k = 0; k < p->len; k++)
        if (a->off[at + k] != p->off + k || a->place[at + k] != p->mem + k)
            fail_msg("byte %" PRId64 " differs", at + k);
}

/* What the cursor says of the bytes from `at` on. Each byte is a piece here: it
 * must not lie before the one before it. */
static void check_span(const struct access *a, const struct adl_extents *ext,
                       int64_t at)
{
    int64_t low = INT64_MAX, end = 0;
    int ascend = 1;

    for (int64_t k = at; k < a->bytes; k++) {
        low = a->off[k] < low ? a->off[k] : low;
        end = a->off[k] + 1 > end ? a->off[k] + 1 : end;
        ascend &= k == at || a->off[k] > a->off[k - 1];
    }
    assert_true(adl_extents_low(ext) == low);
    assert_true(adl_extents_end(ext) == end);
    if (!ascend)
        assert_int_equal(adl_extents_ascend(ext), 0);
}

static void walk(struct rng *rng, const struct access *a,
                 struct adl_extents *ext)
{
    int64_t at = 0, limit;
    struct adl_piece p;

    while (at < a->bytes) {
        assert_true(adl_extents_at(ext) == a->off[at]);
        limit = a->off[at] + (rng_chance(rng, 20) ? rng_in(rng, 0, 9) : 1000);
        if (!adl_extents_next(ext, limit, &p)) {
            assert_true(limit == a->off[at]);
            continue;
        }
        check_piece(a, &p, at, limit);
        at += p.len;
        if (rng_chance(rng, 10))
            check_span(a, ext, at);
    }
    assert_int_equal(adl_extents_next(ext, INT64_MAX, &p), 0);
}

/* With a contiguous memory side, pieces and count are the same thing. */
static void check_count(const struct access *a)
{
    struct adl_extents ext;
    struct adl_piece p;

    adl_extents_begin(&ext, a->file, a->disp, a->skip, NULL, a->bytes);
    for (int64_t count = adl_extents_count(&ext); count > 0; count--) {
        assert_true(adl_extents_count(&ext) == count);
        assert_int_equal(adl_extents_next(&ext, INT64_MAX, &p), 1);
    }
    assert_int_equal(adl_extents_next(&ext, INT64_MAX, &p), 0);
}

static void test_random(void **state)
{
    static struct access a;
    struct rng rng = rng_begin();
    struct adl_extents ext;
    struct tile file, mem;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        random_access(&rng, &a, &file, &mem);
        adl_extents_begin(&ext, a.file, a.disp, a.skip, a.mem, a.bytes);
        check_span(&a, &ext, 0);
        walk(&rng, &a, &ext);
        check_count(&a);
    }
}

/* Not more accesses than must be are taken for such that go back. */
static void test_ascend(void **state)
{
    const struct {
        struct adl_tile file;
        int64_t skip, bytes;
        int ascend;
    } rows[] = {
        {{0}, 0, 100, 1},
        {{T(0, 100), T(8, 8), 2, 200, 16}, 4, 1000, 1},
        {{T(0, 100), T(8, 8), 2, 108, 16}, 0, 1000, 1},
        {{T(4, 100), T(8, 8), 2, 104, 16}, 0, 1000, 1},
        {{T(0, 100), T(8, 8), 2, 107, 16}, 0, 1000, 0},
        {{T(0, 100), T(8, 8), 2, 50, 16}, 0, 1000, 0},
        {{T(0, 100), T(8, 8), 2, 50, 16}, 0, 16, 1},
        {{T(0, 100), T(8, 8), 2, 50, 16}, 8, 9, 0},
        {{T(0, 4), T(8, 8), 2, 50, 16}, 0, 16, 0},
        {{T(0, 4), T(8, 8), 2, 50, 16}, 0, 8, 1},
        {{T(0, 4, 8), T(8, 0, 8), 3, 50, 16}, 0, 100, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_extents ext;

        adl_extents_begin(&ext, or_null(&rows[i].file), 0, rows[i].skip, NULL,
                          rows[i].bytes);
        if (adl_extents_ascend(&ext) != rows[i].ascend)
            fail_msg("row %zu", i);
    }
}

/* The number of pieces bounds the work: entries are not visited twice. */
static void test_pieces(void **state)
{
    int64_t off[3] = {0, 10, 30}, len[3] = {5, 5, 20};
    struct adl_tile file = tile_of(off, len, 3, 100);
    struct adl_extents ext;
    struct adl_piece p;
    int64_t pieces = 0;

    (void)state;
    adl_extents_begin(&ext, &file, 0, 0, NULL, 30 * 1000);
    while (adl_extents_next(&ext, INT64_MAX, &p))
        pieces++;
    assert_int_equal(pieces, 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile),   cmocka_unit_test(test_ascend),
        cmocka_unit_test(test_table),  cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_random),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
