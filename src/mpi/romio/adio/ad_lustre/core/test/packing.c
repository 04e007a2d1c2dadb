/* packing.c - test of core/packing
 *
 * The model knows of every byte of an access where it lies in the file and in
 * memory, found by walking the tiles a byte at a time. Descriptions, packing,
 * scattering and gathering are compared with it; then descriptions that do not
 * fit what came.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../messages/packing.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 2000
#define BYTES 400 /* most of an access */
#define ENTRIES 5
#define MEMORY 24000 /* more than any access spans */
#define NO_LIMIT (1 << 20)

/* ---- accesses, and the model ---- */

struct side {
    int64_t off[ENTRIES], len[ENTRIES];
    struct adl_tile tile;
};

struct access {
    struct side file, mem;
    struct adl_extents ext;
    int64_t bytes;
    int64_t at[BYTES]; /* file offset of each byte */
    int64_t mem_at[BYTES];
    char user[MEMORY];
};

/* Entries with gaps, some of them empty; `touching`: some without a gap. */
static void pick_side(struct rng *rng, struct side *s, int touching)
{
    int64_t at = 0, size = 0, n = rng_in(rng, 1, ENTRIES);

    for (int64_t i = 0; i < n; i++) {
        at += rng_chance(rng, touching) ? 0 : rng_in(rng, 1, 8);
        s->off[i] = at;
        s->len[i] = rng_chance(rng, 10) ? 0 : rng_in(rng, 1, 40);
        size += s->len[i];
        at += s->len[i];
    }
    if (size == 0) {
        s->len[n - 1] = size = 3;
        at += 3;
    }
    s->tile =
        (struct adl_tile){s->off, s->len, n, at + rng_in(rng, 0, 8), size};
}

/* Memory may be in any order. */
static void shuffle(struct rng *rng, struct side *s)
{
    for (int64_t i = s->tile.n - 1; i > 0; i--) {
        int64_t k = rng_in(rng, 0, i), off = s->off[i], len = s->len[i];

        s->off[i] = s->off[k];
        s->len[i] = s->len[k];
        s->off[k] = off;
        s->len[k] = len;
    }
}

/* Where byte number `byte` of a tile's data lies. */
static int64_t place_of(const struct adl_tile *tile, int64_t byte)
{
    int64_t base = byte / tile->size * tile->extent;

    byte %= tile->size;
    for (int64_t i = 0;; i++) {
        if (byte < tile->len[i])
            return base + tile->off[i] + byte;
        byte -= tile->len[i];
    }
}

static void pick_access(struct rng *rng, struct access *a)
{
    int64_t disp = rng_in(rng, 0, 50), skip = rng_in(rng, 0, 100);
    int contig = rng_chance(rng, 40);

    pick_side(rng, &a->file, 20);
    pick_side(rng, &a->mem, 20);
    if (rng_chance(rng, 30))
        shuffle(rng, &a->mem);
    a->bytes = rng_in(rng, 1, BYTES);
    for (int64_t i = 0; i < a->bytes; i++) {
        a->at[i] = disp + place_of(&a->file.tile, skip + i);
        a->mem_at[i] = contig ? i : place_of(&a->mem.tile, i);
        assert_true(a->mem_at[i] < MEMORY);
    }
    for (int i = 0; i < MEMORY; i += 8) {
        uint64_t eight = rng_next(rng);

        memcpy(a->user + i, &eight, 8);
    }
    adl_extents_begin(&a->ext, &a->file.tile, disp, skip,
                      contig ? NULL : &a->mem.tile, a->bytes);
}

/* ---- descriptions ---- */

/* Runs of the bytes [from, to) of the access. */
static int64_t count_runs(const struct access *a, int64_t from, int64_t to)
{
    int64_t runs = 0;

    for (int64_t i = from; i < to; i++)
        runs += i == from || a->at[i] != a->at[i - 1] + 1;
    return runs;
}

static int is_contig(const struct access *a, int64_t from, int64_t to)
{
    for (int64_t i = from + 1; i < to; i++)
        if (a->mem_at[i] != a->mem_at[i - 1] + 1)
            return 0;
    return 1;
}

/* The description names exactly the bytes [from, from + bytes). */
static void check_pattern(const struct access *a, int64_t from,
                          const struct adl_pack *p, int64_t shift)
{
    struct adl_pattern_iter it;
    int64_t off, len, i = from;

    adl_pattern_open(&it, p->pattern, p->pattern_size, NO_LIMIT);
    while (adl_pattern_next(&it, &off, &len) == 1)
        for (; len > 0; len--, off++, i++) {
            assert_true(i < from + p->bytes);
            assert_int_equal(off, a->at[i] + shift);
        }
    assert_int_equal(i, from + p->bytes);
}

/* As many bytes as the limits allow, no more. */
static void check_limits(const struct access *a, int64_t from,
                         const struct adl_pack *p,
                         const struct adl_pack_limit *lim)
{
    int64_t to = from + p->bytes, runs = count_runs(a, from, to);

    assert_true(p->bytes <= lim->bytes && runs <= lim->runs);
    assert_true(p->bytes == 0 || a->at[to - 1] < lim->end);
    if (to < a->bytes && a->at[to] < lim->end && p->bytes < lim->bytes)
        assert_int_equal(runs, lim->runs);
}

static void check_pack(const struct access *a, int64_t from,
                       const struct adl_pack *p,
                       const struct adl_pack_limit *lim, int64_t shift)
{
    check_limits(a, from, p, lim);
    if (p->bytes == 0)
        return;
    assert_int_equal(p->start, a->at[from]);
    assert_int_equal(p->mem, a->mem_at[from]);
    assert_int_equal(p->contig, is_contig(a, from, from + p->bytes));
    check_pattern(a, from, p, shift);
}

static void test_describe(void **state)
{
    struct rng rng = rng_begin();
    static struct access a;
    struct adl_pattern *pat;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < CASES; i++) {
        int64_t from = 0, shift = rng_in(&rng, 0, 30);

        pick_access(&rng, &a);
        while (from < a.bytes) {
            struct adl_pack_limit lim = {
                a.at[from] + rng_in(&rng, 0, 400), rng_in(&rng, 1, 300),
                rng_chance(&rng, 50) ? rng_in(&rng, 1, 5) : 1000};
            struct adl_pack p;

            assert_int_equal(adl_pack_describe(&a.ext, shift, &lim, pat, &p),
                             0);
            check_pack(&a, from, &p, &lim, shift);
            from += p.bytes;
            assert_true(adl_extents_at(&a.ext) ==
                        (from < a.bytes ? a.at[from] : INT64_MAX));
        }
    }
    adl_pattern_destroy(pat);
}

/* A view for reading may come back to what it has passed. */
static void test_describe_again(void **state)
{
    int64_t off = 0, len = 10;
    struct adl_tile tile = {&off, &len, 1, 4, 10};
    struct adl_pack_limit lim = {1000, 1000, 1000};
    struct adl_pattern *pat;
    struct adl_extents ext;
    struct adl_pack p;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    adl_extents_begin(&ext, &tile, 100, 0, NULL, 25);
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(adl_pack_describe(&ext, -100, &lim, pat, &p), 0);
        assert_int_equal(p.start, 100 + 4 * i);
        assert_int_equal(p.mem, 10 * i);
        assert_int_equal(p.bytes, i < 2 ? 10 : 5);
    }
    assert_int_equal(adl_pack_describe(&ext, -100, &lim, pat, &p), 0);
    assert_int_equal(p.bytes, 0);
    assert_int_equal(p.pattern_size, 0);
    adl_pattern_destroy(pat);
}

/* What cannot be described is not taken. */
static void test_describe_fails(void **state)
{
    struct adl_pack_limit lim = {1000, 1000, 1000};
    struct adl_pattern *pat;
    struct adl_extents ext;
    struct adl_pack p;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    adl_extents_begin(&ext, NULL, 100, 0, NULL, 25);
    assert_true(adl_pack_describe(&ext, -101, &lim, pat, &p) < 0);
    assert_int_equal(adl_extents_at(&ext), 100);
    assert_int_equal(adl_pack_describe(&ext, -100, &lim, pat, &p), 0);
    assert_int_equal(p.bytes, 25);
    adl_pattern_destroy(pat);
}

/* ---- there and back ---- */

/* An access in one window whose memory is exactly as long as it must be. */
struct transfer {
    struct access a;
    struct adl_extents begin;
    struct adl_pattern *pat;
    struct adl_pack pack;
    struct adl_runs_of runs;
    char *window, *packed;
};

static char *noise(struct rng *rng, int64_t n)
{
    char *bytes = malloc((size_t)n);

    assert_non_null(bytes);
    for (int64_t i = 0; i < n; i++)
        bytes[i] = (char)rng_next(rng);
    return bytes;
}

static void transfer_begin(struct rng *rng, struct transfer *t)
{
    struct adl_pack_limit lim = {INT64_MAX, NO_LIMIT, NO_LIMIT};

    pick_access(rng, &t->a);
    t->begin = t->a.ext;
    assert_int_equal(adl_pattern_create(&t->pat), 0);
    assert_int_equal(
        adl_pack_describe(&t->a.ext, -t->a.at[0], &lim, t->pat, &t->pack), 0);
    assert_int_equal(t->pack.bytes, t->a.bytes);
    t->runs = (struct adl_runs_of){t->pack.pattern, t->pack.pattern_size,
                                   t->a.at[t->a.bytes - 1] + 1 - t->a.at[0], 0};
    t->window = noise(rng, t->runs.window);
    t->packed = noise(rng, t->a.bytes);
}

static void transfer_end(struct transfer *t)
{
    adl_pattern_destroy(t->pat);
    free(t->window);
    free(t->packed);
}

static int64_t place_in_window(const struct transfer *t, int64_t i)
{
    return t->a.at[i] - t->a.at[0];
}

static void check_cover(const struct transfer *t, struct adl_cover *cover)
{
    int64_t i = 0;

    for (int64_t b = 0; b < t->runs.window; b++) {
        int there = i < t->a.bytes && place_in_window(t, i) == b;

        assert_int_equal(adl_cover_full(cover, b, 1), there);
        i += there;
    }
}

static void check_write(struct transfer *t)
{
    uint64_t bits[MEMORY / 64] = {0}, marks[MEMORY / 64] = {0};
    struct adl_cover cover, marked;
    struct adl_extents ext = t->begin;
    char *want = malloc((size_t)t->runs.window);
    int64_t sum;

    assert_non_null(want);
    assert_true(t->runs.window <= MEMORY - 64);
    memcpy(want, t->window, (size_t)t->runs.window);
    adl_cover_init(&cover, bits, t->runs.window, 0);
    adl_cover_init(&marked, marks, t->runs.window, 0);
    adl_pack_from_user(&ext, INT64_MAX, t->a.user, t->packed, t->a.bytes);
    assert_int_equal(adl_extents_at(&ext), INT64_MAX);
    for (int64_t i = 0; i < t->a.bytes; i++)
        want[place_in_window(t, i)] = t->a.user[t->a.mem_at[i]];
    assert_int_equal(
        adl_pack_scatter(&t->runs, t->packed, t->a.bytes, t->window, &cover),
        0);
    assert_memory_equal(t->window, want, (size_t)t->runs.window);
    check_cover(t, &cover);
    assert_int_equal(adl_pack_mark(&t->runs, &marked, &sum), 0);
    assert_int_equal(sum, t->a.bytes);
    check_cover(t, &marked);
    free(want);
}

static void check_read(struct rng *rng, struct transfer *t)
{
    struct adl_extents ext = t->begin;
    static char user[MEMORY], want[MEMORY];
    int64_t some = rng_in(rng, 0, t->a.bytes);

    memcpy(user, t->a.user, MEMORY);
    memcpy(want, t->a.user, MEMORY);
    assert_int_equal(
        adl_pack_gather(&t->runs, t->window, t->packed, t->a.bytes), 0);
    for (int64_t i = 0; i < t->a.bytes; i++)
        want[t->a.mem_at[i]] = t->window[place_in_window(t, i)];
    /* in two portions, as it may come */
    adl_pack_to_user(&ext, INT64_MAX, user, t->packed, some);
    adl_pack_to_user(&ext, INT64_MAX, user, t->packed + some,
                     t->a.bytes - some);
    assert_memory_equal(user, want, MEMORY);
}

/* Some of the runs' bytes are covered, or all of them. */
static void check_covered(struct rng *rng, struct transfer *t)
{
    int64_t cut = rng_in(rng, 0, t->runs.window), before = 0;
    uint64_t bits[MEMORY / 64] = {0};
    struct adl_cover cover;

    adl_cover_init(&cover, bits, t->runs.window, 0);
    for (int64_t i = 0; i < t->a.bytes; i++)
        if (place_in_window(t, i) < cut) {
            adl_cover_add(&cover, place_in_window(t, i), 1);
            before++;
        }
    assert_int_equal(adl_pack_before(&t->runs, cut), before);
    assert_int_equal(adl_pack_covered(&t->runs, &cover), before == t->a.bytes);
}

static void check_single(const struct transfer *t)
{
    int64_t len = -1, at = adl_pack_single(&t->runs, &len);
    int single = count_runs(&t->a, 0, t->a.bytes) == 1;

    assert_int_equal(at, single ? 0 : -1);
    if (single)
        assert_int_equal(len, t->a.bytes);
}

static void test_transfer(void **state)
{
    struct rng rng = rng_begin();
    static struct transfer t;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        transfer_begin(&rng, &t);
        check_write(&t);
        for (int64_t k = 0; k < t.runs.window; k++)
            t.window[k] = (char)rng_next(&rng);
        check_read(&rng, &t);
        check_covered(&rng, &t);
        check_single(&t);
        transfer_end(&t);
    }
}

/* A piece at the end stays for the next cell. */
static void test_user_end(void **state)
{
    const char user[] = "abcdefghij";
    char packed[] = "..........", back[] = "..........";
    struct adl_extents ext;

    (void)state;
    adl_extents_begin(&ext, NULL, 50, 0, NULL, 10);
    adl_pack_from_user(&ext, 54, user, packed, 10);
    assert_string_equal(packed, "abcd......");
    adl_pack_from_user(&ext, 60, user, packed + 4, 3);
    assert_string_equal(packed, "abcdefg...");
    assert_int_equal(adl_extents_at(&ext), 57);
    adl_extents_begin(&ext, NULL, 50, 0, NULL, 10);
    adl_pack_to_user(&ext, 54, back, user, 10);
    assert_string_equal(back, "abcd......");
    assert_int_equal(adl_extents_at(&ext), 54);
}

/* ---- descriptions that do not fit ---- */

static void expect_refused(struct transfer *t, const struct adl_runs_of *runs,
                           int64_t bytes)
{
    assert_int_equal(adl_pack_gather(runs, t->window, t->packed, bytes),
                     -EPROTO);
    assert_int_equal(adl_pack_scatter(runs, t->packed, bytes, t->window, NULL),
                     -EPROTO);
}

/* Too few bytes, too many, a window that is too short, half a description. */
static void test_refused(void **state)
{
    struct rng rng = rng_begin();
    static struct transfer t;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct adl_runs_of shorter;
        uint64_t bits[MEMORY / 64] = {0};
        struct adl_cover cover;
        int64_t sum, len;

        transfer_begin(&rng, &t);
        expect_refused(&t, &t.runs, t.a.bytes - 1);
        t.packed = realloc(t.packed, (size_t)t.a.bytes + 1);
        t.packed[t.a.bytes] = 0;
        expect_refused(&t, &t.runs, t.a.bytes + 1);
        shorter = t.runs;
        shorter.window--;
        adl_cover_init(&cover, bits, shorter.window, 0);
        expect_refused(&t, &shorter, t.a.bytes);
        assert_int_equal(adl_pack_mark(&shorter, &cover, &sum), -EPROTO);
        shorter = t.runs;
        shorter.size = (size_t)rng_in(&rng, 0, (int64_t)t.runs.size - 1);
        expect_refused(&t, &shorter, t.a.bytes);
        if (shorter.size == 0)
            assert_int_equal(adl_pack_single(&shorter, &len), -1);
        transfer_end(&t);
    }
}

/* Runs that are marked must fit the unit: half a unit is not there. */
static void test_unaligned(void **state)
{
    static const struct {
        int64_t off, len;
        int rc;
    } row[] = {{0, 4, 0}, {4, 8, 0}, {2, 4, -EPROTO}, {4, 3, -EPROTO}};
    char window[16] = {0}, packed[16] = {0};
    struct adl_pattern *pat;
    uint64_t bits = 0;
    struct adl_cover cover;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    adl_cover_init(&cover, &bits, sizeof(window), 2);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct adl_runs_of runs = {.window = sizeof(window)};
        int64_t sum;

        bits = 0;
        adl_pattern_reset(pat);
        assert_int_equal(adl_pattern_add(pat, row[i].off, row[i].len), 0);
        assert_int_equal(adl_pattern_finish(pat, &runs.pattern, &runs.size), 0);
        assert_int_equal(adl_pack_mark(&runs, &cover, &sum), row[i].rc);
        assert_int_equal(bits != 0, row[i].rc == 0);
        assert_int_equal(
            adl_pack_scatter(&runs, packed, row[i].len, window, &cover),
            row[i].rc);
        /* without marks any run will do */
        assert_int_equal(
            adl_pack_scatter(&runs, packed, row[i].len, window, NULL), 0);
    }
    adl_pattern_destroy(pat);
}

/* Random bytes as a description: never outside the memory that is there. */
static void test_noise(void **state)
{
    struct rng rng = rng_begin();
    int64_t good = 0;

    (void)state;
    for (int i = 0; i < 10 * CASES; i++) {
        int64_t size = rng_in(&rng, 0, 12), window = rng_in(&rng, 1, 200);
        int64_t low = rng_chance(&rng, 50) ? rng_in(&rng, 0, window) : 0;
        char *pattern = noise(&rng, size + 1);
        char *win = noise(&rng, window - low + 1);
        struct adl_runs_of runs = {pattern, (size_t)size, window, low};
        uint64_t bits[4] = {0};
        struct adl_cover cover;
        int64_t bytes;
        char *packed;
        int rc;

        /* small numbers are more likely to mean something */
        for (int64_t k = 0; k < size; k++)
            pattern[k] &= rng_chance(&rng, 90) ? 0x0f : 0xff;
        adl_cover_init(&cover, bits, window, 0);
        rc = adl_pack_mark(&runs, &cover, &bytes);
        assert_true(rc == -EPROTO || (rc == 0 && bytes <= window));
        packed = noise(&rng, bytes + 1);
        assert_int_equal(
            adl_pack_scatter(&runs, packed, bytes, win - low, &cover), rc);
        assert_int_equal(adl_pack_gather(&runs, win - low, packed, bytes), rc);
        /* nothing below `low` was touched */
        assert_true(rc < 0 || adl_pack_before(&runs, low) == 0);
        assert_true(adl_pack_single(&runs, &bytes) == -1 ||
                    adl_pack_single(&runs, &bytes) >= low);
        good += rc == 0;
        free(pattern);
        free(win);
        free(packed);
    }
    printf("# %" PRId64 " of %d made sense\n", good, 10 * CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_describe_again),
        cmocka_unit_test(test_describe_fails),
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_user_end),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_noise),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
