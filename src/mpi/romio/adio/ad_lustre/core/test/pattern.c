/* pattern.c - test of core/pattern */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../messages/pattern.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define MAX_RUNS 3000
#define CASES 3000
#define HOSTILE 200000

struct run {
    int64_t off, len;
};

struct list {
    int n;
    struct run run[MAX_RUNS];
};

/* The list as it should come back: touching runs are one. */
static void list_add(struct list *list, int64_t off, int64_t len)
{
    struct run *last = list->n ? &list->run[list->n - 1] : NULL;

    if (!len)
        return;
    if (last && last->off + last->len == off) {
        last->len += len;
        return;
    }
    assert_true(list->n < MAX_RUNS);
    list->run[list->n++] = (struct run){off, len};
}

static void check_decode(const void *bytes, size_t size,
                         const struct list *want)
{
    const struct run *last = &want->run[want->n ? want->n - 1 : 0];
    int64_t limit = want->n ? last->off + last->len : 0;
    struct adl_pattern_iter it;
    int64_t off, len;
    int i;

    adl_pattern_open(&it, bytes, size, limit);
    for (i = 0; i < want->n; i++) {
        assert_int_equal(adl_pattern_next(&it, &off, &len), 1);
        if (off != want->run[i].off || len != want->run[i].len)
            fail_msg("run %d: (%" PRId64 ", %" PRId64 "), not (%" PRId64
                     ", %" PRId64 ")",
                     i, off, len, want->run[i].off, want->run[i].len);
    }
    assert_int_equal(adl_pattern_next(&it, &off, &len), 0);
    assert_int_equal(adl_pattern_next(&it, &off, &len), 0);
    if (!want->n)
        return;
    /* one byte less and the last run does not fit */
    adl_pattern_open(&it, bytes, size, limit - 1);
    for (i = 0; i <= want->n && adl_pattern_next(&it, &off, &len) == 1; i++)
        ;
    assert_true(i < want->n);
    assert_int_equal(adl_pattern_next(&it, &off, &len), -EPROTO);
}

static size_t round_trip(struct adl_pattern *pat, const struct list *list)
{
    const void *bytes;
    size_t size;

    adl_pattern_reset(pat);
    for (int i = 0; i < list->n; i++)
        assert_int_equal(
            adl_pattern_add(pat, list->run[i].off, list->run[i].len), 0);
    assert_int_equal(adl_pattern_finish(pat, &bytes, &size), 0);
    check_decode(bytes, size, list);
    return size;
}

/* ---- what lists cost ---- */

/* Nested loops: dims inner first, 0 ends. Each repetition of the innermost
 * loop is a group, or single runs if it has fewer than four. */
struct shape {
    int64_t off, len;
    int64_t count[5], stride[5];
    size_t most; /* bytes */
};

static const struct shape shapes[] = {
    {0, 1, {0}, {0}, 2},
    {1000, 24, {0}, {0}, 3},
    {0, 8, {1000}, {16}, 6},
    {0, 8, {3}, {16}, 6},
    {5, 24, {10, 10}, {48, 1000}, 10 * 6},
    {0, 24, {2, 2}, {100, 1000}, 10},
    {768, 384, {16, 16, 8}, {1024, 32768, 1048576}, 128 * 8},
    {0, 7, {3, 5, 7, 11}, {10, 100, 1000, 10000}, 1155 * 3},
    {3, 1, {2, 3, 4, 5, 6}, {3, 10, 100, 1000, 10000}, 720 * 3},
    {3, 1, {4, 3, 4, 5}, {3, 20, 100, 1000}, 60 * 6},
};

static void fill_shape(struct list *list, const struct shape *s)
{
    int64_t at[5] = {0};
    int k;

    list->n = 0;
    do {
        int64_t off = s->off;

        for (k = 0; k < 5; k++)
            off += at[k] * s->stride[k];
        list_add(list, off, s->len);
        for (k = 0; k < 5 && s->count[k] && ++at[k] == s->count[k]; k++)
            at[k] = 0;
    } while (k < 5 && s->count[k]);
}

static void test_regular(void **state)
{
    static struct list list;
    struct adl_pattern *pat;
    size_t size;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        fill_shape(&list, &shapes[i]);
        size = round_trip(pat, &list);
        if (size > shapes[i].most)
            fail_msg("shape %zu: %d runs in %zu bytes, not %zu", i, list.n,
                     size, shapes[i].most);
    }
    adl_pattern_destroy(pat);
}

/* Pieces of 8 to 64 bytes at random: a few bytes each. */
static void test_irregular(void **state)
{
    static struct list list;
    struct rng rng = rng_begin();
    struct adl_pattern *pat;
    int64_t at = 0;
    size_t size;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    while (list.n < MAX_RUNS) {
        int64_t len = rng_in(&rng, 1, 7) * 8;

        at += rng_in(&rng, 1, 1000);
        list_add(&list, at, len);
        at += len;
    }
    size = round_trip(pat, &list);
    print_message("# %d irregular runs in %zu bytes\n", list.n, size);
    assert_true(size <= 3 * MAX_RUNS);
    adl_pattern_destroy(pat);
}

static void test_contract(void **state)
{
    struct adl_pattern *pat;
    struct adl_pattern_iter it;
    int64_t off, len;
    const void *bytes = NULL;
    size_t size = 1;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    assert_int_equal(adl_pattern_finish(pat, &bytes, &size), 0);
    assert_int_equal(size, 0);
    adl_pattern_reset(pat);
    assert_int_equal(adl_pattern_add(pat, 10, 5), 0);
    assert_int_equal(adl_pattern_add(pat, 14, 5), -EINVAL);
    assert_int_equal(adl_pattern_add(pat, 20, -1), -EINVAL);
    assert_int_equal(adl_pattern_add(pat, INT64_MAX, 1), -EINVAL);
    assert_int_equal(adl_pattern_add(pat, 3, 0), 0);
    assert_int_equal(adl_pattern_add(pat, 15, 5), 0);
    assert_int_equal(adl_pattern_finish(pat, &bytes, &size), 0);
    check_decode(bytes, size, &(struct list){1, {{10, 10}}});
    adl_pattern_destroy(pat);
    adl_pattern_destroy(NULL);
    adl_pattern_open(&it, "", 0, -1);
    assert_int_equal(adl_pattern_next(&it, &off, &len), -EPROTO);
    adl_pattern_open(&it, NULL, 1, 100);
    assert_int_equal(adl_pattern_next(&it, &off, &len), -EPROTO);
}

/* ---- random lists ---- */

/* A list of parts, each regular in itself or not at all. */
static void random_list(struct rng *rng, struct list *list)
{
    int64_t at = rng_in(rng, 0, 5), len = rng_in(rng, 1, 300), gap, row;
    int parts = (int)rng_in(rng, 0, 30), n, columns;

    list->n = 0;
    for (int i = 0; i < parts; i++) {
        columns = (int)rng_in(rng, 1, 5);
        n = columns * (int)rng_in(rng, 1, 12);
        if (rng_chance(rng, 50))
            len = rng_in(rng, 1, 300);
        gap = rng_in(rng, 0, 200);
        row = rng_chance(rng, 70) ? rng_in(rng, 0, 100000) : gap;
        for (int k = 0; k < n; k++) {
            if (rng_chance(rng, 5))
                len = rng_in(rng, 0, 300);
            list_add(list, at, len);
            at += len + (k % columns == columns - 1 ? row : gap);
        }
        if (rng_chance(rng, 10))
            at += rng_in(rng, 0, INT64_C(1) << 50);
    }
}

static void test_random(void **state)
{
    static struct list list;
    struct rng rng = rng_begin();
    struct adl_pattern *pat;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < CASES; i++) {
        random_list(&rng, &list);
        round_trip(pat, &list);
    }
    adl_pattern_destroy(pat);
}

/* ---- bytes from a stranger ---- */

/* Whatever comes out is ascending and inside, and comes to an end. */
static int decode_hostile(const void *bytes, size_t size, int64_t limit)
{
    struct adl_pattern_iter it;
    int64_t off, len, at = 0;
    int rc;

    adl_pattern_open(&it, bytes, size, limit);
    while ((rc = adl_pattern_next(&it, &off, &len)) == 1) {
        assert_true(off >= at && len > 0 && len <= limit - off);
        at = off + len;
    }
    assert_true(rc == 0 || rc == -EPROTO);
    assert_int_equal(adl_pattern_next(&it, &off, &len), rc);
    return rc;
}

static void test_broken(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
    } rows[] = {
        {"\x01", 1},             /* no length */
        {"\x80", 1},             /* integer goes on */
        {"\x00\x00", 2},         /* run of length 0 */
        {"\x64\x02", 2},         /* at the limit */
        {"\x63\x04", 2},         /* over the limit */
        {"\x00\x03", 2},         /* no count */
        {"\x00\x03\x04", 3},     /* no gap */
        {"\x00\x03\x00\x01", 4}, /* no run */
        {"\x00\x03\x33\x01", 4}, /* 51 * 2 - 1 > 100 */
        {"\x00\x03\x02\x63", 4}, /* 1 + 99 + 1 > 100 */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x02", 10},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02", 11},
        {"\x00\x03\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 12},
        {"\x00\x03\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00", 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *exact = malloc(rows[i].size); /* so that a checker sees overrun */

        memcpy(exact, rows[i].bytes, rows[i].size);
        if (decode_hostile(exact, rows[i].size, 100) != -EPROTO)
            fail_msg("row %zu was accepted", i);
        free(exact);
    }
}

/* True bytes with a few changed, and bytes from nowhere. */
static void test_hostile(void **state)
{
    static struct list list;
    struct rng rng = rng_begin();
    struct adl_pattern *pat;
    unsigned char bytes[64];
    const void *encoded;
    size_t size;
    int n;

    (void)state;
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < HOSTILE; i++) {
        if (i % 1000 == 0) {
            random_list(&rng, &list);
            adl_pattern_reset(pat);
            for (n = 0; n < list.n; n++)
                adl_pattern_add(pat, list.run[n].off, list.run[n].len);
            assert_int_equal(adl_pattern_finish(pat, &encoded, &size), 0);
        }
        n = (int)rng_in(&rng, 0, sizeof(bytes));
        for (size_t k = 0; k < (size_t)n; k++)
            bytes[k] = (unsigned char)rng_next(&rng);
        if (rng_chance(&rng, 50) && size > 0) {
            n = size < sizeof(bytes) ? (int)size : (int)sizeof(bytes);
            memcpy(bytes, encoded, (size_t)n);
            for (size_t k = (size_t)rng_in(&rng, 0, 3); k > 0; k--)
                bytes[rng_in(&rng, 0, n - 1)] = (unsigned char)rng_next(&rng);
        }
        decode_hostile(bytes, (size_t)n, rng_in(&rng, 0, 4000));
    }
    adl_pattern_destroy(pat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contract),  cmocka_unit_test(test_regular),
        cmocka_unit_test(test_irregular), cmocka_unit_test(test_random),
        cmocka_unit_test(test_broken),    cmocka_unit_test(test_hostile),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
