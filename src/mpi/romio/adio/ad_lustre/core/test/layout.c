/* layout.c - test of core/layout: decode, encode, pack, questions */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../layout/layout.h"
#include "../layout/layspec.h"
#include "fixture.h"
#include "../../../../../../tools/layask.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const fixtures[] = {FIXTURES};
#define NFIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

/* ---- captured layouts ---- */

static struct adl_layout *load(const char *name)
{
    char *buf = malloc(FIXTURE_MAX);
    size_t len = fixture_read(name, "bin", buf);
    struct adl_layout *l = NULL;
    struct adl_err err = {""};

    if (!len || adl_layout_decode(buf, len, NULL, &l, &err))
        fail_msg("%s: %zu bytes: %s", name, len, err.text);
    free(buf);
    return l;
}

static void test_round_trip(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    size_t len, out_len;
    void *out;

    (void)state;
    for (size_t i = 0; i < NFIXTURES; i++) {
        l = load(fixtures[i]);
        len = fixture_read(fixtures[i], "bin", buf);
        assert_int_equal(adl_layout_encode(l, &out, &out_len), 0);
        if (out_len != len || memcmp(out, buf, len))
            fail_msg("%s: encodes differently", fixtures[i]);
        free(out);
        adl_layout_destroy(l);
    }
    free(buf);
}

/* What the mapping and a display would ask. */
static const struct {
    const char *name;
    int composite, ncomps, mirrors, objects;
    int64_t size; /* stripe size and count at offset 0 */
    int count;
    int osts[8];
} facts[] = {
    {"default_touch", 0, 1, 1, 1, 4 << 20, 1, {0}},
    {"dir_all", 0, 1, 1, 1, 1 << 20, 1, {-1}},
    {"dir_pfl", 1, 3, 1, 7, 1 << 20, 1, {-1, -1, -1, -1, -1, -1, -1}},
    {"dir_pfl_child", 1, 3, 1, 7, 1 << 20, 1, {3, -1, -1, -1, -1, -1, -1}},
    {"dir_plain", 0, 1, 1, 2, 4 << 20, 2, {-1, -1}},
    {"dir_plain_child", 0, 1, 1, 2, 4 << 20, 2, {1, 2}},
    {"dir_pool", 0, 1, 1, 2, 1 << 20, 2, {-1, -1}},
    {"dom", 1, 2, 1, 5, 1 << 20, 1, {-1, -1, -1, -1, -1}},
    {"mirror_fresh", 1, 2, 2, 1, 4 << 20, 1, {2}},
    {"mirror_stale", 1, 2, 2, 1, 4 << 20, 1, {2}},
    {"ostlist3", 0, 1, 1, 3, 1 << 20, 3, {3, 1, 2}},
    {"ostlist8", 0, 1, 1, 8, 1 << 20, 8, {0, 1, 0, 2, 1, 2, 3, 3}},
    {"over8", 0, 1, 1, 8, 1 << 20, 8, {3, 0, 1, 2, 3, 0, 1, 2}},
    {"pfl_w5M", 1, 3, 1, 7, 1 << 20, 1, {2, 0, 1, -1, -1, -1, -1}},
    {"pfl_w100M", 1, 3, 1, 7, 1 << 20, 1, {3, 1, 2, 0, 1, 2, 3}},
    {"plain3_64K_i2", 0, 1, 1, 3, 65536, 3, {2, 3, 0}},
    {"pool2", 0, 1, 1, 2, 1 << 20, 2, {2, 1}},
    {"sel", 1, 4, 1, 5, 4 << 20, 1, {2, -1, -1, -1, -1}},
};

static void test_facts(void **state)
{
    struct adl_home home;
    int64_t size;
    int count;

    (void)state;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        struct adl_layout *l = load(facts[i].name);

        adl_layout_stripe(l, 0, &size, &count);
        if (adl_layout_head(l)->composite != facts[i].composite ||
            adl_layout_ncomponents(l) != facts[i].ncomps ||
            adl_layout_nmirrors(l) != facts[i].mirrors ||
            adl_layout_objects(l) != facts[i].objects ||
            size != facts[i].size || count != facts[i].count)
            fail_msg("%s: %d components, %d mirrors, %d objects, %lld x %d",
                     facts[i].name, adl_layout_ncomponents(l),
                     adl_layout_nmirrors(l), adl_layout_objects(l),
                     (long long)size, count);
        for (int k = 0; k < facts[i].objects; k++) {
            adl_layout_home(l, k, &home);
            if (home.ost != facts[i].osts[k])
                fail_msg("%s: object %d on OST %d", facts[i].name, k, home.ost);
        }
        adl_layout_destroy(l);
    }
}

static void test_components(void **state)
{
    struct adl_layout *l = load("pfl_w5M");
    const struct adl_component *c = adl_layout_component(l, 1);

    (void)state;
    assert_int_equal(c->id, 2);
    assert_int_equal(c->start, 4 << 20);
    assert_int_equal(c->end, 64 << 20);
    assert_int_equal(c->objects[1].ost, 1);
    assert_int_equal(c->objects[1].seq, 0x240000400);
    assert_int_equal(c->objects[1].oid, 0xa5);
    assert_int_equal(adl_layout_component(l, 2)->end, ADL_LAYOUT_EOF);
    assert_true(adl_layask_instantiated(l, 1));
    assert_false(adl_layask_instantiated(l, 2));
    assert_int_equal(adl_layout_head(l)->layout_gen, 4);
    adl_layout_destroy(l);

    l = load("mirror_stale");
    assert_int_equal(adl_component_mirror(adl_layout_component(l, 1)), 2);
    assert_true(adl_layout_component(l, 1)->flags & ADL_LCME_FL_STALE);
    adl_layout_destroy(l);

    l = load("pool2");
    assert_string_equal(adl_layout_component(l, 0)->pool, "fix");
    assert_true(adl_layask_instantiated(l, 0));
    adl_layout_destroy(l);
}

static void test_foreign(void **state)
{
    struct adl_layout *l = load("foreign");
    struct adl_lov_foreign head;
    const char *value = adl_layout_foreign(l, &head);

    (void)state;
    assert_non_null(value);
    assert_int_equal(head.length, 21);
    assert_int_equal(head.flags, 0xda08);
    assert_memory_equal(value, "fixture-foreign-value", 21);
    assert_false(adl_layout_mapped(l));
    assert_int_equal(adl_layout_objects(l), 0);
    adl_layout_destroy(l);
    l = load("plain1");
    assert_null(adl_layout_foreign(l, NULL));
    assert_true(adl_layout_mapped(l));
    adl_layout_destroy(l);
}

/* ---- built layouts, most of them broken ---- */

#define HEAD 32
#define ENTRY(i) (HEAD + 48 * (i))
#define E_FLAGS 4
#define E_START 8
#define E_END 16
#define E_OFFSET 24
#define E_SIZE 28

/* A captured layout, or what a spec makes, changed in a few places. */
static const struct {
    const char *what;
    const char *base;
    int keep; /* bytes, 0: all; negative: cut off so many; -9999: everything */
    struct {
        int at, width;
        uint64_t value;
    } change[3];
    const char *error; /* part of the text; NULL: it is fine */
} built[] = {
    /* plain */
    {"nothing", "plain4_1M", -9999, {{0}}, "truncated"},
    {"three bytes", "plain4_1M", 3, {{0}}, "truncated: 3 bytes of 4"},
    {"half a header", "plain4_1M", 31, {{0}}, "stripe header truncated"},
    {"one byte short", "plain4_1M", -1, {{0}}, "object list truncated"},
    {"one object short", "plain4_1M", -24, {{0}}, "104 bytes of 128"},
    {"template of a file", "plain4_1M", 32, {{0}}, NULL},
    {"half a pool", "pool2", 40, {{0}}, "40 bytes of 48"},
    {"unknown magic", "plain4_1M", 0, {{0, 4, 0x12345678}}, "0x12345678"},
    {"magic of other endian", "plain4_1M", 0, {{0, 4, 0xd00bd10b}}, "magic"},
    {"pattern RAID1", "plain4_1M", 0, {{4, 4, 2}}, "pattern 0x2"},
    {"overstriping alone", "plain4_1M", 0, {{4, 4, 0x200}}, "pattern 0x200"},
    {"overstriped", "plain4_1M", 0, {{4, 4, 0x201}}, NULL},
    {"compressed", "plain4_1M", 0, {{4, 4, 0x801}}, NULL},
    {"on MDT with objects", "plain4_1M", 0, {{4, 4, 0x100}}, "on MDT"},
    {"released", "plain4_1M", 32, {{4, 4, 0x80000001}}, NULL},
    {"stripe size 1000", "plain4_1M", 0, {{24, 4, 1000}}, "size 1000"},
    {"stripe size 96K", "plain4_1M", 0, {{24, 4, 98304}}, "size 98304"},
    {"stripe size 4G-64K", "plain4_1M", 0, {{24, 4, 0xffff0000}}, NULL},
    {"stripe size 0", "plain4_1M", 0, {{24, 4, 0}}, "stripe size 0"},
    {"size 0 in a template", "dir_plain", 0, {{24, 4, 0}}, NULL},
    {"count too large", "plain4_1M", 0, {{28, 2, 5}}, "128 bytes of 152"},
    {"count too small", "plain4_1M", 0, {{28, 2, 3}}, "24 bytes behind 3"},
    {"count 65535", "plain4_1M", 0, {{28, 2, 65535}}, "object list truncated"},
    {"template of 2001", "dir_plain", 0, {{28, 2, 2001}}, "count 2001"},
    {"template of 32 an OST", "dir_plain", 0, {{28, 2, 0xffe0}}, NULL},
    {"template just beyond", "dir_plain", 0, {{28, 2, 0xffdf}}, "count 65503"},
    {"OST 65535", "plain4_1M", 0, {{52, 4, 65535}}, "OST 0xffff"},
    {"OST 65534", "plain4_1M", 0, {{52, 4, 65534}}, NULL},
    {"a lost object", "plain4_1M", 0, {{52, 4, 0xffffffff}}, NULL},
    {"pool of 16", "pool2", 0, {{32, 8, -1}, {40, 8, -1}}, NULL},
    /* composite */
    {"half a head", "pfl_full", 20, {{0}}, "composite header truncated"},
    {"one byte short", "pfl_full", -1, {{0}}, "composite layout truncated"},
    {"size below the table", "pfl_full", 0, {{4, 4, 100}}, "component table"},
    {"size 0", "pfl_full", 0, {{4, 4, 0}}, "component table"},
    {"size 4G", "pfl_full", 0, {{4, 4, 0xffffffff}}, "truncated"},
    {"no entries", "pfl_full", 0, {{14, 2, 0}}, "without components"},
    {"65535 entries", "pfl_full", 0, {{14, 2, 65535}}, "component table"},
    {"one entry too many", "pfl_full", 0, {{14, 2, 4}}, "component 1"},
    {"one entry less", "pfl_full", 0, {{14, 2, 2}}, NULL},
    {"part at 0", "pfl_full", 0, {{ENTRY(0) + E_OFFSET, 4, 0}}, "component 1"},
    {"part behind the end",
     "pfl_full",
     0,
     {{ENTRY(2) + E_OFFSET, 4, 441}},
     "component 3"},
    {"part at 4G",
     "pfl_full",
     0,
     {{ENTRY(2) + E_OFFSET, 4, 0xffffffff}},
     "component 3"},
    {"part of 4G",
     "pfl_full",
     0,
     {{ENTRY(1) + E_SIZE, 4, 0xffffffff}},
     "component 2"},
    {"part of nothing", "pfl_full", 0, {{ENTRY(0) + E_SIZE, 4, 0}}, "0 bytes"},
    {"a part used twice",
     "pfl_full",
     0,
     {{ENTRY(1) + E_OFFSET, 4, 176}, {ENTRY(1) + E_SIZE, 4, 56}},
     "out of place"},
    {"composite inside", "pfl_full", 0, {{176, 4, 0x0BD60BD0}}, "0x0bd60bd0"},
    {"foreign inside", "pfl_full", 0, {{176, 4, 0x0BD70BD0}}, "0x0bd70bd0"},
    {"a gap",
     "pfl_full",
     0,
     {{ENTRY(1) + E_START, 8, 8 << 20}},
     "starts at 8388608, not 4194304"},
    {"an overlap", "pfl_full", 0, {{ENTRY(1) + E_START, 8, 1 << 20}}, "not"},
    {"not from 0", "pfl_full", 0, {{ENTRY(0) + E_START, 8, 65536}}, "not 0"},
    {"backwards", "pfl_full", 0, {{ENTRY(1) + E_END, 8, 65536}}, "extent"},
    {"end 2^63", "pfl_full", 0, {{ENTRY(1) + E_END, 8, 1ull << 63}}, "extent"},
    {"end 2^64-2", "pfl_full", 0, {{ENTRY(1) + E_END, 8, -2}}, "extent"},
    {"behind EOF",
     "pfl_full",
     0,
     {{ENTRY(1) + E_END, 8, -1}, {ENTRY(2) + E_START, 8, -1}},
     "component 3"},
    {"an end at last", "pfl_full", 0, {{ENTRY(2) + E_END, 8, 1ll << 40}}, NULL},
    {"extends nothing",
     "pfl_full",
     0,
     {{ENTRY(0) + E_FLAGS, 4, 0x50}},
     "extends nothing"},
    {"all stale", "mirror_stale", 0, {{ENTRY(0) + E_FLAGS, 4, 0x11}}, NULL},
    {"more mirrors said than are", "pfl_full", 0, {{16, 2, 9}}, NULL},
    {"unknown flags", "pfl_full", 0, {{ENTRY(0) + E_FLAGS, 4, -1}}, "nothing"},
    {"flag 0x100", "pfl_full", 0, {{ENTRY(0) + E_FLAGS, 4, 0x110}}, NULL},
    {"padding behind", "pfl_full", 0, {{4, 4, 439}}, "component 3"},
    {"magic SEL", "pfl_full", 0, {{0, 4, 0x0BD80BD0}}, NULL},
    {"an open component with room",
     "pfl_full",
     0,
     {{ENTRY(2) + E_FLAGS, 4, 0}},
     NULL},
    /* foreign */
    {"half a foreign head", "foreign", 15, {{0}}, "foreign layout truncated"},
    {"foreign, short", "foreign", -1, {{0}}, "foreign layout truncated"},
    {"foreign of 4G", "foreign", 0, {{4, 4, 0xffffffff}}, "truncated"},
    {"foreign of 0", "foreign", 0, {{4, 4, 0}}, NULL},
    /* as asked for */
    {"any", "-c 4", 0, {{0}}, NULL},
    {"list", "-o 0-1999", 0, {{0}}, NULL},
    {"list, short", "-o 0-1999", -1, {{0}}, "object list truncated"},
    {"mirrors", "-N -E 1M -c 1 -E -1 -c 2 -N -c 4 -p p", 0, {{0}}, NULL},
    {"list in a component", "-E 1G -o 5-9 -E -1 -c -1", 0, {{0}}, NULL},
    {"list in a component, short",
     "-E 1G -o 5-9 -E -1 -c -1",
     0,
     {{ENTRY(0) + E_SIZE, 4, 60}},
     "object list truncated"},
};
#define NBUILT (sizeof(built) / sizeof(built[0]))

/* The base: a fixture, or a spec if it begins with a dash. */
static size_t base_blob(const char *base, char *buf)
{
    struct adl_layout_spec s = {0};
    void *blob;
    size_t len;

    if (base[0] != '-')
        return fixture_read(base, "bin", buf);
    assert_int_equal(adl_layout_spec_parse(base, &s, NULL), 0);
    assert_int_equal(adl_layout_spec_encode(&s, &blob, &len, NULL), 0);
    memcpy(buf, blob, len);
    free(blob);
    adl_layout_spec_clear(&s);
    return len;
}

static size_t build(size_t i, char *buf)
{
    size_t len = base_blob(built[i].base, buf);

    for (int k = 0; k < 3; k++)
        memcpy(buf + built[i].change[k].at, &built[i].change[k].value,
               (size_t)built[i].change[k].width);
    if (built[i].keep == -9999)
        return 0;
    if (built[i].keep)
        len = built[i].keep > 0 ? (size_t)built[i].keep
                                : len - (size_t)-built[i].keep;
    return len;
}

/* A blob at an odd address, with nothing behind it. */
static int decode_odd(const char *buf, size_t len, struct adl_layout **l,
                      struct adl_err *err)
{
    char *odd = malloc(len + 1);
    int rc;

    memcpy(odd + 1, buf, len);
    rc = adl_layout_decode(odd + 1, len, NULL, l, err);
    free(odd);
    return rc;
}

static void test_built(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    struct adl_err err;
    int rc;

    (void)state;
    for (size_t i = 0; i < NBUILT; i++) {
        size_t len = build(i, buf);

        l = NULL;
        err.text[0] = 0;
        rc = decode_odd(buf, len, &l, &err);
        if (built[i].error &&
            (rc != -EINVAL || l || !strstr(err.text, built[i].error)))
            fail_msg("%s: %d \"%s\"", built[i].what, rc, err.text);
        if (!built[i].error && rc)
            fail_msg("%s: %s", built[i].what, err.text);
        adl_layout_destroy(l);
    }
    assert_true(NBUILT >= 25);
    free(buf);
}

/* Every prefix of every captured layout: an error or a smaller layout, and
 * never a byte behind it read (under the sanitizer). */
static void test_prefixes(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    size_t len;

    (void)state;
    for (size_t i = 0; i < NFIXTURES; i++) {
        len = fixture_read(fixtures[i], "bin", buf);
        for (size_t n = 0; n < len; n++)
            if (decode_odd(buf, n, &l, NULL) == 0)
                adl_layout_destroy(l);
    }
    free(buf);
}

static void test_pool_is_terminated(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    size_t len = fixture_read("pool2", "bin", buf);

    (void)state;
    memset(buf + 32, 'x', 16);
    assert_int_equal(decode_odd(buf, len, &l, NULL), 0);
    assert_string_equal(adl_layout_component(l, 0)->pool, "xxxxxxxxxxxxxxx");
    adl_layout_destroy(l);
    free(buf);
}

/* ---- open values ---- */

static const struct {
    const char *spec;
    struct adl_layout_defaults def;
    int64_t size;
    int count;
} resolved[] = {
    {"-c 0 -S 0", {0, 0, 0}, 1 << 20, 1},
    {"-c 0 -S 0", {1200, 4, 4 << 20}, 4 << 20, 4},
    {"-c -1 -S 64K", {1200, 4, 4 << 20}, 65536, 1200},
    {"-c -1 -S 64K", {5000, 4, 4 << 20}, 65536, 2000},
    {"-c -1 -S 64K", {0, 4, 4 << 20}, 65536, 1},
    {"-C -8 -S 64K", {4, 1, 0}, 65536, 32},
    {"-C -32 -S 64K", {1000, 1, 0}, 65536, 2000},
    {"-C -2", {0, 0, 0}, 1 << 20, 2},
    {"-c 2000", {8, 1, 0}, 1 << 20, 2000},
    {"-o 5,6,7", {8, 1, 0}, 1 << 20, 3},
};

static void test_resolved(void **state)
{
    char *buf = malloc(FIXTURE_MAX);
    struct adl_layout *l;
    struct adl_home home;
    int64_t size;
    size_t len;
    int count;

    (void)state;
    for (size_t i = 0; i < sizeof(resolved) / sizeof(resolved[0]); i++) {
        len = base_blob(resolved[i].spec, buf);
        assert_int_equal(
            adl_layout_decode(buf, len, &resolved[i].def, &l, NULL), 0);
        adl_layout_stripe(l, 0, &size, &count);
        adl_layout_home(l, count - 1, &home);
        if (size != resolved[i].size || count != resolved[i].count ||
            home.stripe_count != count ||
            adl_layout_objects(l) != resolved[i].count)
            fail_msg("%s: %lld x %d", resolved[i].spec, (long long)size, count);
        adl_layout_destroy(l);
    }
    free(buf);
}

/* ---- built from components ---- */

static struct adl_layout *wide(int stripes, int osts)
{
    struct adl_object *objects = calloc((size_t)stripes, sizeof(*objects));
    struct adl_component c = {.end = ADL_LAYOUT_EOF,
                              .magic = ADL_LOV_MAGIC_V1,
                              .pattern = 0x201,
                              .stripe_size = 1 << 20,
                              .stripe_count = stripes,
                              .stripe_offset = 0xffff,
                              .nobjects = stripes,
                              .objects = objects};
    struct adl_layout_head head = {.mirrors = 1};
    struct adl_layout *l = NULL;

    for (int i = 0; i < stripes; i++)
        objects[i].ost = (uint32_t)(i * 7 % osts);
    adl_layout_create(&head, &c, 1, NULL, &l, NULL);
    free(objects);
    return l;
}

static void test_wide(void **state)
{
    struct adl_layout *l = wide(2000, 1300), *back;
    struct adl_home a, b;
    size_t len;
    void *blob;

    (void)state;
    assert_non_null(l);
    assert_int_equal(adl_layout_objects(l), 2000);
    assert_int_equal(adl_layout_encode(l, &blob, &len), 0);
    assert_int_equal(len, 32 + 2000 * 24);
    assert_true(len <= ADL_LAYOUT_BLOB_MAX);
    assert_int_equal(adl_layout_decode(blob, len, NULL, &back, NULL), 0);
    for (int i = 0; i < 2000; i++) {
        adl_layout_home(l, i, &a);
        adl_layout_home(back, i, &b);
        assert_int_equal(a.ost, i * 7 % 1300);
        assert_int_equal(a.ost, b.ost);
    }
    free(blob);
    adl_layout_destroy(back);
    adl_layout_destroy(l);
    assert_null(wide(2001, 1300));
}

static void test_create_checks(void **state)
{
    struct adl_layout_head head = {.mirrors = 1};
    struct adl_component c[2] = {{.end = ADL_LAYOUT_EOF,
                                  .magic = ADL_LOV_MAGIC_V1,
                                  .pattern = 1,
                                  .stripe_size = 65536,
                                  .stripe_count = 1}};
    struct adl_layout *l = NULL;

    (void)state;
    c[1] = c[0];
    assert_int_equal(adl_layout_create(&head, c, 0, NULL, &l, NULL), -EINVAL);
    assert_int_equal(adl_layout_create(&head, c, 2, NULL, &l, NULL), -EINVAL);
    c[0].nobjects = -1;
    assert_int_equal(adl_layout_create(&head, c, 1, NULL, &l, NULL), -EINVAL);
    c[0].nobjects = 0;
    c[0].stripe_size = 1ll << 32;
    assert_int_equal(adl_layout_create(&head, c, 1, NULL, &l, NULL), -EINVAL);
    assert_null(l);
    adl_layout_destroy(NULL);
}

static void test_plain(void **state)
{
    struct adl_layout *l = NULL;
    int64_t size;
    int count;

    (void)state;
    assert_int_equal(adl_layout_plain(0, 1, &l), -EINVAL);
    assert_int_equal(adl_layout_plain(1, 0, &l), -EINVAL);
    assert_int_equal(adl_layout_plain(1, 2001, &l), -EINVAL);
    assert_int_equal(adl_layout_plain(INT64_MAX, 2, &l), -EINVAL);
    assert_int_equal(adl_layout_plain(1000, 3, &l), 0);
    adl_layout_stripe(l, 1 << 30, &size, &count);
    assert_int_equal(size, 1000);
    assert_int_equal(count, 3);
    adl_layout_destroy(l);
}

/* Rank 0 sends the encoded form and the defaults: also of what it made up. */
static void test_plain_again(void **state)
{
    struct adl_layout *l, *back;
    int64_t size;
    size_t len;
    void *blob;
    int count;

    (void)state;
    assert_int_equal(adl_layout_plain(12345, 7, &l), 0);
    assert_int_equal(adl_layout_encode(l, &blob, &len), 0);
    assert_int_equal(
        adl_layout_decode(blob, len, adl_layout_defaults(l), &back, NULL), 0);
    adl_layout_stripe(back, 0, &size, &count);
    assert_int_equal(size, 12345);
    assert_int_equal(count, 7);
    free(blob);
    adl_layout_destroy(back);
    adl_layout_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_pool_is_terminated),
        cmocka_unit_test(test_resolved),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_create_checks),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_plain_again),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
