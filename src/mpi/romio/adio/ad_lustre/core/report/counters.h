/* counters.h - the counters of a file: of one rank, and of all ranks
 *
 * A rank counts in two struct adl_tally, for writes and for reads. At close
 * they become totals of one rank, and the totals of all ranks are merged (in
 * any order, so by any reduction).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_COUNTERS_H
#define ADL_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum adl_dir { ADL_WRITES, ADL_READS, ADL_DIRS };

enum adl_counter {
#define ADL_COUNTER(name, kind, text) ADL_N_##name,
#include "counters.def"
#undef ADL_COUNTER
    ADL_COUNTERS
};

enum adl_counter_kind { ADL_SUM, ADL_MAX, ADL_MIN, ADL_TIME };

#define ADL_TIME_FIRST ADL_N_t_total
#define ADL_TIMES (ADL_COUNTERS - ADL_TIME_FIRST)
#define ADL_SIZES (ADL_N_size_1g - ADL_N_size_0 + 1)

const char *adl_counter_name(enum adl_counter id);
enum adl_counter_kind adl_counter_kind(enum adl_counter id);

/* The counts of one rank in one direction. */
struct adl_tally {
    int64_t n[ADL_COUNTERS];
};

void adl_tally_init(struct adl_tally *tally);
/* Add `more` to `to`, as if one rank had counted both. */
void adl_tally_join(struct adl_tally *to, const struct adl_tally *more);
/* Count a collective call with `aggregators` aggregators, of which `active`
 * made system calls. */
void adl_tally_active(struct adl_tally *tally, int64_t active, int aggregators);
/* Sets t_other to t_total minus the sum of the other rows. If that sum is
 * larger (two clocks, two threads), t_total is raised, so that the rows always
 * add up. */
void adl_tally_close(struct adl_tally *tally);
/* At most this many of n aggregators are "half" of them. */
int64_t adl_active_half(int64_t n);
/* Lower bound of a size class, 0 <= i < ADL_SIZES; the class of a size. */
int64_t adl_size_from(int i);
int adl_size_class(int64_t bytes);

/* The counts of all ranks in one direction. */
struct adl_spread {
    int64_t sum, min, max;
};
struct adl_total {
    /* the counters of kind TIME are in `all` and `io` */
    int64_t n[ADL_COUNTERS];
    struct adl_spread all[ADL_TIMES]; /* of all ranks */
    struct adl_spread io[ADL_TIMES];  /* of the ranks that made system calls */
};

/* Of both directions, and `nextra` further numbers that are summed. An array of
 * int64_t to the reduction. */
struct adl_totals {
    int64_t nextra;
    struct adl_total dir[ADL_DIRS];
    int64_t extra[];
};

/* The totals of a single rank. */
void adl_total_of(const struct adl_tally *tally, struct adl_total *out);
/* Merge `in` into `inout`. */
void adl_totals_merge(const struct adl_totals *in, struct adl_totals *inout);

#endif
