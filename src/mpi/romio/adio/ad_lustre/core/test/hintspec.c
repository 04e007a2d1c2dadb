/* hintspec.c - test the grammar of MPICH_MPIIO_HINTS */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../hints/hintspec.h"
#include "../text/strbuf.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* text, a file, the pairs that hold for it ("k=v k=v"), and a part of the one
 * note (NULL: no note) */
struct row {
    const char *text, *file, *pairs, *note;
};

/* The lockahead paper's listing 1, its placeholders filled in. */
#define LISTING                             \
    "wrfout*:cray_cb_write_lock_mode=\n"    \
    "2:cray_cb_nodes_multiplier=8,\n"       \
    "auxhist*:cray_cb_write_lock_mode=2:\n" \
    "cray_cb_nodes_multiplier=4"

/* A national centre's advice. */
#define ADVICE "*:cray_cb_write_lock_mode=2,*:cray_cb_nodes_multiplier=4"

static const struct row rows[] = {
    /* nothing */
    {"", "a", "", NULL},
    {"   \n ", "a", "", NULL},
    {",", "a", "", NULL},
    {" , ,", "a", "", NULL},
    /* one spec */
    {"*:cb_nodes=4", "a", "cb_nodes=4", NULL},
    {"*:cb_nodes=4", "/scratch/u/a.nc", "cb_nodes=4", NULL},
    {"a:cb_nodes=4", "a", "cb_nodes=4", NULL},
    {"a:cb_nodes=4", "b", "", NULL},
    {"a:cb_nodes=4", "aa", "", NULL},
    {"*:romio_cb_write=enable:romio_cb_read=enable", "a",
     "romio_cb_write=enable romio_cb_read=enable", NULL},
    {"pattern:key=value:key=other", "pattern", "key=value", NULL},
    {"pattern:key=value:k2=value,pattern2:key=value", "pattern",
     "key=value k2=value", NULL},
    {"pattern:key=value:k2=value,pattern2:key=value", "pattern2", "key=value",
     NULL},
    /* patterns */
    {"a?:k=1", "ab", "k=1", NULL},
    {"a?:k=1", "a", "", NULL},
    {"out[0-3].dat:k=1", "out2.dat", "k=1", NULL},
    {"out[0-3].dat:k=1", "out4.dat", "", NULL},
    {"out[!0-3].dat:k=1", "out4.dat", "k=1", NULL},
    {"out[^0-3].dat:k=1", "out3.dat", "", NULL},
    {"x\\*:k=1", "x*", "k=1", NULL},
    {"x\\*:k=1", "xy", "", NULL},
    {"a\\:b:k=1", "a:b", "k=1", NULL},
    {"a\\,b:k=1", "dir/a,b", "k=1", NULL},
    {"a\\=b:k=1", "a=b", "k=1", NULL},
    {"a[:k=1", "a[", "k=1", NULL},
    /* whole name, last component, prefix */
    {"wrfout*:k=1", "wrfout_d01", "k=1", NULL},
    {"wrfout*:k=1", "/scratch/run/wrfout_d01", "k=1", NULL},
    {"wrfout*:k=1", "lustre:wrfout_d01", "k=1", NULL},
    {"wrfout*:k=1", "lustre:/scratch/run/wrfout_d01", "k=1", NULL},
    {"wrfout*:k=1", "ufs:out/wrfout_d01", "k=1", NULL},
    {"wrfout*:k=1", "/scratch/wrfout/x", "", NULL},
    {"/scratch/*:k=1", "/scratch/run/x", "k=1", NULL},
    {"/scratch/*:k=1", "lustre:/scratch/run/x", "k=1", NULL},
    {"lustre\\:/s/*:k=1", "lustre:/s/x", "k=1", NULL},
    {"lustre:/s/*:k=1", "lustre:/s/x", "k=1", NULL},
    {"lustre:/s/*:k=1", "/s/x", "k=1", NULL},
    {"lustre:k=1", "lustre", "k=1", NULL},
    {"*/mpsout.d01.*:cb_nodes=8:striping_factor=6,*/MPASPR*:cb_nodes=9",
     "run/MPASPR.nc", "cb_nodes=9", NULL},
    {"run1:k=1", "run1:x", "", NULL},
    /* colons in file names */
    {"h_15:00:00.nc:k=1", "h_15:00:00.nc", "k=1", NULL},
    {"h_15:00:00.nc:k=1", "/s/h_15:00:00.nc", "k=1", NULL},
    {"h_15:00:00.nc:k=1", "lustre:h_15:00:00.nc", "k=1", NULL},
    {"lustre:h_15:00:00.nc:k=1:j=2", "h_15:00:00.nc", "k=1 j=2", NULL},
    {"h_15:*:k=1", "h_15:00:00.nc", "k=1", NULL},
    {"h_*.nc:k=1", "h_15:00:00.nc", "k=1", NULL},
    {"h_??\\:00*:k=1,*:j=2", "h_15:00:00.nc", "k=1 j=2", NULL},
    {"h_15:00:00.nc:k=1,*:j=2", "h_16:00:00.nc", "j=2", NULL},
    {"h_15 : 00 : 00.nc : k=1", "x", "", NULL},
    {"a:b/c:k=1", "a:b/c", "k=1", NULL},
    {"a:b:k=1", "a", "k=1", "write the ':' of a file name \\:"},
    {"h_15:00:00.nc", "x", "", "no hints for 'h_15:00:00.nc'"},
    {"NFS:x:k=1", "x", "k=1", NULL},
    /* quotes */
    {"*:cb_config_list=#*:2#", "a", "cb_config_list=*:2", NULL},
    {"*:cb_config_list=#*:2#:cb_nodes=2", "a", "cb_config_list=*:2 cb_nodes=2",
     NULL},
    {"*:cb_config_list=#n1:2,n2:1,*:0#,b:k=1", "b",
     "cb_config_list=n1:2,n2:1,*:0 k=1", NULL},
    {"*:cb_config_list=#*:2", "a", "cb_config_list=*:2", NULL},
    {"*:k = # a,b # ", "a", "k=a,b", NULL},
    {"*:cb_config_list=#*:2:cb_nodes=4", "a", "cb_config_list=*:2:cb_nodes=4",
     "no closing #"},
    {"*:k=#a#b:j=1", "a", "k=a j=1", "closing #: 'b'"},
    {"*:k=a#b", "a", "k=a#b", NULL},
    {"#x:k=1", "#x", "k=1", NULL},
    {"*:k=a\\:b\\,c", "a", "k=a:b,c", NULL},
    {"*:k=a\\\\b", "a", "k=a\\b", NULL},
    {"*:romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8 -S 4M", "a",
     "romio_lustre_comp_layout=-E 64M -c 1 -E -1 -c 8 -S 4M", NULL},
    {"\"*:cb_nodes=4\"", "a", "cb_nodes=4", NULL},
    {"'*:cb_nodes=4'", "a", "cb_nodes=4", NULL},
    /* slack of production scripts */
    {"*:cb_nodes=4:", "a", "cb_nodes=4", NULL},
    {"*:cb_nodes=4::k=1", "a", "cb_nodes=4 k=1", NULL},
    {"*::cb_nodes=4", "a", "cb_nodes=4", NULL},
    {"*:cb_nodes=4,", "a", "cb_nodes=4", NULL},
    {"*:cb_nodes=4,,b:k=1", "b", "cb_nodes=4 k=1", NULL},
    {" * : cb_nodes = 4 : k = 1 , b : j = 2 ", "b", "cb_nodes=4 k=1 j=2", NULL},
    {"*:cb_nodes=4:\n  k=1,\n\tb:j=2\n", "b", "cb_nodes=4 k=1 j=2", NULL},
    /* several specs match: merged, the first one wins per key */
    {ADVICE, "x", "cray_cb_write_lock_mode=2 cray_cb_nodes_multiplier=4", NULL},
    {"a*:k=1,*:k=2:j=3", "ab", "k=1 j=3", NULL},
    {"a*:k=1,*:k=2:j=3", "b", "k=2 j=3", NULL},
    {"*:k=1:k=2", "b", "k=1", NULL},
    /* the paper's listing */
    {LISTING, "wrfout_d01_2017",
     "cray_cb_write_lock_mode=2 cray_cb_nodes_multiplier=8", NULL},
    {LISTING, "/lus/run/auxhist2_d01",
     "cray_cb_write_lock_mode=2 cray_cb_nodes_multiplier=4", NULL},
    {LISTING, "wrfinput", "", NULL},
    /* broken: the part is named, the rest applies */
    {"wrfout*", "a", "", "no hints for 'wrfout*'"},
    {"x,*:k=1", "a", "k=1", "no hints for 'x'"},
    {"cb_nodes=4", "a", "", "'cb_nodes=4' stands where a file pattern"},
    {"*:k=1,cb_nodes=4", "a", "k=1", "'cb_nodes=4' stands where"},
    {"cb_nodes=4:k=1,*:j=2", "a", "j=2", "'cb_nodes=4' stands where"},
    {":cb_nodes=4,*:k=1", "a", "k=1", "no file pattern before ':cb_nodes=4"},
    {"*:foo:k=1", "a", "k=1", "'foo' (for '*') is not key=value"},
    {"*:=4:k=1", "a", "k=1", "'=4' (for '*') has no key"},
    {"*:cb_nodes=:k=1", "a", "k=1", "'cb_nodes=' (for '*') has no value"},
    {"*:cb_nodes=##:k=1", "a", "k=1", "has no value"},
    {"*:cb_config_list=*:2:k=1", "a", "cb_config_list=* k=1",
     "'2' (for '*') is not key=value"},
    {"*:k=1\\", "a", "k=1\\", NULL},
    {"*:romio_cb_write=enable;cb_buffer_size=64m", "a",
     "romio_cb_write=enable;cb_buffer_size=64m", NULL},
};

static void append_pair(void *arg, const char *key, const char *value)
{
    struct adl_strbuf *sb = arg;

    adl_strbuf_printf(sb, "%s%s=%s", sb->len ? " " : "", key, value);
}

static void check_row(const struct row *row)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hintspec *spec = NULL;

    assert_int_equal(adl_hintspec_parse(row->text, "V", &notes, &spec), 0);
    adl_hintspec_match(spec, row->file, append_pair, &sb);
    if (strcmp(adl_strbuf_text(&sb), row->pairs) ||
        notes.count != (row->note != NULL) ||
        (row->note && !strstr(notes.line[0], row->note)))
        fail_msg("'%s' for %s: got '%s', %d notes, first '%s'", row->text,
                 row->file, adl_strbuf_text(&sb), notes.count,
                 notes.count ? notes.line[0] : "");
    adl_hintspec_destroy(spec);
    adl_strbuf_release(&sb);
    adl_notes_release(&notes);
}

static void test_rows(void **state)
{
    size_t n = sizeof(rows) / sizeof(rows[0]);

    (void)state;
    assert_true(n >= 60);
    for (size_t i = 0; i < n; i++)
        check_row(&rows[i]);
}

/* Every broken part is named, with the variable in front. */
static void test_notes_name_source(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hintspec *spec = NULL;

    (void)state;
    assert_int_equal(adl_hintspec_parse("x,*:a:=1:b=,*:k=1",
                                        "MPICH_MPIIO_HINTS", &notes, &spec),
                     0);
    assert_int_equal(notes.count, 4);
    assert_ptr_equal(strstr(notes.line[0], "MPICH_MPIIO_HINTS: "),
                     notes.line[0]);
    adl_hintspec_destroy(spec);
    adl_notes_release(&notes);
}

static void test_file(void **state)
{
    static const char content[] = "# for the nightly run\n"
                                  "wrfout*:cb_nodes=4:romio_cb_write=enable\r\n"
                                  "\n"
                                  "#*:cb_nodes=1\n"
                                  "*:cray_cb_nodes_multiplier=2:\\\n"
                                  "  cb_config_list=#*:2#, x:j=1\n"
                                  "broken\n"
                                  "*:last=1";
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hintspec *spec = NULL;

    (void)state;
    assert_int_equal(adl_hintspec_parse_lines(content, "hints", &notes, &spec),
                     0);
    adl_hintspec_match(spec, "d/wrfout_1", append_pair, &sb);
    assert_string_equal(sb.text, "cb_nodes=4 romio_cb_write=enable "
                                 "cray_cb_nodes_multiplier=2 "
                                 "cb_config_list=*:2 last=1");
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.line[0], "hints, line 7: no hints for 'broken'");
    adl_hintspec_destroy(spec);
    adl_strbuf_release(&sb);
    adl_notes_release(&notes);
}

static void count_pair(void *arg, const char *key, const char *value)
{
    (void)key;
    (void)value;
    ++*(int *)arg;
}

/* Any bytes: no crash, no endless loop, and `*:end=1` at the end still holds
 * unless a quote swallowed it. */
static void test_noise(void **state)
{
    static const char alphabet[] = "a*?[]-!\\:,=# \n'\"";
    char text[200];
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct adl_notes notes = ADL_NOTES_INIT;
        struct adl_hintspec *spec = NULL;
        int pairs = 0, len = round % 60;

        for (int i = 0; i < len; i++) {
            seed = seed * 1103515245 + 12345;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        text[len] = '\0';
        assert_int_equal(adl_hintspec_parse(text, "V", &notes, &spec), 0);
        adl_hintspec_match(spec, "lustre:a/a-a", count_pair, &pairs);
        adl_hintspec_destroy(spec);
        spec = NULL;
        assert_int_equal(adl_hintspec_parse_lines(text, "V", &notes, &spec), 0);
        adl_hintspec_destroy(spec);
        adl_notes_release(&notes);
    }
}

static void test_null_spec(void **state)
{
    int pairs = 0;

    (void)state;
    adl_hintspec_match(NULL, "a", count_pair, &pairs);
    assert_int_equal(pairs, 0);
    adl_hintspec_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_notes_name_source),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_null_spec),
    };

    return cmocka_run_group_tests_name("hintspec", tests, NULL, NULL);
}
