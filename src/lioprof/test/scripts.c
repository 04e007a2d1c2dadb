/* scripts.c - test of collect and options: what is run on a server, and what a
 * command line means
 *
 * The scripts are run by a shell here, with an lctl that is played by a
 * function, so that their words and their order count, not their text alone.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../collect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../options.h"

static const struct lp_collect how = {.rsh = "ssh",
                                      .remote_dir = "/tmp/lioprof-1",
                                      .buffer_mb = 256,
                                      .file_mb = 1024};

static char text[8192];

static const char *taken(struct adl_strbuf *sb)
{
    assert_int_equal(sb->err, 0);
    assert_true(sb->len < sizeof(text));
    strcpy(text, adl_strbuf_text(sb));
    adl_strbuf_release(sb);
    return text;
}

static void assert_has(const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static void test_hosts(void **state)
{
    static const struct {
        const char *host;
        int rc;
    } cases[] = {
        {"oss1", 0},      {"10.0.0.1", 0},       {"user@oss-1.site", 0},
        {"fe80::1", 0},   {"", -EINVAL},         {"-oProxy=x", -EINVAL},
        {"a b", -EINVAL}, {"a;reboot", -EINVAL}, {"$(x)", -EINVAL},
        {"a'b", -EINVAL}, {"a/b", -EINVAL},      {"ö", -EINVAL}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(lp_collect_check_host(cases[i].host), cases[i].rc);
}

/* What the shell makes of a quoted text is the text. */
static void test_quoted(void **state)
{
    static const char *const cases[] = {
        "", "a", "a b", "it's", "$HOME `x`", "'", "''\\'", "a\nb", "\"*?"};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct adl_strbuf sb = ADL_STRBUF_INIT;
        char got[64] = "";
        FILE *f;
        size_t n;

        adl_strbuf_puts(&sb, "printf %s ");
        lp_shell_quote(&sb, cases[i]);
        f = popen(taken(&sb), "r");
        assert_non_null(f);
        n = fread(got, 1, sizeof(got) - 1, f);
        got[n] = '\0';
        assert_int_equal(pclose(f), 0);
        assert_string_equal(got, cases[i]);
    }
}

static void test_start(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    const char *settings, *daemon;

    (void)state;
    lp_collect_start(&how, "oss1", &sb);
    taken(&sb);
    assert_int_equal(strncmp(text, "ssh -o BatchMode=yes 'oss1' ", 28), 0);
    assert_has("mkdir /tmp/lioprof-1-oss1");
    assert_has("umask 077");
    assert_has("lctl list_param");
    assert_null(strstr(text, "get_param -N")); /* prints nothing on 2.17 */
    assert_has("debug_mb=256");
    assert_has("debug_daemon start /tmp/lioprof-1-oss1/debug.bin 1024");
    assert_null(strstr(text, "dlmtrace"));
    assert_null(strstr(text, "iostat"));
    /* the old settings are kept before new ones are made */
    settings = strstr(text, "debug.was");
    daemon = strstr(text, "set_param");
    assert_true(settings && daemon && settings < daemon);
}

static void test_start_more(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_collect more = how;

    (void)state;
    more.rsh = "pdsh";
    more.bytes = more.locks = more.iostat = 1;
    lp_collect_start(&more, "oss2", &sb);
    taken(&sb);
    assert_int_equal(strncmp(text, "pdsh -N -S -R ssh -w 'oss2' ", 28), 0);
    assert_has("rpctrace net dlmtrace");
    assert_has("iostat -d -x -k -t 1");
}

/* Everything is put back, whatever fails. */
static void test_stop(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_collect local = how;

    (void)state;
    local.rsh = "local";
    lp_collect_stop(&local, "here", &sb);
    taken(&sb);
    assert_int_equal(strncmp(text, "sh -c '", 7), 0);
    assert_has("debug_daemon stop || rc=1");
    assert_has("lctl set_param debug=\"$(cat debug.was)\" || rc=1");
    assert_has("lctl set_param debug_mb=\"$(cat debug_mb.was)\" || rc=1");
    assert_has("exit $rc");
}

static void test_fetch(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_collect lines = how;

    (void)state;
    lp_collect_fetch(&how, "oss1", "/out/it's", &sb);
    taken(&sb);
    assert_has("tar -cf - . && cd / && rm -rf /tmp/lioprof-1-oss1");
    assert_has(" | tar -C '/out/it'\\''s' -xf -");
    assert_null(strstr(text, "base64"));
    lines.rsh = "pdsh";
    sb = (struct adl_strbuf)ADL_STRBUF_INIT;
    lp_collect_fetch(&lines, "oss1", "/out", &sb);
    taken(&sb);
    assert_has("| base64");
    assert_has(" | base64 -d | tar -C '/out' -xf -");
}

/* The list of OSTs, from what lctl prints on 2.17: names of parameters. */
static void test_targets(void **state)
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_collect local = how;
    char dir[] = "/tmp/lp-collect.XXXXXX", remote[64], line[64] = "";
    char command[4096];
    FILE *f;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(remote, sizeof(remote), "%s/x", dir);
    local.rsh = "local";
    local.remote_dir = remote;
    lp_collect_start(&local, "h", &sb);
    snprintf(command, sizeof(command),
             "PATH=%s:$PATH; export PATH; printf '%%s\\n' '#!/bin/sh' "
             "'case \"$1\" in list_param) printf \"%%s\\\\n\" "
             "obdfilter.lustre-OST0000 obdfilter.lustre-OST000a "
             "obdfilter.num_refs;; esac' >%s/lctl; chmod +x %s/lctl; %s; "
             "cat %s/x-h/targets; rm -rf %s",
             dir, dir, dir, taken(&sb), dir, dir);
    f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    assert_string_equal(line, "lustre-OST0000\n");
    assert_non_null(fgets(line, sizeof(line), f));
    assert_string_equal(line, "lustre-OST000a\n");
    assert_null(fgets(line, sizeof(line), f));
    pclose(f);
}

/* ---- options ---- */

struct chosen {
    char word[32];
    int flag, runs, count;
    char last[32];
};

static struct chosen chosen;

static int set_word(void *into, const char *value)
{
    struct chosen *c = into;

    if (strcmp(value, "bad") == 0)
        return -EINVAL;
    snprintf(c->word, sizeof(c->word), "%s", value);
    return 0;
}

static int set_flag(void *into, const char *value)
{
    assert_null(value);
    ((struct chosen *)into)->flag++;
    return 0;
}

static int run_chosen(void *into, int count, char **args)
{
    struct chosen *c = into;

    c->runs++;
    c->count = count;
    snprintf(c->last, sizeof(c->last), "%s", count ? args[count - 1] : "");
    return LP_OK;
}

static void *begin_chosen(void)
{
    chosen = (struct chosen){0};
    return &chosen;
}

static void end_chosen(void *into)
{
    assert_ptr_equal(into, &chosen);
}

static const struct lp_option options[] = {
    {'w', "word", "WORD", "a word", set_word},
    {0, "flag", NULL, "a flag", set_flag},
    {0, NULL, NULL, NULL, NULL},
};

static const struct lp_command command = {
    .name = "test",
    .usage = "ARG...",
    .about = "tests",
    .options = options,
    .run = run_chosen,
    .begin = begin_chosen,
    .end = end_chosen,
};

static int parse(const struct lp_command *c, const char *line)
{
    char copy[256], *argv[16] = {NULL}, *at;
    int argc = 0;

    snprintf(copy, sizeof(copy), "%s", line);
    for (at = strtok(copy, " "); at && argc < 15; at = strtok(NULL, " "))
        argv[argc++] = at;
    return lp_command_main(c, argc, argv);
}

static void test_options(void **state)
{
    static const struct {
        const char *line;
        int rc;
        const char *word;
        int flag, count;
    } cases[] = {
        {"test", LP_OK, "", 0, 0},
        {"test a b", LP_OK, "", 0, 2},
        {"test -w x a", LP_OK, "x", 0, 1},
        {"test --word x a", LP_OK, "x", 0, 1},
        {"test --word=x a", LP_OK, "x", 0, 1},
        {"test a --flag -w x b", LP_OK, "x", 1, 2},
        {"test --flag --flag", LP_OK, "", 2, 0},
        {"test -- -w x", LP_OK, "", 0, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(&command, cases[i].line), cases[i].rc);
        assert_int_equal(chosen.runs, 1);
        assert_string_equal(chosen.word, cases[i].word);
        assert_int_equal(chosen.flag, cases[i].flag);
        assert_int_equal(chosen.count, cases[i].count);
    }
}

static void test_bad_options(void **state)
{
    static const char *const lines[] = {"test --nosuch", "test -x",
                                        "test --word", "test -w",
                                        "test --word=bad"};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_int_equal(parse(&command, lines[i]), LP_USAGE);
        assert_int_equal(chosen.runs, 0);
    }
}

/* A command that runs another one leaves that one's options alone. */
static void test_stops(void **state)
{
    struct lp_command runner = command;

    (void)state;
    runner.stop_at_first = 1;
    assert_int_equal(parse(&runner, "test -w x prog -w y --nosuch"), LP_OK);
    assert_string_equal(chosen.word, "x");
    assert_int_equal(chosen.count, 4);
    assert_string_equal(chosen.last, "--nosuch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),       cmocka_unit_test(test_quoted),
        cmocka_unit_test(test_start),       cmocka_unit_test(test_start_more),
        cmocka_unit_test(test_stop),        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_targets),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_bad_options), cmocka_unit_test(test_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
