/* layout_fuzz.c - damaged layouts, seeded: an error or a layout that works,
 * never a crash. Run it under the sanitizers. ADL_FUZZ_ROUNDS and ADL_FUZZ_SEED
 * give another number of blobs, and others. */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../layout/layout.h"
#include "../layout/layspec.h"
#include "fixture.h"
#include "random.h"
#include "../../../../../../tools/layask.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* 0 <= x < n */
static int64_t rng_below(struct rng *r, int64_t n)
{
    return rng_in(r, 0, n - 1);
}

static const char *const fixtures[] = {FIXTURES};
#define NFIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

static const char *const specs[] = {
    "-o 3,1,3 -S 1M",
    "-E 1G -o 5-9 -p flash -E -1 -C -8",
    "-N -E 4M -c 1 -E -1 -c 4 -N -E 1M -L mdt -E -1 -c 2 -p slow",
    "-E 1G -z 64M -c 1 -E 4G -z 256M -c 4 -E -1 -c -1",
};
#define NSPECS (sizeof(specs) / sizeof(specs[0]))
#define NSEEDS (NFIXTURES + NSPECS)

struct seed {
    unsigned char *at;
    size_t len;
};

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

static void load(struct seed *seeds)
{
    char *buf = malloc(FIXTURE_MAX);

    for (size_t i = 0; i < NFIXTURES; i++) {
        seeds[i].len = fixture_read(fixtures[i], "bin", buf);
        seeds[i].at = malloc(seeds[i].len + 1);
        memcpy(seeds[i].at, buf, seeds[i].len);
    }
    for (size_t i = 0; i < NSPECS; i++) {
        struct adl_layout_spec s = {0};
        void *blob;

        assert_int_equal(adl_layout_spec_parse(specs[i], &s, NULL), 0);
        assert_int_equal(
            adl_layout_spec_encode(&s, &blob, &seeds[NFIXTURES + i].len, NULL),
            0);
        seeds[NFIXTURES + i].at = blob;
        adl_layout_spec_clear(&s);
    }
    free(buf);
}

/* Values that sit at the edge of something. */
static uint64_t edge(struct rng *r)
{
    static const uint64_t values[] = {
        0,         1,          2,          16,         31,         32,
        48,        0x40,       0x7fff,     0xffe0,     0xffff,     0x10000,
        0x10001,   0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX, 1ull << 63,
        INT64_MAX, 0x0BD10BD0, 0x0BD30BD0, 0x0BD50BD0, 0x0BD60BD0, 0x0BD70BD0};

    return values[rng_below(r, sizeof(values) / sizeof(values[0]))];
}

static void damage(struct rng *r, unsigned char *b, size_t *len)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t w = widths[rng_below(r, 4)], at;
    uint64_t v;

    if (rng_below(r, 12) == 0)
        *len = (size_t)rng_below(r, (int64_t)*len + 1);
    if (*len < 8)
        return;
    at = (size_t)rng_below(r, (int64_t)(*len - w + 1)) / w * w;
    switch (rng_below(r, 4)) {
    case 0:
        b[at] ^= (unsigned char)(1 << rng_below(r, 8));
        break;
    case 1:
        v = edge(r);
        memcpy(b + at, &v, w);
        break;
    case 2:
        v = rng_next(r);
        memcpy(b + at, &v, w);
        break;
    default:
        memmove(b + at, b + rng_below(r, (int64_t)(*len - w + 1)), w);
    }
}

/* Everything one can ask of a layout, and both ways of writing it. */
static void use_mapping(struct rng *r, const struct adl_layout *l)
{
    struct adl_place p;
    struct adl_home home;
    int64_t off, row_off;

    for (int i = 0; i < 4; i++) {
        off = rng_below(r, i < 2 ? 1ll << 32 : INT64_MAX);
        adl_layout_locate(l, off, &p);
        if (p.end <= off || p.number >= adl_layout_objects(l) || p.object < 0)
            fail_msg("%lld lies in a piece that ends at %lld", (long long)off,
                     (long long)p.end);
        adl_layout_home(l, p.number, &home);
        assert_int_equal(adl_layask_offset(l, p.number, p.row, &row_off), 0);
        assert_true(row_off <= off);
        if (p.end < ADL_LAYOUT_EOF)
            adl_layout_next_stripe(l, &p);
    }
}

static void use_encode(const struct adl_layout *l)
{
    struct adl_layout *back = NULL;
    void *blob, *again;
    size_t len, len2;

    assert_int_equal(adl_layout_encode(l, &blob, &len), 0);
    assert_int_equal(adl_layout_decode(blob, len, NULL, &back, NULL), 0);
    assert_int_equal(adl_layout_encode(back, &again, &len2), 0);
    assert_int_equal(len, len2);
    assert_memory_equal(blob, again, len);
    free(blob);
    free(again);
    adl_layout_destroy(back);
}

static int one(struct rng *r, const struct seed *seed)
{
    unsigned char *work = malloc(seed->len + 1), *exact;
    size_t len = seed->len;
    struct adl_layout *l = NULL;
    struct adl_err err = {""};
    int rc, n = 1 + (int)rng_below(r, 4);

    memcpy(work, seed->at, len);
    while (n--)
        damage(r, work, &len);
    exact = malloc(len ? len : 1);
    memcpy(exact, work, len);
    rc = adl_layout_decode(exact, len, NULL, &l, &err);
    free(exact);
    free(work);
    if (rc) {
        assert_int_equal(rc, -EINVAL);
        assert_null(l);
        assert_true(err.text[0]);
        return 0;
    }
    if (adl_layout_mapped(l))
        use_mapping(r, l);
    use_encode(l);
    adl_layout_destroy(l);
    return 1;
}

static void test_decode(void **state)
{
    long i, rounds = setting("ADL_FUZZ_ROUNDS", 200000), good = 0;
    struct rng r = {(uint64_t)setting("ADL_FUZZ_SEED", 1) | 1ull << 40};
    struct seed seeds[NSEEDS];

    (void)state;
    load(seeds);
    for (i = 0; i < rounds; i++)
        good += one(&r, &seeds[rng_below(&r, NSEEDS)]);
    print_message("# %ld damaged layouts, %ld still decode\n", rounds, good);
    assert_true(good > rounds / 20 && good < rounds * 19 / 20);
    for (i = 0; i < (long)NSEEDS; i++)
        free(seeds[i].at);
}

/* Options in any order, values good and bad. */
/* clang-format off */
static const char *const words[] = {
    "-E", "-c", "-C", "-S", "-i", "-o", "-p", "-L", "-z", "-N", "-1", "EOF",
    "4M", "64k", "1", "0,1,2", "3-9", "mdt", "0", "2000", "x", "-c4", "-",
    "0-70000", "4G", "1T", "--pool", "raid0", "--stripe-size=1M", "8E",
    "pool", "-32", ",", "0,0",
};
/* clang-format on */

static void test_spec(void **state)
{
    struct rng r = {99};
    long good = 0;

    (void)state;
    for (long i = 0; i < 50000; i++) {
        struct adl_layout_spec s = {0};
        char text[160] = "", again[4096];
        int n = 1 + (int)rng_below(&r, 10);
        struct adl_err err = {""};
        void *blob;
        size_t len;

        while (n--) {
            strcat(text, words[rng_below(&r, sizeof(words) / sizeof(*words))]);
            strcat(text, " ");
        }
        if (adl_layout_spec_parse(text, &s, &err)) {
            assert_true(err.text[0]);
            continue;
        }
        good++;
        if (adl_layout_spec_encode(&s, &blob, &len, &err))
            fail_msg("\"%s\": %s", text, err.text);
        free(blob);
        adl_layout_spec_format(&s, again, sizeof(again));
        adl_layout_spec_clear(&s);
        if (adl_layout_spec_parse(again, &s, &err))
            fail_msg("\"%s\" becomes \"%s\": %s", text, again, err.text);
        adl_layout_spec_clear(&s);
    }
    print_message("# %ld of 50000 option strings are layouts\n", good);
    assert_true(good > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_spec),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
