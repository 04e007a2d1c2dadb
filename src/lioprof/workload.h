/* workload.h - how a file system is used: rates, directions, sizes, bursts
 *
 * The figures of a study of a production system, for any period, for each OST
 * and for all OSTs. Rates are those of the time bins, those of idle servers
 * included.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_WORKLOAD_H
#define LP_WORKLOAD_H

#include "tables.h"

/* Rates of one series' bins, in order. */
struct lp_rates {
    double *rate; /* ascending; bytes or requests a second; of `step` bins */
    unsigned count;
    double mean, peak;
    double busy;      /* part of the bins with any */
    double top_tenth; /* part of all that moved in the busiest tenth of bins */
    double deviation; /* standard deviation to mean */
};

/* series of a target; dir: 0, 1, LP_BOTH; `step` bins together make a rate.
 * 0 or -ENOMEM. */
int lp_rates_make(const struct lp_view *v, const struct lp_series *series,
                  int dir, unsigned step, struct lp_rates *out);
void lp_rates_release(struct lp_rates *r);
/* part: 0 to 1. */
double lp_rates_percentile(const struct lp_rates *r, double part);

/* The tables of `lioprof characterize`; ends with a NULL name. */
extern const struct lp_table_kind lp_workload_tables[];

#endif
