/* command.h - what the commands that read logs share */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_COMMAND_H
#define LP_COMMAND_H

#include "options.h"
#include "study.h"
#include "table.h"
#include "tables.h"

extern const struct lp_command lp_analyze, lp_report, lp_characterize, lp_diff,
    lp_plot, lp_collect;

/* Options that all commands have; the first member of the options of each. */
struct lp_common {
    struct lp_study_options study;
    const char *output;
    const char *tables; /* names, separated by commas; NULL: all */
    enum lp_format format;
    const char *title;
};

int lp_set_from(void *into, const char *value);
int lp_set_to(void *into, const char *value);
int lp_set_interval(void *into, const char *value);
int lp_set_rpc_size(void *into, const char *value);
int lp_set_quiet(void *into, const char *value);
int lp_set_output(void *into, const char *value);
int lp_set_tables(void *into, const char *value);
int lp_set_format(void *into, const char *value);
int lp_set_title(void *into, const char *value);

/* clang-format off */
#define LP_STUDY_OPTIONS                                                       \
    {0, "from", "TIME", "leave out what came before: seconds since the epoch\n"\
     "                             or 2026-01-31T12:00:00 (UTC)", lp_set_from},\
    {0, "to", "TIME", "leave out what came then or later", lp_set_to},         \
    {0, "interval", "TIME", "width of a time bin at least: 10ms, 2s, 1m",      \
     lp_set_interval},                                                         \
    {0, "rpc-size", "SIZE", "bytes of a read or write whose size the log\n"    \
     "                             lacks, such as 1M", lp_set_rpc_size},         \
    {'q', "quiet", NULL, "no messages about inputs, no progress", lp_set_quiet}
/* clang-format on */

/* Zeroed options with the defaults of a study. NULL if malloc fails. */
void *lp_common_begin(size_t size, unsigned bins, unsigned pair_series);

/* Read the inputs. NULL: none could be used; the reason was printed. */
struct lp_study *lp_command_study(const struct lp_common *c, int count,
                                  char **args);
/* The exit status for a study that was shown. */
int lp_command_status(const struct lp_study *s);

/* Print tables of a list (ends with a NULL name): all, or those named; to
 * standard output or as files NAME.txt, .csv, .json of the directory `output`.
 */
int lp_command_tables(const struct lp_common *c, const struct lp_view *v,
                      const struct lp_table_kind *list);

/* Write a whole file, or standard output for "-": under a name of its own
 * first, so that no reader sees half of it. A device, a pipe or a link stays
 * what it is, and the text goes into it. An exit status. */
int lp_command_write(const char *path, const struct adl_strbuf *sb);

#endif
