/* layspec.c - test of core/layspec */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../layout/layspec.h"
#include "fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What parses, and how it is written back. */
static const struct {
    const char *text;
    const char *canonical;
} good[] = {
    {"-c 4", "-c 4 -S 0"},
    {"-c4 -S1M", "-c 4 -S 1M"},
    {"-c -1", "-c -1 -S 0"},
    {"-S 64k", "-c 0 -S 64K"},
    {"-S 4G -c 1", NULL},
    {"--stripe-count=3 --stripe-size 64K --stripe-index=2", "-c 3 -S 64K -i 2"},
    {"-C 8 -S 1M", "-C 8 -S 1M"},
    {"-C -8", "-C -8 -S 0"},
    {"-C -32", "-C -32 -S 0"},
    {"-C -33", NULL},
    {"-c -2", NULL},
    {"-c 2000", "-c 2000 -S 0"},
    {"-c 2001", NULL},
    {"-o 3,1,2 -S 1M", "-o 3,1-2 -S 1M"},
    {"-o 0,1,3-5", "-o 0-1,3-5 -S 0"},
    {"-o 0 -o 7", "-o 0,7 -S 0"},
    {"-o 0,1,0", "-o 0-1,0 -S 0"},
    {"-c 3 -o 0,1,0", "-o 0-1,0 -S 0"},
    {"-c 2 -o 0,1,0", NULL},
    {"-o 0,1 -i 1", NULL},
    {"-o 0-2999", NULL},
    {"-o 65534", "-o 65534 -S 0"},
    {"-o 65535", NULL},
    {"-o 5-3", NULL},
    {"-o 1,,2", NULL},
    {"-o 1,", NULL},
    {"-o a", NULL},
    {"-i 65534", "-c 0 -S 0 -i 65534"},
    {"-i 65535", NULL},
    {"-i -1 -c 1", "-c 1 -S 0"},
    {"-i -2 -c 1", NULL},
    {"-p fast -c 2", "-c 2 -S 0 -p fast"},
    {"-p lustre.fast", "-c 0 -S 0 -p fast"},
    {"-p none -c 2", "-c 2 -S 0"},
    {"-p exactly15chars.", NULL},
    {"-p exactly15chars_", "-c 0 -S 0 -p exactly15chars_"},
    {"-p exactly16chars__", NULL},
    {"-p a/b", NULL},
    {"-S 1000", NULL},
    {"-S 96K", NULL},
    {"-S -1", NULL},
    {"-E 64M -c 1 -E -1 -c 8 -S 4M", "-E 64M -c 1 -S 0 -E -1 -c 8 -S 4M"},
    {"-E 4M -c 1 -S 1M -E 64M -c 2 -E eof -c 4 -S 4M",
     "-E 4M -c 1 -S 1M -E 64M -c 2 -S 1M -E -1 -c 4 -S 4M"},
    {"-c 2 -E 4M -E EOF", "-E 4M -c 2 -S 0 -E -1 -c 2 -S 0"},
    {"-E 4M -p a -E -1 -p none",
     "-E 4M -c 0 -S 0 -p a -E -1 -c 0 -S 0 -p none"},
    {"-E 4M -c 1 -E 64M -c 4", "-E 4M -c 1 -S 0 -E 64M -c 4 -S 0"},
    {"-E 4M -o 1,2 -E -1", "-E 4M -o 1-2 -S 0 -E -1 -c 0 -S 0"},
    {"-E 4M -c 3 -E -1 -o 1,2", "-E 4M -c 3 -S 0 -E -1 -o 1-2 -S 0"},
    {"-E 1M -L mdt -E -1 -c 4 -S 1M", "-E 1M -L mdt -E -1 -c 4 -S 1M"},
    {"-E 1M -L mdt -c 2 -E -1", NULL},
    {"-L mdt", NULL},
    {"-E -1 -L mdt", NULL},
    {"-E 1M -c 1 -E 2M -L mdt", NULL},
    {"-L raid1 -c 1", NULL},
    {"-L raid0 -c 1", "-c 1 -S 0"},
    {"-E 4M -E 4M", NULL},
    {"-E 4M -E 2M", NULL},
    {"-E -1 -E 2M", NULL},
    {"-E 0", NULL},
    {"-E -5", NULL},
    {"-E 100", NULL},
    {"-E 4M -E", NULL},
    {"-E 1G -z 64M -c 1 -E -1 -z 256M -c 4",
     "-E 1G -c 1 -S 0 -z 64M -E -1 -c 4 -S 0 -z 256M"},
    {"-z 64M", NULL},
    {"-E -1 -z 1000", NULL},
    {"-N -c 1 -N -c 2", "-N -E -1 -c 1 -S 0 -N -E -1 -c 2 -S 0"},
    {"-N -E 4M -c 1 -E -1 -c 4 -N -c 2",
     "-N -E 4M -c 1 -S 0 -E -1 -c 4 -S 0 -N -E -1 -c 2 -S 0"},
    {"-N2 -c 1", NULL},
    {"", NULL},
    {"  ", NULL},
    {"-x 1", NULL},
    {"-c", NULL},
    {"-c x", NULL},
    {"-c 99999999999999999999", NULL},
    {"-c 70000", NULL},
    {"4", NULL},
    {"-", NULL},
    {"--", NULL},
    {"--nonsense=1", NULL},
};

static void test_grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct adl_layout_spec s = {0};
        struct adl_err err = {""};
        char text[512] = "";
        int rc = adl_layout_spec_parse(good[i].text, &s, &err);

        if (!good[i].canonical) {
            if (rc != -EINVAL || !err.text[0])
                fail_msg("\"%s\" gives %d", good[i].text, rc);
            continue;
        }
        if (rc)
            fail_msg("\"%s\": %s", good[i].text, err.text);
        adl_layout_spec_format(&s, text, sizeof(text));
        adl_layout_spec_clear(&s);
        if (strcmp(text, good[i].canonical))
            fail_msg("\"%s\" becomes \"%s\"", good[i].text, text);
        assert_int_equal(adl_layout_spec_parse(text, &s, &err), 0);
        adl_layout_spec_format(&s, text, sizeof(text));
        adl_layout_spec_clear(&s);
        assert_string_equal(text, good[i].canonical);
    }
}

static void test_format_small_buffer(void **state)
{
    struct adl_layout_spec s = {0};
    char buf[32];
    int n;

    (void)state;
    assert_int_equal(
        adl_layout_spec_parse("-E 64M -c 1 -E -1 -o 0,2", &s, NULL), 0);
    n = adl_layout_spec_format(&s, NULL, 0);
    assert_int_equal(n, (int)strlen("-E 64M -c 1 -S 0 -E -1 -o 0,2 -S 0"));
    for (int size = 1; size < (int)sizeof(buf); size++) {
        memset(buf, 'x', sizeof(buf));
        assert_int_equal(adl_layout_spec_format(&s, buf, (size_t)size), n);
        assert_int_equal((int)strlen(buf), size - 1);
    }
    adl_layout_spec_clear(&s);
}

/* What lfs sent to set a directory's default is what we would send. */
static const struct {
    const char *text;
    const char *fixture;
} same[] = {
    {"-c 2 -S 4M", "dir_plain"},
    {"-c -1 -S 1M", "dir_all"},
    {"-p fix -c 2", "dir_pool"},
    {"-E 4M -c 1 -S 1M -E 64M -c 2 -S 1M -E -1 -c 4 -S 4M", "dir_pfl"},
};

static void *encode(const char *text, size_t *len)
{
    struct adl_layout_spec s = {0};
    struct adl_err err = {""};
    void *blob = NULL;

    if (adl_layout_spec_parse(text, &s, &err) ||
        adl_layout_spec_encode(&s, &blob, len, &err))
        fail_msg("\"%s\": %s", text, err.text);
    adl_layout_spec_clear(&s);
    return blob;
}

/* lfs left uninitialised object ids in a composite's components. */
static void wipe_object_ids(char *blob, size_t len)
{
    uint32_t magic = ADL_LOV_MAGIC_V1;

    for (size_t i = 0; i + sizeof(struct adl_lov_user) <= len; i++)
        if (memcmp(blob + i, &magic, sizeof(magic)) == 0)
            memset(blob + i + 8, 0, 16);
}

static void test_encode_like_lfs(void **state)
{
    char *want = malloc(FIXTURE_MAX);
    size_t len, got_len;
    void *got;

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        len = fixture_read(same[i].fixture, "bin", want);
        wipe_object_ids(want, len);
        got = encode(same[i].text, &got_len);
        if (got_len != len || memcmp(got, want, len))
            fail_msg("\"%s\" is not %s", same[i].text, same[i].fixture);
        free(got);
    }
    free(want);
}

static struct adl_layout *build(const char *text)
{
    struct adl_layout *l = NULL;
    struct adl_err err = {""};
    size_t len;
    void *blob = encode(text, &len);

    if (adl_layout_decode(blob, len, NULL, &l, &err))
        fail_msg("\"%s\": %s", text, err.text);
    free(blob);
    return l;
}

static void test_encode_list(void **state)
{
    struct adl_layout *l = build("-o 3,1,3 -S 1M");
    const struct adl_component *c = adl_layout_component(l, 0);

    (void)state;
    assert_int_equal(c->magic, ADL_LOV_MAGIC_SPECIFIC);
    assert_int_equal(c->pattern, 0x201);
    assert_int_equal(c->stripe_count, 3);
    assert_int_equal(c->nobjects, 3);
    assert_int_equal(c->objects[0].ost, 3);
    assert_int_equal(c->objects[1].ost, 1);
    assert_int_equal(c->objects[2].ost, 3);
    adl_layout_destroy(l);
}

static void test_encode_overstriped(void **state)
{
    struct adl_layout *l = build("-C -8 -S 1M -i 2");
    const struct adl_component *c = adl_layout_component(l, 0);

    (void)state;
    assert_int_equal(c->magic, ADL_LOV_MAGIC_V1);
    assert_int_equal(c->pattern, 0x201);
    assert_int_equal(c->stripe_count, 0xfff8);
    assert_int_equal(c->stripe_offset, 2);
    adl_layout_destroy(l);
}

static void test_encode_dom(void **state)
{
    struct adl_layout *l = build("-E 1M -L mdt -E -1 -c 4 -S 1M");
    const struct adl_component *c = adl_layout_component(l, 0);

    (void)state;
    assert_int_equal(c->pattern, ADL_LOV_PATTERN_MDT);
    assert_int_equal(c->stripe_size, 1 << 20);
    assert_int_equal(c->stripe_count, 0);
    assert_int_equal(adl_layout_ncomponents(l), 2);
    assert_int_equal(adl_layout_objects(l), 5);
    adl_layout_destroy(l);
}

/* The extents lfs makes of it, as captured in sel.bin. */
static void test_encode_extension(void **state)
{
    struct adl_layout *l = build("-E 1G -z 64M -c 1 -E -1 -z 256M -c 4");
    int64_t want[] = {0, 64 << 20, 1 << 30, 1 << 30, ADL_LAYOUT_EOF};

    (void)state;
    assert_int_equal(adl_layout_ncomponents(l), 4);
    for (int i = 0; i < 4; i++) {
        const struct adl_component *c = adl_layout_component(l, i);

        assert_int_equal(c->start, want[i]);
        assert_int_equal(c->end, want[i + 1]);
        assert_int_equal(!!(c->flags & ADL_LCME_FL_EXTENSION), i % 2);
    }
    assert_int_equal(adl_layout_component(l, 1)->stripe_size, 64 << 20);
    adl_layout_destroy(l);
}

static void test_encode_mirrors(void **state)
{
    struct adl_layout *l = build("-N -E 4M -c 1 -E -1 -c 4 -N -c 2");

    (void)state;
    assert_int_equal(adl_layout_ncomponents(l), 3);
    assert_int_equal(adl_layout_nmirrors(l), 2);
    assert_int_equal(adl_layout_head(l)->mirrors, 2);
    assert_int_equal(adl_layout_objects(l), 5);
    adl_layout_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_format_small_buffer),
        cmocka_unit_test(test_encode_like_lfs),
        cmocka_unit_test(test_encode_list),
        cmocka_unit_test(test_encode_overstriped),
        cmocka_unit_test(test_encode_dom),
        cmocka_unit_test(test_encode_extension),
        cmocka_unit_test(test_encode_mirrors),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
