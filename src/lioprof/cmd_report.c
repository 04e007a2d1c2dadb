/* cmd_report.c - lioprof report and diff: pages */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "page.h"

#define REPORT_BINS 1024
#define REPORT_PAIRS 2048

static void *begin(void)
{
    return lp_common_begin(sizeof(struct lp_common), REPORT_BINS, REPORT_PAIRS);
}

static int run_report(void *into, int count, char **args)
{
    struct lp_common *c = into;
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_study *s;
    struct lp_view *v;
    int rc = LP_FAILED;

    if (!count || !c->output) {
        fprintf(stderr, "usage: lioprof report -o FILE.html DIR|FILE...\n");
        return LP_USAGE;
    }
    s = lp_command_study(c, count, args);
    if (!s)
        return LP_FAILED;
    v = lp_view_create(s);
    if (v) {
        lp_page_report(v, c->title, &sb);
        rc = lp_command_write(c->output, &sb);
    }
    if (rc == LP_OK)
        rc = lp_command_status(s);
    adl_strbuf_release(&sb);
    lp_view_destroy(v);
    lp_study_destroy(s);
    return rc;
}

/* ---- before and after ---- */

/* What to call an input: its last component, unless both have the same. */
static void name_sides(char **args, const char *name[2])
{
    for (int i = 0; i < 2; i++) {
        char *slash;

        while (strlen(args[i]) > 1 && args[i][strlen(args[i]) - 1] == '/')
            args[i][strlen(args[i]) - 1] = '\0';
        slash = strrchr(args[i], '/');
        name[i] = slash ? slash + 1 : args[i];
    }
    if (strcmp(name[0], name[1]) == 0) {
        name[0] = args[0];
        name[1] = args[1];
    }
}

static int show_diff(const struct lp_common *c, const struct lp_view *v[2],
                     const char *const name[2])
{
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    struct lp_table *t;
    int rc;

    if (c->output) {
        lp_page_diff(v, name, c->title, &sb);
    } else {
        t = lp_compare(v, name);
        if (t)
            lp_table_write(t, c->format, &sb);
        if (c->format == LP_AS_JSON)
            adl_strbuf_putc(&sb, '\n');
        lp_table_destroy(t);
    }
    rc = lp_command_write(c->output ? c->output : "-", &sb);
    adl_strbuf_release(&sb);
    return rc;
}

static int run_diff(void *into, int count, char **args)
{
    struct lp_common *c = into;
    struct lp_study *s[2] = {NULL, NULL};
    struct lp_view *v[2] = {NULL, NULL};
    const char *name[2];
    int rc = LP_FAILED;

    if (count != 2) {
        fprintf(stderr, "usage: lioprof diff [OPTION...] A B\n");
        return LP_USAGE;
    }
    for (int i = 0; i < 2; i++) {
        s[i] = lp_command_study(c, 1, args + i);
        v[i] = s[i] ? lp_view_create(s[i]) : NULL;
    }
    if (v[0] && v[1]) {
        name_sides(args, name);
        rc = show_diff(c, (const struct lp_view **)v, name);
    }
    if (rc == LP_OK && (lp_command_status(s[0]) || lp_command_status(s[1])))
        rc = LP_PARTIAL;
    for (int i = 0; i < 2; i++) {
        lp_view_destroy(v[i]);
        lp_study_destroy(s[i]);
    }
    return rc;
}

/* clang-format off */
static const struct lp_option report_options[] = {
    {'o', "output", "FILE", "the page (- is standard output)", lp_set_output},
    {0, "title", "TEXT", "its heading", lp_set_title},
    LP_STUDY_OPTIONS,
    {0, NULL, NULL, NULL, NULL},
};

static const struct lp_option diff_options[] = {
    {'o', "output", "FILE", "a page with both, side by side", lp_set_output},
    {0, "title", "TEXT", "its heading", lp_set_title},
    {0, "format", "FORMAT", "text, csv or json (default: text)", lp_set_format},
    LP_STUDY_OPTIONS,
    {0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct lp_command lp_report = {
    .name = "report",
    .usage = "-o FILE.html [OPTION...] DIR|FILE...",
    .about =
        "Write one page, which needs no other file and no network: findings\n"
        "with what to try, OSTs over time, clients and OSTs, rates stacked by\n"
        "client, locks, request sizes, the driver's own report. Inputs are\n"
        "those of lioprof analyze.\n",
    .options = report_options,
    .run = run_report,
    .begin = begin,
    .end = free,
};

const struct lp_command lp_diff = {
    .name = "diff",
    .usage = "[OPTION...] A B",
    .about = "Compare two runs, figure by figure: A before, B after. Both are\n"
             "inputs as of lioprof analyze: a directory or a file each.\n",
    .options = diff_options,
    .run = run_diff,
    .begin = begin,
    .end = free,
};
