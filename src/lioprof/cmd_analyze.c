/* cmd_analyze.c - lioprof analyze and characterize: tables from logs */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "command.h"

#include <stdlib.h>

#include "workload.h"

/* Time bins of an analysis: more than a page is wide. */
#define ANALYZE_BINS 1024
#define ANALYZE_PAIRS 2048
/* Of a study over weeks: 2 s for a day and a half, then wider. */
#define CHARACTERIZE_BINS 65536
#define CHARACTERIZE_WIDTH 2000000

static int show(struct lp_common *c, int count, char **args,
                const struct lp_table_kind *list)
{
    struct lp_study *s;
    struct lp_view *v;
    int rc = LP_FAILED;

    if (!count)
        return LP_USAGE;
    s = lp_command_study(c, count, args);
    if (!s)
        return LP_FAILED;
    v = lp_view_create(s);
    if (v)
        rc = lp_command_tables(c, v, list);
    if (rc == LP_OK)
        rc = lp_command_status(s);
    lp_view_destroy(v);
    lp_study_destroy(s);
    return rc;
}

static int run_analyze(void *into, int count, char **args)
{
    return show(into, count, args, lp_tables);
}

static void *begin_analyze(void)
{
    return lp_common_begin(sizeof(struct lp_common), ANALYZE_BINS,
                           ANALYZE_PAIRS);
}

static int run_characterize(void *into, int count, char **args)
{
    return show(into, count, args, lp_workload_tables);
}

static void *begin_characterize(void)
{
    struct lp_common *c = lp_common_begin(sizeof(*c), CHARACTERIZE_BINS, 0);

    if (c)
        c->study.width = CHARACTERIZE_WIDTH;
    return c;
}

/* clang-format off */
static const struct lp_option options[] = {
    {0, "format", "FORMAT", "text, csv or json (default: text)", lp_set_format},
    {'t', "table", "NAMES", "only these tables, separated by commas", lp_set_tables},
    {'o', "output", "DIR", "a file for each table, in DIR", lp_set_output},
    LP_STUDY_OPTIONS,
    {0, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct lp_command lp_analyze = {
    .name = "analyze",
    .usage = "[OPTION...] DIR|FILE...",
    .about =
        "Read Lustre debug logs, brw_stats, iostat output and the driver's\n"
        "reports, also compressed, also whole directories (- is standard\n"
        "input), and print a table for each question they answer: which\n"
        "clients used which OST when, locks and contention, request sizes,\n"
        "balance.\n",
    .options = options,
    .run = run_analyze,
    .begin = begin_analyze,
    .end = free,
};

const struct lp_command lp_characterize = {
    .name = "characterize",
    .usage = "[OPTION...] DIR|FILE...",
    .about =
        "The same inputs over any period: how rates are distributed, peak\n"
        "against mean, reads against writes over time, request sizes and\n"
        "bursts; for each OST and in all. Time bins are 2 s at least.\n",
    .options = options,
    .run = run_characterize,
    .begin = begin_characterize,
    .end = free,
};
