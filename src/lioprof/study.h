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
    struct lp_json **report; /* one a file the driver closed */
    unsigned reports;
    struct lp_series *app; /* NULL: no CSV */
    uint64_t app_rows;
    struct lp_names *keys; /* lustre-sim: a file's key, and its name */
    char **key_file;
    unsigned key_files;
    struct lp_json *sim;       /* lustre-sim's own counters, NULL: none */
    int64_t clock_offset_most; /* of the hosts' clocks, microseconds */
    uint64_t dropped;          /* log lines lost, as far as the logs say so */
    int partial;               /* something could not be read */
    unsigned used;             /* inputs with usable content */
};

struct lp_study *lp_study_create(const struct lp_study_options *opt);
void lp_study_destroy(struct lp_study *s);

/* A message about an input, on the error output: what is wrong, and what is
 * done instead. `line` 0: about the whole file. */
void lp_study_complain(struct lp_study *s, const char *path, uint64_t line,
                       const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* One of the driver's or lustre-sim's JSON documents; takes it over. */
void lp_study_add_report(struct lp_study *s, struct lp_json *j);
void lp_study_add_sim(struct lp_study *s, struct lp_json *j);
/* A line of the driver's CSV. 1: it is one, 0: it is not. */
int lp_study_add_csv(struct lp_study *s, const char *text, size_t len);
/* An OST that is there, whether it is used or not. */
void lp_study_add_target(struct lp_study *s, const char *name);

/* The file an object belongs to, NULL: not known. */
const char *lp_study_file(const struct lp_study *s, unsigned object);
/* What a client is called: its nid, its uuid where that is not enough. */
void lp_study_client(const struct lp_study *s, unsigned client, char *out,
                     size_t len);
/* What a target is called: without the file system where there is one only. */
const char *lp_study_target(const struct lp_study *s, unsigned target);

#endif
