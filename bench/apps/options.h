/* options.h - the command line: a table of options all proxies have, and one
 * of a proxy's own */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include "verdict.h"
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* int, set to 1 */
    OPTION_NUMBER, /* int64_t, from min on */
    OPTION_SIZE,   /* the same, in bytes, or with K, M or G */
    OPTION_REAL,   /* double, from min on */
    OPTION_WORD,   /* int, the number of one of the words, "a|b|c" in `arg` */
    OPTION_HINT,   /* MPI_Info, KEY=VALUE */
};

struct option_spec {
    const char *name; /* without the two hyphens; NULL ends a table */
    char letter;      /* 0: none */
    enum option_kind kind;
    const char *arg; /* what the help calls the argument */
    const char *help;
    size_t at; /* offset of the field in the settings */
    double min;
};

/* What all proxies have. */
struct options {
    const char *dir;
    double scale;
    int64_t reps, seed, again;
    MPI_Info hints;
    int api; /* enum io_name */
    int write, read, verify, gaps;
    int independent, sync, keep, json, help;
    double progress; /* seconds between lines, negative: none */
};

/* The table of a proxy's own options, and the settings they go to. */
struct option_table {
    const struct option_spec *specs;
    void *settings;
};

void options_init(struct options *o);
void options_destroy(struct options *o);

/* Local. Without an error in the verdict o->dir is set, or o->help. */
void options_parse(struct options *o, const struct option_table *own, int argc,
                   char **argv, struct verdict *v);

/* All options, to standard output. */
void options_help(const struct option_table *own);

#endif
