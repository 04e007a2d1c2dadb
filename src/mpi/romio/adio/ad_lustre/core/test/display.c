/* display.c - test the environment variables and what is printed at open */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../report/display.h"
#include "../hints/envvars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

/* ---- environment --------------------------------------------------- */

/* The environments of the tests: "NAME=value" lists. */
static char *look_up(const char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++)
        if (!strncmp(*env, name, len) && (*env)[len] == '=')
            return (char *)(uintptr_t)(*env + len + 1);
    return NULL;
}

static char *get_nothing(const char *name)
{
    (void)name;
    return NULL;
}

static char *get_paper(const char *name)
{
    static const char *const env[] = {
        "MPICH_MPIO_HINTS_DISPLAY=1",
        "MPICH_MPIO_AGGREGATOR_PLACEMENT_DISPLAY=1",
        "MPICH_MPIO_STATS=1",
        "MPICH_MPIO_TIMERS=1",
        "MPICH_MPIO_HINTS=*:CO=2",
        NULL};

    return look_up(env, name);
}

static char *get_mixed(const char *name)
{
    static const char *const env[] = {"MPICH_MPIIO_STATS=2",
                                      "MPICH_MPIO_STATS=1",
                                      "MPICH_MPIIO_TIMERS=1",
                                      "MPICH_MPIO_TIMERS=1",
                                      "MPICH_MPIIO_CB_ALIGN=7",
                                      "MPICH_MPIIO_MAX_SIZE_ISEND=1M",
                                      "MPICH_MPIIO_MAX_NUM_ISEND=many",
                                      "MPICH_MPIIO_ABORT_ON_RW_ERROR=enable",
                                      "MPICH_MPIIO_STATS_FILE=run7",
                                      "MPICH_MPIIO_TIME_WAITS=",
                                      "MPICH_MPIIO_HINTS=a",
                                      "MPICH_MPIO_HINTS=b",
                                      NULL};

    return look_up(env, name);
}

static void test_env_defaults(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_env env;

    (void)state;
    adl_env_read(&env, get_nothing, &notes);
    assert_int_equal(notes.count, 0);
    assert_int_equal(env.given, 0);
    assert_int_equal(env.placement_stride, -1);
    assert_int_equal(env.max_num_isend, 50);
    assert_int_equal(env.max_size_isend, 10485760);
    assert_int_equal(env.cb_align, 2);
    assert_int_equal(env.write_exit_barrier, 1);
    assert_string_equal(env.stats_file, "cray_mpiio_stats");
    assert_null(adl_env_get(get_nothing, "HINTS", &notes));
}

/* Ranks that wait before they have rank 0's environment read the variable
 * themselves: with the same result. */
static const char *stall_text;

static char *get_stall(const char *name)
{
    return strcmp(name, ADL_ENV_STALL) ? NULL : (char *)stall_text;
}

static void test_env_stall(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
        int bad;
    } rows[] = {{NULL, 60, 0},
                {"", 60, 0},
                {"0", 0, 0},
                {"5", 5, 0},
                {"1000000", 1000000, 0},
                {"1000001", 60, 1},
                {"-1", 60, 1},
                {"soon", 60, 1},
                {"5 s", 60, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adl_notes notes = ADL_NOTES_INIT;
        struct adl_env env;

        stall_text = rows[i].text;
        adl_env_read(&env, get_stall, &notes);
        assert_int_equal(env.stall, rows[i].seconds);
        assert_int_equal(notes.count, rows[i].bad);
        assert_int_equal(adl_env_stall(rows[i].text), rows[i].seconds);
        adl_notes_release(&notes);
    }
}

static void test_env_paper_spelling(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_env env;

    (void)state;
    adl_env_read(&env, get_paper, &notes);
    assert_int_equal(notes.count, 0);
    assert_true(env.hints_display == 1 && env.placement_display == 1);
    assert_true(env.stats == 1 && env.timers == 1);
    assert_string_equal(adl_env_get(get_paper, "HINTS", &notes), "*:CO=2");
}

/* The lockahead paper's listing 1 in its own spelling, and in the usual one.
 */
#define LISTING                             \
    "wrfout*:cray_cb_write_lock_mode=\n"    \
    "2:cray_cb_nodes_multiplier=8,\n"       \
    "auxhist*:cray_cb_write_lock_mode=2:\n" \
    "cray_cb_nodes_multiplier=4"

static char *get_listing_mpio(const char *name)
{
    static const char *const env[] = {"MPICH_MPIO_HINTS=" LISTING, NULL};

    return look_up(env, name);
}

static char *get_listing_mpiio(const char *name)
{
    static const char *const env[] = {"MPICH_MPIIO_HINTS=" LISTING, NULL};

    return look_up(env, name);
}

static void check_listing(adl_getenv_fn *get, const char *file, int multiplier)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_hintspec *spec = NULL;
    struct adl_hints h;

    assert_int_equal(adl_hints_init(&h), 0);
    assert_int_equal(adl_hintspec_parse(adl_env_get(get, "HINTS", &notes),
                                        "MPICH_MPIIO_HINTS", &notes, &spec),
                     0);
    adl_hints_set_spec(&h, spec, file, ADL_FROM_ENVIRONMENT, &notes);
    adl_hints_settle(&h, &notes);
    assert_int_equal(h.lock_mode, multiplier > 1 ? 2 : 0);
    assert_int_equal(h.cb_nodes_multiplier, multiplier);
    assert_int_equal(notes.count, 0);
    adl_hintspec_destroy(spec);
    adl_hints_release(&h);
}

static void test_env_listing(void **state)
{
    adl_getenv_fn *const get[] = {get_listing_mpio, get_listing_mpiio};

    (void)state;
    for (int i = 0; i < 2; i++) {
        check_listing(get[i], "run/wrfout_d01_2017-10-08", 8);
        check_listing(get[i], "lustre:auxhist2_d01", 4);
        check_listing(get[i], "wrfinput_d01", 1);
    }
}

static void test_env_mixed(void **state)
{
    struct adl_notes notes = ADL_NOTES_INIT;
    struct adl_env env;
    struct adl_hints h;

    (void)state;
    adl_env_read(&env, get_mixed, &notes);
    assert_int_equal(env.stats, 2);
    assert_int_equal(env.timers, 1);
    assert_int_equal(env.cb_align, 2);
    assert_int_equal(env.max_size_isend, 1 << 20);
    assert_int_equal(env.max_num_isend, 50);
    assert_int_equal(env.time_waits, 1);
    assert_string_equal(env.stats_file, "run7");
    assert_int_equal(notes.count, 3);
    assert_true(adl_notes_has(&notes,
                              "MPICH_MPIIO_STATS and MPICH_MPIO_STATS "
                              "are both set: MPICH_MPIIO_STATS is used"));
    assert_true(adl_notes_has(&notes, "MPICH_MPIIO_CB_ALIGN=7: expected a "
                                      "number from 0 to 3; using 2"));
    assert_true(adl_notes_has(&notes, "MPICH_MPIIO_MAX_NUM_ISEND=many: "
                                      "expected a number from 1 to 1048576; "
                                      "using 50"));
    assert_string_equal(adl_env_get(get_mixed, "HINTS", &notes), "a");
    assert_int_equal(notes.count, 4);
    assert_int_equal(adl_hints_init(&h), 0);
    adl_env_set_hints(&env, &h);
    assert_int_equal(h.abort_on_rw_error, 1);
    assert_int_equal(h.state[ADL_HINT_abort_on_rw_error].origin,
                     ADL_FROM_VARIABLE);
    assert_int_equal(h.state[ADL_HINT_cb_align].origin, ADL_FROM_DEFAULT);
    adl_hints_release(&h);
    adl_notes_release(&notes);
}

static void test_env_check(void **state)
{
    static char *const env[] = {
        (char *)"PATH=/bin",          (char *)"MPICH_MPIIO_HINTS=x",
        (char *)"MPICH_MPIO_STATS=1", (char *)"MPICH_MPIIO_HINT_DISPLAY=1",
        (char *)"MPICH_MPIO_TIMER=1", (char *)"MPICH_MPIIO_DVS_MAXNODES=2",
        (char *)"MPICH_MPIIO_",       NULL,
    };
    struct adl_notes notes = ADL_NOTES_INIT;

    (void)state;
    adl_env_check(env, &notes);
    assert_int_equal(notes.count, 4);
    assert_string_equal(notes.line[0], "MPICH_MPIIO_HINT_DISPLAY=1 is not "
                                       "read; did you mean "
                                       "MPICH_MPIIO_HINTS_DISPLAY?");
    assert_string_equal(notes.line[1], "MPICH_MPIO_TIMER=1 is not read; did "
                                       "you mean MPICH_MPIIO_TIMERS?");
    assert_string_equal(notes.line[2],
                        "MPICH_MPIIO_DVS_MAXNODES=2 is not read");
    adl_notes_release(&notes);
}

static void test_env_display(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_env env;

    (void)state;
    adl_env_read(&env, get_paper, NULL);
    adl_env_display(&env, "*:CO=\n2", &sb);
    assert_golden("environment.txt", sb.text);
    adl_strbuf_release(&sb);
    adl_env_display(&env, NULL, &sb);
    assert_non_null(strstr(sb.text, "MPICH_MPIIO_HINTS                         "
                                    "= NULL\n"));
    adl_strbuf_release(&sb);
}

/* ---- hints --------------------------------------------------------- */

static void test_hints_layout(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    adl_hints_adjust(&h, ADL_HINT_cb_nodes, 4, ADL_FROM_DEFAULT);
    adl_display_hints(&sb, "out.nc", &h);
    assert_golden("hints.txt", sb.text);
    assert_ptr_equal(strstr(sb.text,
                            "PE 0: MPIIO hints for out.nc:\n"
                            "          cb_buffer_size           = 16777216\n"
                            "          romio_cb_read            = automatic\n"
                            "          romio_cb_write           = automatic\n"
                            "          cb_nodes                 = 4\n"
                            "          cb_align                 = 2\n"),
                     sb.text);
    assert_non_null(
        strstr(sb.text, "\n          aggregator_placement_stride = -1\n"));
    assert_null(strstr(sb.text, "\n          striping_factor"));
    adl_strbuf_release(&sb);
    adl_hints_release(&h);
}

static const struct {
    const char *name, *value;
    enum adl_origin origin;
    const char *line;
} lines[] = {
    {"cb_buffer_size", "8M", ADL_FROM_INFO,
     "cb_buffer_size           = 8388608 (info)"},
    {"romio_cb_write", "enable", ADL_FROM_ENVIRONMENT,
     "romio_cb_write           = enable (environment)"},
    {"cb_config_list", "*:1", ADL_FROM_HINT_FILE,
     "cb_config_list           = *:1 (hint file)"},
    {"romio_cb_read", "often", ADL_FROM_INFO,
     "romio_cb_read            = automatic (default; info asked for often)"},
    {"cb_nodes", "many", ADL_FROM_INFO,
     "cb_nodes                 = NULL (default; info asked for many)"},
    {"CO", "2", ADL_FROM_INFO, "cray_cb_nodes_multiplier = 2 (info)"},
    /* one after the other, both orders: the higher origin wins */
    {"romio_ds_read", "enable", ADL_FROM_INFO, NULL},
    {"romio_ds_read", "disable", ADL_FROM_ENVIRONMENT,
     "romio_ds_read            = disable (environment; info asked for enable)"},
    {"romio_ds_write", "disable", ADL_FROM_ENVIRONMENT, NULL},
    {"romio_ds_write", "enable", ADL_FROM_HINT_FILE, NULL},
    {"romio_ds_write", "automatic", ADL_FROM_INFO,
     "romio_ds_write           = disable (environment; hint file asked for "
     "enable)"},
    {"direct_read", "true", ADL_FROM_INFO, NULL},
    {"direct_read", "yes", ADL_FROM_ENVIRONMENT,
     "direct_read              = true (environment)"},
};

static void test_hints_origins(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_hints h;

    (void)state;
    assert_int_equal(adl_hints_init(&h), 0);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        adl_hints_set(&h, lines[i].name, lines[i].value, lines[i].origin, NULL);
    adl_hints_set(&h, "striping_factor", "100", ADL_FROM_INFO, NULL);
    adl_hints_adjust(&h, ADL_HINT_striping_factor, 60, ADL_FROM_FILE);
    adl_hints_adjust(&h, ADL_HINT_striping_unit, 1048576, ADL_FROM_DIRECTORY);
    adl_display_hints(&sb, "f", &h);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *at;

        if (!lines[i].line)
            continue;
        at = strstr(sb.text, lines[i].line);
        if (!at || at[strlen(lines[i].line)] != '\n')
            fail_msg("no line '%s' in\n%s", lines[i].line, sb.text);
    }
    assert_non_null(strstr(sb.text, "striping_factor          = 60 (adjusted; "
                                    "info asked for 100)\n"));
    assert_non_null(
        strstr(sb.text, "striping_unit            = 1048576 (directory)\n"));
    adl_strbuf_release(&sb);
    adl_hints_release(&h);
}

/* ---- placement ----------------------------------------------------- */

static void test_placement(void **state)
{
    static const struct adl_run run[] = {{0, 2, 1, 0, 0}, {2, 2, 1, 0, 0}};
    struct adl_nodemap *map = adl_nodemap_create();
    struct adl_place_ask ask = {.nodes = map, .objects = 2, .multiplier = 1};
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct adl_placement *p = NULL;

    (void)state;
    assert_int_equal(adl_nodemap_add(map, "nid00578", &run[0], 1), 0);
    assert_int_equal(adl_nodemap_add(map, NULL, &run[1], 1), 0);
    assert_int_equal(adl_place(&ask, NULL, &p), 0);
    adl_display_placement(&sb, "out.nc", p, map, -1);
    assert_golden("placement.txt", sb.text);
    adl_strbuf_release(&sb);
    adl_placement_destroy(p);
    adl_nodemap_destroy(map);
}

/* ---- notes --------------------------------------------------------- */

static void test_notes_once(void **state)
{
    struct adl_notes job = ADL_NOTES_INIT, file = ADL_NOTES_INIT;

    (void)state;
    adl_notes_add(&file, "a %d", 1);
    adl_notes_add(&file, "a %d", 1);
    adl_notes_add(&file, "b\n\x1b[31m");
    assert_int_equal(file.count, 2);
    assert_string_equal(file.line[1], "b??[31m");
    adl_notes_fresh(&file, &job);
    assert_int_equal(file.count, 2);
    adl_notes_release(&file);
    adl_notes_add(&file, "a 1");
    adl_notes_add(&file, "c");
    adl_notes_fresh(&file, &job);
    assert_int_equal(file.count, 1);
    assert_string_equal(file.line[0], "c");
    assert_int_equal(job.count, 3);
    adl_notes_add(NULL, "no list to add it to");
    adl_notes_release(&file);
    adl_notes_release(&job);
}

static void test_strbuf(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;

    (void)state;
    assert_string_equal(adl_strbuf_text(&sb), "");
    for (int i = 0; i < 1000; i++)
        adl_strbuf_printf(&sb, "%d,", i % 10);
    assert_int_equal(sb.len, 2000);
    assert_int_equal(strlen(sb.text), 2000);
    assert_true(sb.text[1998] == '9');
    adl_strbuf_release(&sb);
    assert_true(!sb.text && !sb.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_env_defaults),
        cmocka_unit_test(test_env_stall),
        cmocka_unit_test(test_env_paper_spelling),
        cmocka_unit_test(test_env_listing),
        cmocka_unit_test(test_env_mixed),
        cmocka_unit_test(test_env_check),
        cmocka_unit_test(test_env_display),
        cmocka_unit_test(test_hints_layout),
        cmocka_unit_test(test_hints_origins),
        cmocka_unit_test(test_placement),
        cmocka_unit_test(test_notes_once),
        cmocka_unit_test(test_strbuf),
    };

    return cmocka_run_group_tests_name("display", tests, NULL, NULL);
}
