/* hints.c - test the table of hints and the values in force */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../hints/hints.h"
#include "../text/size.h"
#include "../text/wordlist.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- the table ----------------------------------------------------- */

/* Every default is a value that the hint itself accepts; names and aliases are
 * all different and short enough for the buffers. */
static void test_table_is_sound(void **state)
{
    int alias;
    enum adl_hint id;
    bool slip;
    char name[64];

    (void)state;
    for (int i = 0; i < ADL_HINT_COUNT; i++) {
        const struct adl_hint_def *def = adl_hint_def((enum adl_hint)i);
        int64_t v;

        if (def->set.kind != ADL_KIND_TEXT)
            assert_int_equal(adl_setting_parse(&def->set, def->set.def, &v), 0);
        assert_true(strlen(def->set.help) > 10);
        for (int n = 0; n <= adl_wordlist_count(def->aliases); n++) {
            adl_hint_alias((enum adl_hint)i, n, name, sizeof(name));
            assert_int_equal(adl_hint_find(name, &id, &alias, &slip), 0);
            assert_int_equal(id, i);
            assert_int_equal(alias, n);
            assert_false(adl_hint_is_foreign(name));
        }
    }
}

static const struct {
    const char *name, *meant;
} suggestions[] = {
    {"cray_cb_node_multiplier", "cray_cb_nodes_multiplier"},
    {"cray_cb_nodes_multplier", "cray_cb_nodes_multiplier"},
    {"cb_node", "cb_nodes"},
    {"CB_NODES", "cb_nodes"},
    {"cb_ndoes", "cb_nodes"},
    {"cb_write", "romio_cb_write"},
    {"romio_cb_wirte", "romio_cb_write"},
    {"cb_write_lock_mode", "cray_cb_write_lock_mode"},
    {"romio_cb_write_lock_mode", "cray_cb_write_lock_mode"},
    {"stripping_factor", "striping_factor"},
    {"stripe_factor", "striping_factor"},
    {"striping_size", NULL},
    {"cb_buffersize", "cb_buffer_size"},
    {"no_indep_rw", "romio_no_indep_rw"},
    {"romio_direct_io", "direct_io"},
    {"colour", NULL},
    {"x", NULL},
    {"", NULL},
};

static void test_suggestions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(suggestions) / sizeof(suggestions[0]); i++) {
        const char *got = adl_hint_suggest(suggestions[i].name);
        const char *want = suggestions[i].meant;

        if (!got != !want || (got && strcmp(got, want)))
            fail_msg("%s: %s", suggestions[i].name, got ? got : "nothing");
    }
}

static void test_distance(void **state)
{
    char longest[80];

    (void)state;
    assert_int_equal(adl_word_distance("", ""), 0);
    assert_int_equal(adl_word_distance("abc", ""), 3);
    assert_int_equal(adl_word_distance("kitten", "sitting"), 3);
    assert_int_equal(adl_word_distance("ab", "ba"), 1);
    assert_int_equal(adl_word_distance("AB", "ab"), 0);
    memset(longest, 'a', 79);
    longest[79] = '\0';
    assert_int_equal(adl_word_distance(longest, "a"), -1);
    longest[63] = '\0';
    assert_int_equal(adl_word_distance(longest, ""), 63);
}

static void test_foreign(void **state)
{
    (void)state;
    assert_true(adl_hint_is_foreign("nc_header_align_size"));
    assert_true(adl_hint_is_foreign("access_style"));
    assert_true(adl_hint_is_foreign("romio_aggregator_list"));
    assert_true(adl_hint_is_foreign("mpi_assert_no_any_tag"));
    assert_false(adl_hint_is_foreign("cray_cb_node_multiplier"));
}

/* ---- one request --------------------------------------------------- */

static const struct {
    const char *name, *value;
    int rc;
    const char *shown; /* afterwards, under the hint's own name */
    const char *note;
} sets[] = {
    {"cb_nodes", "4", 0, "4", NULL},
    {"cb_nodes", " 4 ", 0, "4", NULL},
    {"cb_nodes", "automatic", 0, NULL, NULL},
    {"cb_nodes", "0", 0, NULL, NULL},
    {"cb_nodes", "-3", -ERANGE, NULL, "cb_nodes=-3 (info): expected a number"},
    {"cb_nodes", "four", -EINVAL, NULL, "cb_nodes=four"},
    {"cb_nodes", "4x", -EINVAL, NULL, "cb_nodes=4x"},
    {"cb_nodes", "", -EINVAL, NULL, "cb_nodes="},
    {"cb_nodes", "99999999999999999999", -ERANGE, NULL, "expected"},
    {"cb_buffer_size", "500", 0, "500", NULL},
    {"cb_buffer_size", "64m", 0, "67108864", NULL},
    {"cb_buffer_size", "64MiB", 0, "67108864", NULL},
    {"cb_buffer_size", "0", -ERANGE, "16777216", "using 16777216"},
    {"cb_buffer_size", "-1", -ERANGE, "16777216", "using 16777216"},
    {"romio_cb_write", "enable", 0, "enable", NULL},
    {"romio_cb_write", "ENABLE", 0, "enable", NULL},
    {"romio_cb_write", "enabled", 0, "enable", NULL},
    {"romio_cb_write", "true", 0, "enable", NULL},
    {"romio_cb_write", "auto", 0, "automatic", NULL},
    {"romio_cb_write", "2", -EINVAL, "automatic",
     "expected disable/enable/automatic"},
    {"romio_cb_write", "enable;cb_nodes=2", -EINVAL, "automatic",
     "separated by ':', not ';'"},
    {"striping_factor", "-1", 0, "-1", NULL},
    {"striping_factor", "-2", -ERANGE, NULL, "striping_factor=-2"},
    {"striping_unit", "4M", 0, "4194304", NULL},
    {"striping_unit", "8G", -ERANGE, NULL, "striping_unit=8G"},
    {"start_iodevice", "3", 0, "3", NULL},
    {"romio_lustre_start_iodevice", "3", 0, "3", NULL},
    {"overstriping_ratio", "2", 0, "2", NULL},
    {"CO", "3", 0, "3", NULL},
    {"romio_lustre_co_ratio", "3", 0, "3", NULL},
    {"cb_nodes_multiplier", "3", 0, "3",
     "cb_nodes_multiplier is taken as cray_cb_nodes_multiplier"},
    {"cray_cb_node_multiplier", "3", -ENOENT, NULL,
     "did you mean cray_cb_nodes_multiplier?"},
    {"cray_cb_nodes_multiplier", "0", -ERANGE, "1", "using 1"},
    {"cray_cb_write_lock_mode", "2", 0, "2", NULL},
    {"cray_cb_write_lock_mode", "3", -ERANGE, "0", "from 0 to 2; using 0"},
    {"directIO", "enable", 0, "true", NULL},
    {"direct_read", "TRUE", 0, "true", NULL},
    {"same_io_size", "yes", 0, "yes", NULL},
    {"contiguous_data", "true", 0, "yes", NULL},
    {"ds_in_coll", "disable", 0, "disable", NULL},
    {"big_req_size", "40960", 0, "40960", NULL},
    {"romio_no_indep_rw", "true", 0, "true", NULL},
    {"abort_on_rw_error", "1", 0, "enable", NULL},
    {"striping", "auto", 0, "auto", NULL},
    {"striping", "yes", -EINVAL, "directory", "directory/auto"},
    {"cb_config_list", "*:2", 0, "*:2", NULL},
    {"cb_config_list", "", 0, "*:*", NULL},
    {"romio_lustre_pool", "flash", 0, "flash", NULL},
    {"romio_lustre_comp_layout", "-E 64M -c 1 -E -1 -c 8 -S 4M", 0,
     "-E 64M -c 1 -E -1 -c 8 -S 4M", NULL},
    {"romio_lustre_ost_list", "0,2,4-7", 0, "0,2,4-7", NULL},
    {"cb_aggregator_list", "0-127:8", 0, "0-127:8", NULL},
    {"nc_var_align_size", "1", -ENOENT, NULL, NULL},
    /* other libraries' are no business of ours */
    {"colour", "red", -ENOENT, NULL, NULL},
    {"NUMA_ID", "1", -ENOENT, NULL, NULL},
    {"romio_colour", "red", -ENOENT, NULL,
     "unknown hint romio_colour=red (info) ignored"},
};

static void check_set(size_t i)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hints h;
    enum adl_hint id;
    char buf[32];
    const char *shown = NULL;
    bool slip;
    int alias, rc;

    assert_int_equal(adl_hints_init(&h), 0);
    rc = adl_hints_set(&h, sets[i].name, sets[i].value, ADL_FROM_INFO, &notes);
    if (!adl_hint_find(sets[i].name, &id, &alias, &slip))
        shown = adl_hints_text(&h, id, buf, sizeof(buf));
    if (rc != sets[i].rc || !shown != !sets[i].shown ||
        (shown && strcmp(shown, sets[i].shown)) ||
        notes.count != (sets[i].note != NULL) ||
        (sets[i].note && !strstr(notes.line[0], sets[i].note)))
        fail_msg("%s=%s: %d, shown %s, note %s", sets[i].name, sets[i].value,
                 rc, shown ? shown : "nothing",
                 notes.count ? notes.line[0] : "");
    if (rc != -ENOENT)
        assert_int_equal(h.state[id].origin,
                         rc ? ADL_FROM_DEFAULT : ADL_FROM_INFO);
    adl_notes_release(&notes);
    adl_hints_release(&h);
}

static void test_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        check_set(i);
}

/* ---- who wins ------------------------------------------------------ */

/* In any order of calls the environment beats the hint file, that beats info,
 * and that beats a job-wide variable. */
static void test_precedence(void **state)
{
    static const enum adl_origin up[] = {ADL_FROM_VARIABLE, ADL_FROM_INFO,
                                         ADL_FROM_HINT_FILE,
                                         ADL_FROM_ENVIRONMENT};
    struct adl_hints h;
    char value[8];

    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(adl_hints_init(&h), 0);
        for (int i = 0; i < 4; i++) {
            int at = k ? 3 - i : i;

            snprintf(value, sizeof(value), "%d", at + 1);
            assert_int_equal(adl_hints_set(&h, "cb_nodes", value, up[at], NULL),
                             k && i);
        }
        assert_int_equal(h.cb_nodes, 4);
        assert_int_equal(h.state[ADL_HINT_cb_nodes].origin,
                         ADL_FROM_ENVIRONMENT);
        adl_hints_release(&h);
    }
}

/* A bad value of a higher origin leaves a good one of a lower in force. */
static void test_bad_does_not_hide_good(void **state)
{
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    adl_hints_set(&h, "cb_nodes", "x", ADL_FROM_ENVIRONMENT, NULL);
    assert_int_equal(adl_hints_set(&h, "cb_nodes", "4", ADL_FROM_INFO, NULL),
                     0);
    assert_int_equal(h.cb_nodes, 4);
    assert_int_equal(h.state[ADL_HINT_cb_nodes].origin, ADL_FROM_INFO);
    adl_hints_release(&h);
}

/* Per hint the first one wins, whichever name it is given by. */
static void test_spec(void **state)
{
    struct adl_hintspec *spec = NULL;
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    assert_int_equal(
        adl_hintspec_parse("w*:CO=4:nope=1,*:cray_cb_nodes_multiplier=2:"
                           "cb_nodes=9,v:cb_nodes=1",
                           "V", &notes, &spec),
        0);
    adl_hints_set(&h, "cb_nodes", "3", ADL_FROM_INFO, &notes);
    adl_hints_set_spec(&h, spec, "d/wrf", ADL_FROM_ENVIRONMENT, &notes);
    assert_int_equal(h.cb_nodes_multiplier, 4);
    assert_int_equal(h.cb_nodes, 9);
    assert_int_equal(h.state[ADL_HINT_cb_nodes].origin, ADL_FROM_ENVIRONMENT);
    assert_int_equal(notes.count, 1);
    assert_string_equal(notes.line[0],
                        "unknown hint nope=1 (environment) ignored");
    adl_hints_set_spec(&h, NULL, "d/wrf", ADL_FROM_ENVIRONMENT, &notes);
    adl_hintspec_destroy(spec);
    adl_notes_release(&notes);
    adl_hints_release(&h);
}

/* ---- hints that speak about each other ----------------------------- */

static const struct {
    const char *ask;  /* "name=value name=value" */
    const char *then; /* what is shown afterwards */
    int notes;
} settles[] = {
    {"romio_lustre_cb_lock_ahead_write=1",
     "cray_cb_write_lock_mode=2 romio_lustre_cb_lock_ahead_write=1", 0},
    {"cray_cb_write_lock_mode=2", "romio_lustre_cb_lock_ahead_write=1", 0},
    {"romio_lustre_cb_lock_ahead_write=1 cray_cb_write_lock_mode=0",
     "cray_cb_write_lock_mode=0 romio_lustre_cb_lock_ahead_write=0", 1},
    {"cray_cb_write_lock_mode=1", "cray_cb_write_lock_mode=0", 1},
    {"cray_cb_write_lock_mode=1 romio_no_indep_rw=true",
     "cray_cb_write_lock_mode=1 romio_cb_write=enable romio_cb_read=enable", 0},
    {"cray_cb_write_lock_mode=1 romio_no_indep_rw=true romio_cb_write=disable",
     "cray_cb_write_lock_mode=0 romio_no_indep_rw=false romio_cb_write=disable",
     2},
    {"romio_no_indep_rw=true romio_ds_read=enable",
     "romio_cb_write=enable romio_cb_read=enable romio_ds_read=enable", 0},
    {"direct_io=true", "direct_read=true direct_write=true direct_io=true", 0},
    {"directIO=true direct_read=false",
     "direct_read=false direct_write=true direct_io=false", 0},
    {"direct_read=1 direct_write=1", "direct_io=true", 0},
    {"cb_align=1", "cb_align=2", 1},
    {"aggregator_placement_stride=0", "aggregator_placement_stride=-1", 1},
    {"aggregator_placement_stride=3", "aggregator_placement_stride=3", 0},
};

/* fn(name, value) for every pair of "name=value name=value". */
static void each_pair(const char *text, struct adl_hints *h,
                      struct adl_notes *notes,
                      void (*fn)(struct adl_hints *, const char *, const char *,
                                 struct adl_notes *))
{
    char copy[256], *save = NULL, *pair;

    snprintf(copy, sizeof(copy), "%s", text);
    for (pair = strtok_r(copy, " ", &save); pair;
         pair = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(pair, '=');

        *eq = '\0';
        fn(h, pair, eq + 1, notes);
    }
}

static void set_pair(struct adl_hints *h, const char *name, const char *value,
                     struct adl_notes *notes)
{
    assert_int_equal(adl_hints_set(h, name, value, ADL_FROM_INFO, notes), 0);
}

static void expect_pair(struct adl_hints *h, const char *name,
                        const char *value, struct adl_notes *notes)
{
    enum adl_hint id;
    int alias;
    bool slip;
    char buf[32];

    (void)notes;
    assert_int_equal(adl_hint_find(name, &id, &alias, &slip), 0);
    assert_string_equal(adl_hints_text(h, id, buf, sizeof(buf)), value);
}

static void test_settle(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(settles) / sizeof(settles[0]); i++) {
        struct adl_notes notes = ADL_NOTES_INIT;
        struct adl_hints h;

        assert_int_equal(adl_hints_init(&h), 0);
        each_pair(settles[i].ask, &h, &notes, set_pair);
        adl_hints_settle(&h, &notes);
        each_pair(settles[i].then, &h, &notes, expect_pair);
        assert_int_equal(notes.count, settles[i].notes);
        adl_notes_release(&notes);
        adl_hints_release(&h);
    }
}

/* ---- open and after ------------------------------------------------ */

static void test_adjust(void **state)
{
    const struct adl_hint_state *st;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    st = &h.state[ADL_HINT_striping_factor];
    adl_hints_adjust(&h, ADL_HINT_striping_factor, 4, ADL_FROM_DIRECTORY);
    assert_int_equal(h.striping_factor, 4);
    assert_int_equal(st->origin, ADL_FROM_DIRECTORY);
    adl_hints_set(&h, "striping_factor", "8", ADL_FROM_INFO, NULL);
    adl_hints_adjust(&h, ADL_HINT_striping_factor, 8, ADL_FROM_DIRECTORY);
    assert_int_equal(st->origin, ADL_FROM_INFO);
    adl_hints_adjust(&h, ADL_HINT_striping_factor, 2, ADL_FROM_DIRECTORY);
    assert_int_equal(st->origin, ADL_ADJUSTED);
    assert_string_equal(st->asked, "8");
    assert_int_equal(
        adl_hints_adjust_text(&h, ADL_HINT_pool, "flash", ADL_FROM_DIRECTORY),
        0);
    assert_string_equal(h.pool, "flash");
    assert_int_equal(h.state[ADL_HINT_pool].origin, ADL_FROM_DIRECTORY);
    assert_int_equal(
        adl_hints_adjust_text(&h, ADL_HINT_pool, "", ADL_FROM_DEFAULT), 0);
    assert_null(h.pool);
    adl_hints_release(&h);
}

static void test_frozen(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    adl_hints_set(&h, "striping_unit", "1M", ADL_FROM_INFO, &notes);
    adl_hints_adjust(&h, ADL_HINT_striping_unit, 65536, ADL_FROM_FILE);
    adl_hints_freeze(&h);
    /* the same info again, and what is in force: no complaint */
    assert_int_equal(
        adl_hints_set(&h, "striping_unit", "1M", ADL_FROM_INFO, &notes), 0);
    assert_int_equal(
        adl_hints_set(&h, "striping_unit", "64k", ADL_FROM_INFO, &notes), 0);
    assert_int_equal(notes.count, 0);
    assert_int_equal(
        adl_hints_set(&h, "striping_unit", "2M", ADL_FROM_INFO, &notes),
        -EBUSY);
    assert_int_equal(
        adl_hints_set(&h, "striping_factor", "2", ADL_FROM_INFO, &notes),
        -EBUSY);
    assert_int_equal(notes.count, 2);
    assert_int_equal(h.striping_unit, 65536);
    assert_int_equal(h.striping_factor, 0);
    assert_int_equal(
        adl_hints_set(&h, "romio_cb_write", "enable", ADL_FROM_INFO, &notes),
        0);
    assert_int_equal(h.cb_write, ADL_ENABLE);
    adl_notes_release(&notes);
    adl_hints_release(&h);
}

static void append(void *arg, const char *name, const char *value)
{
    adl_strbuf_printf(arg, "%s=%s\n", name, value);
}

/* Unset and undecided hints are not shown, aliases only when asked by them. */
static void test_each(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    adl_hints_each(&h, true, append, &sb);
    assert_null(strstr(sb.text, "cb_nodes="));
    assert_null(strstr(sb.text, "striping_unit="));
    assert_null(strstr(sb.text, "romio_lustre_pool="));
    assert_null(strstr(sb.text, "\nCO="));
    assert_non_null(strstr(sb.text, "\ncray_cb_nodes_multiplier=1\n"));
    adl_strbuf_release(&sb);
    adl_hints_set(&h, "CO", "2", ADL_FROM_INFO, NULL);
    adl_hints_adjust(&h, ADL_HINT_cb_nodes, 8, ADL_FROM_DEFAULT);
    adl_hints_each(&h, true, append, &sb);
    assert_non_null(strstr(sb.text, "\nCO=2\n"));
    assert_non_null(strstr(sb.text, "\ncray_cb_nodes_multiplier=2\n"));
    assert_non_null(strstr(sb.text, "\ncb_nodes=8\n"));
    adl_strbuf_release(&sb);
    adl_hints_each(&h, false, append, &sb);
    assert_null(strstr(sb.text, "\nCO=2\n"));
    adl_strbuf_release(&sb);
    adl_hints_release(&h);
}

/* ---- broadcast ----------------------------------------------------- */

static void fill(struct adl_hints *h)
{
    assert_int_equal(adl_hints_init(h), 0);
    adl_hints_set(h, "CO", "2", ADL_FROM_INFO, NULL);
    adl_hints_set(h, "cb_config_list", "n1:2,*:1", ADL_FROM_ENVIRONMENT, NULL);
    adl_hints_set(h, "romio_cb_write", "disable", ADL_FROM_HINT_FILE, NULL);
    adl_hints_set(h, "striping_factor", "9", ADL_FROM_INFO, NULL);
    adl_hints_set(h, "cb_nodes", "x", ADL_FROM_INFO, NULL);
    adl_hints_set(h, "romio_cb_write", "enable", ADL_FROM_INFO, NULL);
    adl_hints_adjust(h, ADL_HINT_striping_factor, 100000, ADL_FROM_FILE);
    adl_hints_adjust(h, ADL_HINT_striping_unit, 65536, ADL_FROM_DEFAULT);
    adl_hints_adjust_text(h, ADL_HINT_pool, "p", ADL_FROM_DIRECTORY);
}

static void test_pack(void **state)
{
    struct adl_strbuf one = ADL_STRBUF_INIT, two = ADL_STRBUF_INIT;
    struct adl_hints h, copy;

    (void)state;
    fill(&h);
    assert_int_equal(adl_hints_init(&copy), 0);
    adl_hints_set(&copy, "cb_nodes", "7", ADL_FROM_INFO, NULL);
    assert_int_equal(adl_hints_pack(&h, &one), 0);
    assert_int_equal(adl_hints_unpack(&copy, one.text, one.len), 0);
    assert_int_equal(copy.cb_nodes, 0);
    assert_int_equal(copy.striping_factor, 100000);
    assert_int_equal(copy.striping_unit, 65536);
    assert_int_equal(copy.cb_write, ADL_DISABLE);
    assert_string_equal(copy.cb_config_list, "n1:2,*:1");
    assert_string_equal(copy.pool, "p");
    assert_string_equal(copy.state[ADL_HINT_cb_nodes].asked, "x");
    assert_string_equal(copy.state[ADL_HINT_cb_write].lost, "enable");
    assert_int_equal(adl_hints_pack(&copy, &two), 0);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.text, two.text, one.len);
    adl_strbuf_release(&one);
    adl_strbuf_release(&two);
    adl_hints_release(&h);
    adl_hints_release(&copy);
}

/* Cut or changed anywhere: an error or valid hints, never a crash. */
static void test_unpack_noise(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hints h, copy;
    char *exact;

    (void)state;
    fill(&h);
    assert_int_equal(adl_hints_init(&copy), 0);
    assert_int_equal(adl_hints_pack(&h, &sb), 0);
    for (size_t i = 0; i < sb.len; i++) {
        exact = malloc(i + 1); /* so that sanitizers see an overrun */
        memcpy(exact, sb.text, i);
        adl_hints_unpack(&copy, exact, i);
        assert_non_null(copy.cb_config_list);
        free(exact);
        for (int bit = 0; bit < 8; bit++) {
            sb.text[i] ^= (char)(1 << bit);
            adl_hints_unpack(&copy, sb.text, sb.len);
            sb.text[i] ^= (char)(1 << bit);
        }
    }
    assert_int_equal(adl_hints_unpack(&copy, "", 0), -EINVAL);
    assert_string_equal(copy.cb_config_list, "*:*");
    adl_strbuf_release(&sb);
    adl_hints_release(&h);
    adl_hints_release(&copy);
}

static void test_digest(void **state)
{
    (void)state;
    assert_true(adl_hints_digest("cb_nodes", "2") ==
                adl_hints_digest("cb_nodes", "2"));
    assert_true(adl_hints_digest("cb_nodes", "2") !=
                adl_hints_digest("cb_nodes", "3"));
    assert_true(adl_hints_digest("cb_nodes", "2") !=
                adl_hints_digest("striping_factor", "2"));
    assert_true(adl_hints_digest("cb_nodes", "2") != 0);
    /* of another library: may differ from rank to rank */
    assert_true(adl_hints_digest("NUMA_ID", "1") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sound),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_bad_does_not_hide_good),
        cmocka_unit_test(test_spec),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_adjust),
        cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_unpack_noise),
        cmocka_unit_test(test_digest),
    };

    return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
