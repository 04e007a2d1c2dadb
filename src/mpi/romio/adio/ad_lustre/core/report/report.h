/* report.h - the text blocks about a file that rank 0 prints at close
 *
 * Rank 0 fills struct adl_report from the totals of all ranks; the functions
 * here turn it into text in the layouts that users and their scripts know.
 *
 * Phases, and what they mean in this driver. A collective call goes through
 * them in this order. Only "file write" runs at the same time as others, in a
 * thread of the aggregator. The other rows of an aggregator count only the time
 * in which this thread did not write, so that a rank's rows add up to its
 * total.
 *
 *   local compute    finding out what the call asks for
 *   wait for coll    in the start agreement, waiting for ranks that come later
 *   collective       the agreements themselves: the start agreement of the
 *                    rank that waited least, and as much of the end agreement.
 *                    Without MPICH_MPIIO_TIME_WAITS all waiting is in here
 *   data send        copying pieces to where the aggregators take them, waiting
 *                    for room there, messages between nodes
 *   exchange/write   an aggregator has sent its own data and waits for those of
 *                    other ranks
 *   lock mode        asking for locks ahead, or for the group lock
 *   file write       system writes
 *   imbalance        in the end agreement, waiting for ranks that still work
 *   open/close/trunc opening, closing, setting the size; making what the first
 *                    collective call needs
 *   other            the rest; of independent calls all but the system calls
 *
 * The time of a nonblocking call runs from its start (when no earlier call of
 * the file is outstanding) to its completion, whatever the application does
 * meanwhile. In the block "all ranks" the average of file write is over the
 * ranks that write, as scripts that read these blocks expect. Multiplied by the
 * share of these ranks it adds up with the other rows. A clock tick is a
 * nanosecond.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REPORT_H
#define ADL_REPORT_H

#include "counters.h"
#include "../text/strbuf.h"

struct adl_report {
    const char *file;
    int ranks;
    int aggregators;
    int64_t stripe_count;
    int64_t stripe_size;
    int64_t lock_mode;     /* 0, 1, 2 */
    const char *lock_note; /* mode 2: why nothing is locked ahead, or NULL */
    int scale; /* times are shown in units of 2**scale ticks; 0: automatic */
    const struct adl_total *total; /* [ADL_DIRS] */
};

/* 1: the file was written (read). */
int adl_report_has(const struct adl_report *r, enum adl_dir dir);

/* The block of access patterns, and the block of phases: of all ranks, or of
 * those that write (read). */
void adl_report_patterns(struct adl_strbuf *sb, const struct adl_report *r,
                         enum adl_dir dir);
enum adl_whose { ADL_ALL_RANKS, ADL_IO_RANKS };
void adl_report_phases(struct adl_strbuf *sb, const struct adl_report *r,
                       enum adl_dir dir, enum adl_whose whose);

/* ---- the numbers of the phases, for other writers ---- */

/* The rows in the order of the block; NULL after the last. */
struct adl_phase {
    enum adl_counter counter;
    const char *label[ADL_DIRS];
    const char *key[ADL_DIRS]; /* JSON */
};
const struct adl_phase *adl_phase(int i);

/* Nanoseconds. */
int64_t adl_phase_total(const struct adl_report *r, enum adl_dir dir,
                        enum adl_whose whose);
struct adl_row {
    int64_t min, max, ave;
    int percent; /* of the total */
};
struct adl_row adl_phase_row(const struct adl_report *r, enum adl_dir dir,
                             enum adl_whose whose, enum adl_counter counter);

/* MiB/s; 0 where the time is 0. */
struct adl_rates {
    double send, raw, net;
};
struct adl_rates adl_phase_rates(const struct adl_report *r, enum adl_dir dir,
                                 enum adl_whose whose);

#endif
