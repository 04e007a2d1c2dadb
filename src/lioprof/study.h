/* study.h - everything the inputs say, ready to be shown */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_STUDY_H
#define LP_STUDY_H

#include "brw.h"
#include "disk.h"
#include "jsonread.h"
#include "tracelog.h"
#include "traffic.h"

enum lp_input {
    LP_INPUT_UNKNOWN,
    LP_INPUT_LOG,
    LP_INPUT_BRW,
    LP_INPUT_IOSTAT,
    LP_INPUT_REPORT, /* the driver's, doc/report.md */
    LP_INPUT_CSV,    /* the driver's, over time */
    LP_INPUT_SIM,    /* lustre-sim stats --json */
    LP_INPUT_COLLECT /* what lioprof collect notes about a host */
};

struct lp_source {
    char *path;
    enum lp_input kind;
    uint64_t bytes;
    struct lp_tracelog_stats log; /* of a log */
};

/* Kinds of the application's course over time, from the driver's CSV. */
enum { LP_APP_READ, LP_APP_WRITE, LP_APP_KINDS };

struct lp_study_options {
    struct lp_tracelog_options log;
    unsigned bins;
    int64_t width; /* of a time bin, at first and at least; 0: 1 ms */
    unsigned pair_series;
    int progress; /* print progress on the error output */
    int quiet;    /* no messages about inputs */
};

struct lp_study {
    struct lp_study_options opt;
    struct lp_traffic *traffic;
    struct lp_source *source;
    unsigned sources;
    struct lp_brw_list brw;
    struct lp_disk_list disks;
    /* one report for each file that the driver closed */
    struct lp_json **report;
    unsigned reports;
    struct lp_series *app; /* NULL: no CSV */
    uint64_t app_rows;
    struct lp_names *keys; /* lustre-sim: a file's key, and its name */
    char **key_file;
    unsigned key_files;
    struct lp_json *sim;       /* lustre-sim's own counters, NULL: none */
    int64_t clock_offset_most; /* of the hosts' clocks, microseconds */
    uint64_t dropped; /* lost log lines, as far as the logs report them */
    int partial;      /* 1: some input could not be read */
    unsigned used;    /* inputs with usable content */
};

struct lp_study *lp_study_create(const struct lp_study_options *opt);
void lp_study_destroy(struct lp_study *s);

/* Print a message about an input on the error output: what is wrong, and what
 * is done instead. `line` 0: about the whole file. */
void lp_study_complain(struct lp_study *s, const char *path, uint64_t line,
                       const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a JSON document of the driver or of lustre-sim. The study owns it
 * afterwards. */
void lp_study_add_report(struct lp_study *s, struct lp_json *j);
void lp_study_add_sim(struct lp_study *s, struct lp_json *j);
/* Add a line of the driver's CSV. 0: it is no such line. */
int lp_study_add_csv(struct lp_study *s, const char *text, size_t len);
/* Add an OST that exists, used or not. */
void lp_study_add_target(struct lp_study *s, const char *name);

/* The file that an object belongs to, NULL: unknown. */
const char *lp_study_file(const struct lp_study *s, unsigned object);
/* The name of a client: its nid; its uuid if several clients have that nid. */
void lp_study_client(const struct lp_study *s, unsigned client, char *out,
                     size_t len);
/* The name of a target, without the file system's name if there is only one. */
const char *lp_study_target(const struct lp_study *s, unsigned target);

#endif
