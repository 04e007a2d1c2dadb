/* report_json.h - everything known about a closed file, as one line of JSON
 *
 * doc/report.md describes it; packaging/schema has its JSON schema.
 * ADL_REPORT_VERSION increases when a member is removed or changes its meaning,
 * not when a member is added.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REPORT_JSON_H
#define ADL_REPORT_JSON_H

#include "advice.h"
#include "../hints/hints.h"

#define ADL_REPORT_SCHEMA "romio-lustre-report"
#define ADL_REPORT_VERSION 1

struct adl_report_more {
    const struct adl_report *report;
    const struct adl_advice_facts *facts;
    const struct adl_hints *hints;
    const struct adl_layout *layout;
    int on_lustre;
    const int *agg_rank;         /* [report->aggregators] */
    const char *const *agg_node; /* names, NULL: not known */
    int timers;                  /* the report has times */
    const char *job;
    int64_t pid;
    int64_t opened_ms, closed_ms; /* since the epoch */
    int open_at_end;              /* MPI_Finalize found it open */
};

/* One line, with its newline. */
void adl_report_json(struct adl_strbuf *sb, const struct adl_report_more *m);

/* The name of the report's file: in `pattern` %f is the last component of the
 * file's name, %p the process id, %j the job id, %% a percent sign; a % before
 * another character is kept. A slash in a value becomes '_'. */
void adl_report_name(struct adl_strbuf *sb, const char *pattern,
                     const char *file, int64_t pid, const char *job);

#endif
