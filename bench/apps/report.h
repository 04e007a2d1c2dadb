/* report.h - results in one form for all proxies, plain or as JSON lines */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_REPORT_H
#define APPS_REPORT_H

#include <mpi.h>
#include <stdint.h>

enum report_phase { WRITE, READ, VERIFY, PHASES };

const char *report_phase_name(enum report_phase phase);

/* Seconds of one rank in one phase. */
struct report_time {
    double open, calls, close;
    double best, mean; /* of repeated calls, of the slowest rank; 0: none */
};

struct report {
    const char *app, *api;
    int rank, ranks, files, calls, collective, json;
    int64_t bytes;         /* of a repetition, all ranks */
    double *rates[PHASES]; /* so far */
    int nrates[PHASES];
};

/* Room for the results of `reps` repetitions: 0 or -errno. */
int report_create(struct report *r, int64_t reps);
void report_destroy(struct report *r);

/* Rank 0 prints; the other ranks call these too. */
void report_begin(const struct report *r);

/* Collective: one phase of one repetition. Its time is the slowest rank's. */
void report_result(struct report *r, enum report_phase phase, int64_t rep,
                   const struct report_time *t, MPI_Comm comm);

/* The median, best and worst of every phase's results. */
void report_end(struct report *r);

#endif
