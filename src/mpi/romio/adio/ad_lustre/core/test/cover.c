/* cover.c - test of core/cover
 *
 * First a table, for the borders one can think of; then random marks against a
 * model that keeps one char a byte; then two threads, for the atomic part.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/cover.h"
#include "random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MAX_SIZE 4096
#define CASES 3000

/* ---- the table: marks, and the runs that come out ---- */

#define RANGES 4
struct range {
    int64_t start, len;
};

static const struct {
    int64_t size;
    int shift;
    struct range add[RANGES];
    struct range want[RANGES]; /* up to the first of length 0 */
} cases[] = {
    {64, 0, {{0, 0}}, {{0, 0}}},
    {1, 0, {{0, 1}}, {{0, 1}}},
    {64, 0, {{0, 64}}, {{0, 64}}},
    {64, 0, {{63, 1}}, {{63, 1}}},
    {128, 0, {{63, 2}}, {{63, 2}}},
    {128, 0, {{64, 64}}, {{64, 64}}},
    {192, 0, {{1, 190}}, {{1, 190}}},
    {192, 0, {{0, 64}, {128, 64}}, {{0, 64}, {128, 64}}},
    {192, 0, {{0, 65}, {127, 65}}, {{0, 65}, {127, 65}}},
    /* neighbours join, in any order; overlaps and repeats do no harm */
    {128, 0, {{60, 10}, {50, 10}}, {{50, 20}}},
    {128, 0, {{0, 100}, {20, 100}, {0, 100}}, {{0, 120}}},
    {100, 0, {{3, 1}, {5, 1}, {4, 0}}, {{3, 1}, {5, 1}}},
    /* units of more than a byte */
    {4096, 6, {{64, 128}, {256, 64}}, {{64, 128}, {256, 64}}},
    {1 << 24, 16, {{0, 1 << 22}}, {{0, 1 << 22}}},
    {1 << 24, 16, {{0, 1 << 24}}, {{0, 1 << 24}}},
};

static void make(struct adl_cover *cover, int64_t size, int shift)
{
    void *memory = malloc(adl_cover_memory(size, shift) + 8);

    assert_non_null(memory);
    memset(memory, 0xa5, adl_cover_memory(size, shift) + 8);
    memset(memory, 0, adl_cover_memory(size, shift));
    adl_cover_init(cover, memory, size, shift);
}

/* Also checks that nothing was written behind the bits. */
static void drop(struct adl_cover *cover)
{
    size_t words = adl_cover_memory(cover->size, cover->shift) / 8;

    assert_true(cover->word[words] == UINT64_C(0xa5a5a5a5a5a5a5a5));
    free(cover->word);
}

static void check_runs(const struct adl_cover *cover, const struct range *want,
                       size_t row)
{
    int64_t from = 0, start = -1, len = -1;

    for (int i = 0; i < RANGES && want[i].len; i++) {
        if (!adl_cover_next(cover, from, INT64_MAX, &start, &len) ||
            start != want[i].start || len != want[i].len)
            fail_msg("row %zu, run %d: start %" PRId64 " len %" PRId64, row, i,
                     start, len);
        from = start + len;
    }
    if (adl_cover_next(cover, from, INT64_MAX, &start, &len))
        fail_msg("row %zu: a run too many at %" PRId64, row, start);
}

static void test_table(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
        struct adl_cover direct, drawn;
        struct adl_cover_pen pen;

        make(&direct, cases[row].size, cases[row].shift);
        make(&drawn, cases[row].size, cases[row].shift);
        adl_cover_pen_begin(&pen, &drawn);
        for (int i = 0; i < RANGES; i++) {
            const struct range *add = &cases[row].add[i];

            adl_cover_add(&direct, add->start, add->len);
            adl_cover_pen_add(&pen, add->start, add->len);
        }
        adl_cover_pen_flush(&pen);
        check_runs(&direct, cases[row].want, row);
        check_runs(&drawn, cases[row].want, row);
        drop(&direct);
        drop(&drawn);
    }
}

static void test_memory(void **state)
{
    (void)state;
    assert_int_equal(adl_cover_memory(0, 0), 0);
    assert_int_equal(adl_cover_memory(1, 0), 8);
    assert_int_equal(adl_cover_memory(64, 0), 8);
    assert_int_equal(adl_cover_memory(65, 0), 16);
    assert_int_equal(adl_cover_memory(INT64_C(1) << 40, 20), 131072);
    assert_int_equal(adl_cover_memory(16 << 20, 0), 2 << 20);
}

/* ---- random marks against a char a byte ---- */

struct model {
    struct adl_cover cover;
    char byte[MAX_SIZE];
};

/* A range on unit borders, small ones more often. */
static struct range pick(struct rng *rng, const struct adl_cover *cover)
{
    int64_t units = cover->size >> cover->shift;
    int64_t most = rng_chance(rng, 70) ? 8 : units;
    struct range r;

    r.start = rng_in(rng, 0, units);
    r.len = rng_in(rng, 0, most);
    if (r.len > units - r.start)
        r.len = units - r.start;
    r.start <<= cover->shift;
    r.len <<= cover->shift;
    return r;
}

static void mark_random(struct rng *rng, struct model *m)
{
    struct adl_cover_pen pen;
    int n = (int)rng_in(rng, 0, 40);

    adl_cover_pen_begin(&pen, &m->cover);
    for (int i = 0; i < n; i++) {
        struct range r = pick(rng, &m->cover);
        int what = (int)rng_in(rng, 0, 9);

        memset(m->byte + r.start, what > 0, (size_t)r.len);
        if (what == 0) {
            adl_cover_pen_flush(&pen);
            adl_cover_remove(&m->cover, r.start, r.len);
        } else if (what < 5) {
            adl_cover_add(&m->cover, r.start, r.len);
        } else {
            adl_cover_pen_add(&pen, r.start, r.len);
        }
    }
    adl_cover_pen_flush(&pen);
}

static void check_full(struct rng *rng, const struct model *m)
{
    for (int i = 0; i < 8; i++) {
        struct range r = pick(rng, &m->cover);
        int hole = !!memchr(m->byte + r.start, 0, (size_t)r.len);

        if (adl_cover_full(&m->cover, r.start, r.len) == hole)
            fail_msg("full at %" PRId64 " len %" PRId64 " is %d", r.start,
                     r.len, !hole);
    }
}

static void check_next(struct rng *rng, const struct model *m)
{
    struct range r = pick(rng, &m->cover);
    int64_t from = r.start, limit = r.start + r.len, start, len;

    while (adl_cover_next(&m->cover, from, limit, &start, &len)) {
        assert_true(len > 0 && start >= from && start + len <= limit);
        while (from < start)
            assert_int_equal(m->byte[from++], 0);
        while (from < start + len)
            assert_int_equal(m->byte[from++], 1);
        assert_true(from == limit || !m->byte[from]);
    }
    while (from < limit)
        assert_int_equal(m->byte[from++], 0);
}

/* The number of bytes from `at` on that are all `value`. */
static int64_t count_same(const struct model *m, int64_t at, int64_t limit,
                          int value)
{
    int64_t n = 0;

    while (at + n < limit && m->byte[at + n] == value)
        n++;
    return n;
}

/* Where the stretch that begins at `at` ends. */
static int64_t model_end(const struct model *m, int64_t at, int64_t limit,
                         int64_t gap)
{
    int64_t end = at + count_same(m, at, limit, 1);
    int64_t hole = count_same(m, end, limit, 0);

    while (end + hole < limit && hole < gap) {
        end += hole;
        end += count_same(m, end, limit, 1);
        hole = count_same(m, end, limit, 0);
    }
    return end;
}

static void check_stretch(struct rng *rng, const struct model *m)
{
    struct range r = pick(rng, &m->cover);
    int64_t from = r.start, limit = r.start + r.len, start, len;
    int64_t gap = rng_chance(rng, 20) ? INT64_MAX : rng_in(rng, 0, 200);

    while (adl_cover_stretch(&m->cover, from, limit, gap, &start, &len)) {
        assert_int_equal(start, from + count_same(m, from, limit, 0));
        from = model_end(m, start, limit, gap);
        assert_int_equal(start + len, from);
    }
    assert_int_equal(from + count_same(m, from, limit, 0), limit);
}

static void check_count(struct rng *rng, const struct model *m)
{
    struct range r = pick(rng, &m->cover);
    int most = (int)rng_in(rng, 0, 12), runs = 0;

    for (int64_t i = r.start; i < r.start + r.len; i++)
        runs += m->byte[i] && (i == r.start || !m->byte[i - 1]);
    assert_int_equal(adl_cover_runs(&m->cover, r.start, r.start + r.len, most),
                     runs < most ? runs : most);
}

static void test_random(void **state)
{
    struct rng rng = rng_begin();

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct model m = {.byte = {0}};
        int shift = (int)rng_in(&rng, 0, 4);

        make(&m.cover, rng_in(&rng, 0, MAX_SIZE >> shift) << shift, shift);
        mark_random(&rng, &m);
        check_full(&rng, &m);
        for (int k = 0; k < 4; k++) {
            check_next(&rng, &m);
            check_stretch(&rng, &m);
            check_count(&rng, &m);
        }
        drop(&m.cover);
    }
}

/* ---- two threads mark every other unit of the same words ---- */

#define SHARED_SIZE (1 << 18)
#define ROUNDS 64

struct marker {
    struct adl_cover *cover;
    pthread_barrier_t *start;
    int64_t first;
};

static void *mark_every_other(void *arg)
{
    struct marker *marker = arg;
    struct adl_cover_pen pen;

    adl_cover_pen_begin(&pen, marker->cover);
    pthread_barrier_wait(marker->start);
    for (int64_t at = marker->first; at < SHARED_SIZE; at += 2)
        if (at & 56)
            adl_cover_add(marker->cover, at, 1);
        else
            adl_cover_pen_add(&pen, at, 1);
    adl_cover_pen_flush(&pen);
    return NULL;
}

/* Plain instead of atomic ORs lose marks once both threads really run at the
 * same time: hence many rounds. */
static void test_threads(void **state)
{
    struct adl_cover cover;
    pthread_barrier_t start;
    struct marker even = {&cover, &start, 0}, odd = {&cover, &start, 1};
    pthread_t thread;

    (void)state;
    make(&cover, SHARED_SIZE, 0);
    assert_int_equal(pthread_barrier_init(&start, NULL, 2), 0);
    for (int i = 0; i < ROUNDS; i++) {
        adl_cover_remove(&cover, 0, SHARED_SIZE);
        assert_int_equal(pthread_create(&thread, NULL, mark_every_other, &even),
                         0);
        mark_every_other(&odd);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(adl_cover_full(&cover, 0, SHARED_SIZE));
    }
    pthread_barrier_destroy(&start);
    drop(&cover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_threads),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
