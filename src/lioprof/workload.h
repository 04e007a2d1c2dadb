/* workload.h - how a file system is used: rates, directions, sizes, bursts
 *
 * The figures describe a production system over any period, for each OST and
 * for all OSTs. Rates are those of the time bins, including bins without
 * requests.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_WORKLOAD_H
#define LP_WORKLOAD_H

#include "tables.h"

/* Rates of one series' bins, in order. */
struct lp_rates {
    /* ascending; bytes or requests a second; each over `step` bins */
    double *rate;
    unsigned count;
    double mean, peak;
    double busy;      /* part of the bins with requests */
    double top_tenth; /* part of all that moved in the busiest tenth of bins */
    double deviation; /* standard deviation divided by the mean */
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
