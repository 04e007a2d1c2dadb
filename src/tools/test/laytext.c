/* laytext.c - test of laytext: what lfs printed for captured layouts */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../laytext.h"
#include "core/test/fixture.h"
#include "core/test/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The FIDs are not in the xattr of a composite or a directory: from lfs's
 * text, as the rest of what only lfs could know. */
#define SEQ 0x2000013a1
static const struct {
    const char *name;
    const char *path;
    int is_dir;
    uint32_t oid;
} files[] = {
    {"default_touch", "default_touch", 0, 0},
    {"dir_all", "dir_all", 1, 0x31},
    {"dir_pfl", "dir_pfl", 1, 0x2c},
    {"dir_pfl_child", "dir_pfl/child", 0, 0x2d},
    {"dir_plain", "dir_plain", 1, 0x29},
    {"dir_plain_child", "dir_plain/child", 0, 0},
    {"dir_pool", "dir_pool", 1, 0x30},
    {"dom", "dom", 0, 0x1b},
    {"foreign", "foreign", 0, 0},
    {"mirror_fresh", "mirror_fresh", 0, 0x1e},
    {"mirror_resync", "mirror_resync", 0, 0x21},
    {"mirror_stale", "mirror_stale", 0, 0x1f},
    {"ostlist3", "ostlist3", 0, 0},
    {"ostlist8", "ostlist8", 0, 0},
    {"over8", "over8", 0, 0},
    {"pfl_fresh", "pfl_fresh", 0, 0xd},
    {"pfl_full", "pfl_full", 0, 0x12},
    {"pfl_w0", "pfl_w0", 0, 0xe},
    {"pfl_w100M", "pfl_w100M", 0, 0x15},
    {"pfl_w5M", "pfl_w5M", 0, 0x10},
    {"plain1", "plain1", 0, 0},
    {"plain3_64K_i2", "plain3_64K_i2", 0, 0},
    {"plain4_16M", "plain4_16M", 0, 0},
    {"plain4_1M", "plain4_1M", 0, 0},
    {"pool2", "pool2", 0, 0},
    {"sel", "sel", 0, 0x24},
};
#define NFILES (sizeof(files) / sizeof(files[0]))

static struct adl_layout *load(const char *name)
{
    static const struct adl_layout_defaults def = {
        .ost_count = 4, .stripe_count = 1, .stripe_size = 4 << 20};
    char *buf = malloc(FIXTURE_MAX);
    size_t len = fixture_read(name, "bin", buf);
    struct adl_layout *l = NULL;
    struct adl_err err = {""};

    if (!len || adl_layout_decode(buf, len, &def, &l, &err))
        fail_msg("%s: %zu bytes: %s", name, len, err.text);
    free(buf);
    return l;
}

/* Where two texts first differ, for a failure message. */
static const char *difference(const char *a, const char *b)
{
    const char *start = a;

    for (; *a && *a == *b; a++, b++)
        if (*a == '\n')
            start = a + 1;
    return start;
}

static void compare(size_t i, int yaml)
{
    struct adl_layout *l = load(files[i].name);
    struct adl_laytext about = {.is_dir = files[i].is_dir, .yaml = yaml};
    char *want = malloc(FIXTURE_MAX), *got = NULL, path[64];

    snprintf(path, sizeof(path), "/mnt/l0/lay/%s", files[i].path);
    about.path = path;
    about.oid = files[i].oid;
    about.seq = files[i].oid ? SEQ : 0;
    fixture_read(files[i].name, yaml ? "yaml" : "txt", want);
    assert_int_equal(adl_laytext(l, &about, &got), 0);
    if (strcmp(got, want))
        fail_msg("%s %s: from here on:\n%.200s", files[i].name,
                 yaml ? "yaml" : "text", difference(got, want));
    free(got);
    free(want);
    adl_layout_destroy(l);
}

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < NFILES; i++)
        compare(i, 0);
}

static void test_yaml(void **state)
{
    (void)state;
    for (size_t i = 0; i < NFILES; i++)
        compare(i, 1);
}

static void test_every_fixture(void **state)
{
    static const char *const all[] = {FIXTURES};

    (void)state;
    assert_int_equal(NFILES, sizeof(all) / sizeof(all[0]));
    assert_int_equal(NFILES, 26);
}

/* A foreign value cannot send control characters to a terminal. */
static void test_foreign_escaped(void **state)
{
    unsigned char blob[] = {0xd0, 0x0b, 0xd7, 0x0b, 3, 0, 0,   0,  0,   0,
                            0,    0,    0,    0,    0, 0, 'a', 27, '\n'};
    struct adl_laytext about = {0};
    struct adl_layout *l;
    char *got;

    (void)state;
    assert_int_equal(adl_layout_decode(blob, sizeof(blob), NULL, &l, NULL), 0);
    assert_int_equal(adl_laytext(l, &about, &got), 0);
    assert_non_null(strstr(got, "lfm_value:     'a\\x1b\\x0a'\n"));
    free(got);
    adl_layout_destroy(l);
}

/* Damaged layouts that still decode: text comes out, no crash. */
static void test_damaged(void **state)
{
    struct adl_laytext about = {.path = "x"};
    char *buf = malloc(FIXTURE_MAX), *text;
    struct rng r = {1ull << 40};
    struct adl_layout *l;
    int printed = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        size_t len = fixture_read(files[i % NFILES].name, "bin", buf);

        for (int n = (int)rng_in(&r, 1, 4); n > 0; n--)
            buf[rng_in(&r, 0, (int64_t)len - 1)] ^= (char)rng_next(&r);
        if (adl_layout_decode(buf, len, NULL, &l, NULL) < 0)
            continue;
        about.is_dir = i >> 1 & 1;
        about.yaml = i & 1;
        assert_int_equal(adl_laytext(l, &about, &text), 0);
        assert_true(*text);
        free(text);
        adl_layout_destroy(l);
        printed++;
    }
    assert_true(printed > 500);
    free(buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_every_fixture),
        cmocka_unit_test(test_foreign_escaped),
        cmocka_unit_test(test_damaged),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
