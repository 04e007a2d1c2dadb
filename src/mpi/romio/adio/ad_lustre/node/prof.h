/* prof.h - counts the calls, bytes and times of a file
 *
 * A file without a report has no struct adl_prof: f->prof is NULL, and the
 * functions below return at once. They read the clock only if times were asked
 * for. mpi/report makes the reports from these numbers.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PROF_H
#define ADL_PROF_H

#include <stdint.h>

#include "../core/coll/outcome.h"
#include "../core/report/counters.h"
#include "../core/report/iostat.h"
#include "../core/report/timing.h"
#include "../core/messages/traffic.h"
#include "../sys/clock.h"
#include "locks.h"

struct adl_prof {
    int timers;            /* phases are timed */
    int clock;             /* system calls are timed */
    struct adl_iostat own; /* the application's thread */
    struct adl_iostat agg; /* the aggregator's io thread */
    int64_t wall; /* added to adl_clock_ns it gives the time since the epoch */
    int64_t open_ns; /* in open, close, resize */
    /* ---- of the file ---- */
    /* the file's schedule, which may be made later */
    struct adl_owner *const *owner;
    const struct adl_lock_counts *locks;
    int naggs, agg_index; /* aggregators; which one this rank is, or -1 */
    int time_waits; /* MPICH_MPIIO_TIME_WAITS: waiting has a row of its own */
};

/* The time, or 0 if no times were asked for. */
static inline int64_t adl_prof_now(const struct adl_prof *p)
{
    return p && p->clock ? adl_clock_ns() : 0;
}

/* ---- the rest: any p; NULL counts nothing ---- */

void adl_prof_mark(const struct adl_prof *p, struct adl_timing *t,
                   enum adl_moment moment);

/* One system call on [off, off + len) that began at `began`: of the
 * aggregator's thread, or (0) of the application's. Returns what it took. */
int64_t adl_prof_io(struct adl_prof *p, int aggregated, enum adl_dir dir,
                    int64_t off, int64_t len, int64_t began);
/* A read-modify-write of `bytes`. */
void adl_prof_rmw(struct adl_prof *p, int aggregated, int64_t bytes);

/* An independent call of `bytes` that began at `began`, at its end. */
void adl_prof_independent(struct adl_prof *p, enum adl_dir dir, int64_t bytes,
                          int64_t began);
/* A collective call, at its end, and its messages and copies. end: the end
 * agreement's result. */
void adl_prof_collective(struct adl_prof *p, enum adl_dir dir,
                         const struct adl_timing *t,
                         const struct adl_traffic *traffic, int64_t bytes,
                         const struct adl_outcome *end);
/* Open, close or resize that began at `began`. */
void adl_prof_opened(struct adl_prof *p, int64_t began);

/* The sum of what this rank has counted so far; p is not NULL. */
void adl_prof_sum(const struct adl_prof *p, struct adl_tally tally[ADL_DIRS]);

#endif
