/* timing.h - where the time of one collective call went
 *
 *   began      asked            agreed         moved            end
 *     | compute  | start agreement | moving bytes | end agreement |
 *
 * Every stretch between two of these moments belongs to rows of the report.
 * What this thread spent in system calls of its own is counted where these are
 * made.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TIMING_H
#define ADL_TIMING_H

#include <stdint.h>

#include "counters.h"

/* Moments of a collective call at which the clock is read. */
enum adl_moment {
    ADL_BEGAN,
    ADL_ASKED,  /* the start agreement */
    ADL_AGREED, /* the start agreement ended */
    ADL_MOVED,  /* this rank's data are where they belong */
    ADL_MOMENTS
};

/* The times of one collective call; part of its struct adl_access. All in ns.
 */
struct adl_timing {
    int64_t at[ADL_MOMENTS];   /* when */
    int64_t lock[ADL_MOMENTS]; /* spent with locks on this file until then */
    int64_t own[ADL_MOMENTS];  /* in system calls of this thread until then */
    int64_t setup_wait, setup; /* first call: time to make the engine */
    int64_t idle;              /* this rank slept, with nothing left to send */
    int64_t file;              /* in system calls of the io thread */
    int active;                /* this aggregator made system calls */
    int aggregated;
    int planned; /* an exact call with the shape of the last one (plan.h) */
};

/* Add the times of a call that ended at `now` to the counters `n` of its
 * direction. `least`: the shortest start agreement of all ranks; `waits`: time
 * that a rank waited for others has a row of its own. */
void adl_timing_count(const struct adl_timing *t, int64_t now, int64_t least,
                      int waits, int64_t n[ADL_COUNTERS]);

#endif
