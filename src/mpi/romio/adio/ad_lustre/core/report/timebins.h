/* timebins.h - what one rank did to a file, over time
 *
 * Bins of equal length, counted from the epoch so that those of different
 * ranks and files fall together. Only bins in which something happened exist.
 * One thread adds to a list; times of a list never go back.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TIMEBINS_H
#define ADL_TIMEBINS_H

#include "counters.h"
#include "../text/strbuf.h"

/* Of one direction. */
struct adl_bin_sums {
    int64_t calls;  /* MPI calls begun */
    int64_t system; /* system calls ended */
    int64_t bytes;  /* of these system calls */
    int64_t ns;     /* in these system calls */
};

struct adl_bin {
    int64_t number; /* starts at number x interval */
    struct adl_bin_sums dir[ADL_DIRS];
};

struct adl_bins {
    int64_t interval; /* ns */
    struct adl_bin *bin;
    size_t count, room;
};

/* The bin of time `ns` since the epoch; NULL: no memory, nothing is counted. */
struct adl_bin *adl_bins_at(struct adl_bins *bins, int64_t ns);
void adl_bins_release(struct adl_bins *bins);

/* The line with the names of the columns. */
void adl_bins_csv_head(struct adl_strbuf *sb);
/* A line for each bin, of two lists with the same interval merged. */
void adl_bins_csv(struct adl_strbuf *sb, const struct adl_bins *a,
                  const struct adl_bins *b, const char *file);

#endif
