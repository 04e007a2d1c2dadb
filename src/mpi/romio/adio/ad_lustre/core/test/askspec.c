/* askspec.c - test of core/askspec: hints and a directory -> layout asked for
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../hints/askspec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* inherited: the directory's default as lfs setstripe would be told, NULL: not
 * known. hints: "name=value;name=value". want: the text asked for, "" nothing,
 * NULL an error. */
struct ask_case {
    const char *inherited;
    int osts, nodes;
    const char *hints;
    const char *want;
};

static const struct ask_case cases[] = {
    /* nothing asked */
    {"-c 3 -S 2M", 8, 1, "", ""},
    {NULL, 0, 1, "cb_nodes=4", ""},
    {"-c 3 -S 2M", 8, 1, "striping=directory", ""},
    {"-c 3", 8, 1, "overstriping_factor=1", ""},
    /* one by one; the rest is the directory's */
    {"-c 3 -S 2M", 8, 1, "striping_factor=5", "-c 5 -S 2M"},
    {"-c 3 -S 2M", 8, 1, "striping_unit=65536", "-c 3 -S 64K"},
    {"-c -1", 8, 1, "striping_unit=65536", "-c -1 -S 64K"},
    {"-C -2", 8, 1, "striping_unit=65536", "-C -2 -S 64K"},
    {"-C -2", 8, 1, "striping_factor=4", "-c 4"},
    {"-c 2 -p flash", 8, 1, "striping_unit=65536", "-c 2 -S 64K -p flash"},
    {"-c 2 -p flash", 8, 1, "romio_lustre_pool=none", "-c 2"},
    {"-c 2 -i 3", 8, 1, "striping_unit=65536", "-c 2 -S 64K -i 3"},
    {"-c 2 -i 3", 8, 1, "start_iodevice=1", "-c 2 -i 1"},
    {NULL, 0, 1, "striping_unit=1M", "-S 1M"},
    {NULL, 0, 1, "striping_factor=-1", "-c -1"},
    {NULL, 0, 1, "romio_lustre_pool=fs.flash", "-p flash"},
    {"-c 3", 8, 1, "romio_lustre_ost_list=4,1-2", "-o 4,1-2"},
    {"-c 3 -i 2", 8, 1, "romio_lustre_ost_list=1,1;striping_factor=9",
     "-o 1,1"},
    /* of a composite default the last component */
    {"-E 4M -c 1 -S 1M -E -1 -c 4 -S 2M", 8, 1, "striping_factor=2",
     "-c 2 -S 2M"},
    {"-E 4M -c 1 -S 1M -E -1 -c 4 -S 2M", 8, 1, "striping_unit=64K",
     "-c 4 -S 64K"},
    {"-E 1M -L mdt -E -1 -c 4", 8, 1, "striping_unit=64K", "-c 4 -S 64K"},
    /* overstriping */
    {"-c 2", 8, 1, "striping_factor=8;overstriping_factor=2", "-C 16"},
    {"-c 2", 8, 1, "overstriping_ratio=3", "-C 6"},
    {"-c 2", 8, 1, "striping_factor=-1;overstriping_factor=2", "-C 16"},
    {"-c 2", 0, 1, "striping_factor=-1;overstriping_factor=2", "-C -2"},
    {NULL, 0, 1, "overstriping_factor=4", "-C 4"},
    {"-c 2", 2000, 1, "striping_factor=1999;overstriping_factor=2", "-C 2000"},
    /* striping=auto: 4 OSTs a node, not more than there are */
    {"-c 1 -S 2M", 8, 1, "striping=auto", "-c 4 -S 2M"},
    {"-c 1", 8, 2, "striping=auto", "-c 8"},
    {"-c 1", 8, 1000, "striping=auto", "-c 8"},
    {"-c 1", 1000, 100, "striping=auto", "-c 400"},
    {"-c 3", 0, 2, "striping=auto", "-c 3"},
    {"-c 1", 8, 2, "striping=auto;striping_factor=3", "-c 3"},
    {"-c 1", 8, 1, "striping=auto;overstriping_factor=2", "-C 8"},
    /* composite: it says everything */
    {"-c 3 -S 2M", 8, 1,
     "romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8 -S 4M",
     "-E 64M -c 1 -E -1 -c 8 -S 4M"},
    {"-c 3 -S 2M", 8, 1, "romio_lustre_comp_layout=-c 2;striping_factor=7",
     "-c 2"},
    /* nonsense */
    {NULL, 8, 1, "romio_lustre_comp_layout=-E 3 -c x", NULL},
    {NULL, 8, 1, "romio_lustre_ost_list=1,,x", NULL},
    {NULL, 8, 1, "romio_lustre_pool=a_name_that_is_much_too_long", NULL},
};

static void set_hints(struct adl_hints *h, const char *text)
{
    char *copy = strdup(text), *at = copy, *pair, *eq;

    assert_int_equal(adl_hints_init(h), 0);
    while ((pair = strsep(&at, ";")) && *pair) {
        eq = strchr(pair, '=');
        *eq = '\0';
        adl_hints_set(h, pair, eq + 1, ADL_FROM_INFO, NULL);
    }
    free(copy);
}

/* A directory's default as the driver would have decoded it. */
static struct adl_layout *directory(const char *text)
{
    struct adl_layout_spec spec = {0};
    struct adl_layout *layout = NULL;
    struct adl_err err = {""};
    void *blob;
    size_t len;

    if (!text)
        return NULL;
    assert_int_equal(adl_layout_spec_parse(text, &spec, &err), 0);
    assert_int_equal(adl_layout_spec_encode(&spec, &blob, &len, &err), 0);
    assert_int_equal(adl_layout_decode(blob, len, NULL, &layout, &err), 0);
    free(blob);
    adl_layout_spec_clear(&spec);
    return layout;
}

/* `want` in the words of adl_layout_spec_format. */
static void normal(const char *want, char *text, size_t size)
{
    struct adl_layout_spec spec = {0};
    struct adl_err err = {""};

    text[0] = '\0';
    if (!*want)
        return;
    assert_int_equal(adl_layout_spec_parse(want, &spec, &err), 0);
    adl_layout_spec_format(&spec, text, size);
    adl_layout_spec_clear(&spec);
}

static void check(const struct ask_case *c)
{
    struct adl_layout *inherited = directory(c->inherited);
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_layout_spec spec = {0};
    struct adl_err err = {""};
    struct adl_hints hints;
    char text[256] = "", want[256];
    int rc;

    set_hints(&hints, c->hints);
    rc = adl_askspec(&(struct adl_ask){.hints = &hints,
                                       .inherited = inherited,
                                       .osts = c->osts,
                                       .nodes = c->nodes},
                     &notes, &spec, &err);
    if (rc > 0)
        adl_layout_spec_format(&spec, text, sizeof(text));
    if (!c->want)
        assert_true(rc < 0 && err.text[0]);
    else if (rc < 0)
        fail_msg("%s: %s", c->hints, err.text);
    else {
        normal(c->want, want, sizeof(want));
        assert_string_equal(text, want);
    }
    adl_layout_spec_clear(&spec);
    adl_hints_release(&hints);
    adl_notes_release(&notes);
    adl_layout_destroy(inherited);
}

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check(&cases[i]);
}

static void hidden(void **state)
{
    struct adl_layout_spec spec = {0};
    struct adl_err err;
    struct adl_hints hints;
    char text[64];

    (void)state;
    set_hints(&hints, "striping_factor=8");
    assert_int_equal(
        adl_askspec(&(struct adl_ask){.hints = &hints, .hidden = 1}, NULL,
                    &spec, &err),
        1);
    adl_layout_spec_format(&spec, text, sizeof(text));
    assert_string_equal(text, "-c 1 -S 0");
    adl_layout_spec_clear(&spec);
    adl_hints_release(&hints);
}

/* What was decided or ignored is said. */
static void remarks(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_layout_spec spec = {0};
    struct adl_err err;
    struct adl_hints hints;

    (void)state;
    set_hints(&hints, "striping=auto");
    adl_askspec(&(struct adl_ask){.hints = &hints, .osts = 8, .nodes = 3},
                &notes, &spec, &err);
    assert_int_equal(notes.count, 1);
    assert_non_null(strstr(notes.line[0], "3 nodes, 8 OSTs: stripe count 8"));
    adl_layout_spec_clear(&spec);
    adl_hints_release(&hints);
    adl_notes_release(&notes);
    set_hints(&hints, "striping=auto");
    adl_askspec(
        &(struct adl_ask){.hints = &hints, .osts = 99, .nodes = 3, .nics = 8},
        &notes, &spec, &err);
    assert_non_null(strstr(notes.line[0], "stripe count 96 (the OSTs, at most "
                                          "32 for each node)"));
    adl_layout_spec_clear(&spec);
    adl_hints_release(&hints);
    adl_notes_release(&notes);
    set_hints(&hints, "striping_factor=9;romio_lustre_ost_list=1,2");
    adl_askspec(&(struct adl_ask){.hints = &hints}, &notes, &spec, &err);
    assert_int_equal(notes.count, 1);
    assert_non_null(strstr(notes.line[0], "names 2 OSTs"));
    adl_layout_spec_clear(&spec);
    adl_hints_release(&hints);
    adl_notes_release(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table),
                                       cmocka_unit_test(hidden),
                                       cmocka_unit_test(remarks)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
