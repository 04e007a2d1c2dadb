/* workload.c - how a file system is used: rates, directions, sizes, bursts */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "workload.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICES 48 /* rows of a course over time */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int lp_rates_make(const struct lp_view *v, const struct lp_series *series,
                  int dir, unsigned step, struct lp_rates *out)
{
    const struct lp_timeline *time = v->study->traffic->time;
    unsigned used = lp_timeline_used(time), n = (used + step - 1) / step;
    double second = 1e6 / (double)lp_timeline_width(time) / step;
    double sum = 0, squares = 0, top = 0;

    *out = (struct lp_rates){.count = n};
    out->rate = calloc(n + 1, sizeof(*out->rate));
    if (!out->rate)
        return -ENOMEM;
    for (unsigned i = 0; i < used; i++)
        out->rate[i / step] += lp_view_at(v, series, 0, i, dir) * second;
    for (unsigned i = 0; i < n; i++) {
        double rate = out->rate[i];

        sum += rate;
        squares += rate * rate;
        out->busy += rate > 0 ? 1.0 / n : 0;
    }
    qsort(out->rate, n, sizeof(*out->rate), by_value);
    for (unsigned i = n - (n + 9) / 10; i < n; i++)
        top += out->rate[i];
    out->mean = n ? sum / n : 0;
    out->peak = n ? out->rate[n - 1] : 0;
    out->top_tenth = sum > 0 ? top / sum : NAN;
    if (out->mean > 0)
        out->deviation =
            sqrt(fmax(squares / n - out->mean * out->mean, 0)) / out->mean;
    return 0;
}

void lp_rates_release(struct lp_rates *r)
{
    free(r->rate);
    *r = (struct lp_rates){0};
}

/* The smallest rate that is not exceeded in this part of the bins. */
double lp_rates_percentile(const struct lp_rates *r, double part)
{
    unsigned at = (unsigned)ceil(part * r->count);

    if (!r->count)
        return 0;
    return r->rate[at ? at - 1 : 0];
}

/* ---- for all and for each OST ---- */

static const char *const directions[] = {"read", "write", "both"};

/* Number 0 is all of them together. */
static const struct lp_target *whole_or_part(const struct lp_view *v,
                                             unsigned i, const char **name)
{
    *name = i ? lp_view_target(v, i - 1) : "all";
    return i ? lp_view_counts(v, i - 1) : &v->study->traffic->all;
}

static enum lp_column rate_kind(const struct lp_view *v)
{
    return v->bytes_known ? LP_RATE : LP_RATIO;
}

static void make_bandwidth(const struct lp_view *v, struct lp_table *t)
{
    static const double parts[] = {0.5, 0.9, 0.99};

    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "direction", LP_TEXT);
    lp_table_column(t, "mean", rate_kind(v));
    lp_table_column(t, "median", rate_kind(v));
    lp_table_column(t, "p90", rate_kind(v));
    lp_table_column(t, "p99", rate_kind(v));
    lp_table_column(t, "peak", rate_kind(v));
    lp_table_column(t, "peak_to_mean", LP_RATIO);
    for (unsigned i = 0; i <= v->targets; i++) {
        for (int dir = 0; dir < 3; dir++) {
            const char *name;
            const struct lp_target *o = whole_or_part(v, i, &name);
            struct lp_rates r;

            if (lp_rates_make(v, o->series, dir, 1, &r) < 0)
                return;
            lp_table_row(t);
            lp_table_text(t, name);
            lp_table_text(t, directions[dir]);
            lp_table_number(t, r.mean);
            for (int k = 0; k < 3; k++)
                lp_table_number(t, lp_rates_percentile(&r, parts[k]));
            lp_table_number(t, r.peak);
            lp_table_number(t, r.mean > 0 ? r.peak / r.mean : NAN);
            lp_rates_release(&r);
        }
    }
}

static void make_cdf(const struct lp_view *v, struct lp_table *t)
{
    static const int percents[] = {1,  5,  10, 20, 30, 40, 50, 60,
                                   70, 80, 90, 95, 98, 99, 100};
    const struct lp_series *all = v->study->traffic->all.series;
    struct lp_rates r[3];

    lp_table_column(t, "part_of_time", LP_PERCENT);
    for (int dir = 0; dir < 3; dir++) {
        lp_table_column(t, directions[dir], rate_kind(v));
        if (lp_rates_make(v, all, dir, 1, &r[dir]) < 0)
            return;
    }
    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
        lp_table_row(t);
        lp_table_number(t, percents[i] / 100.0);
        for (int dir = 0; dir < 3; dir++)
            lp_table_number(t,
                            lp_rates_percentile(&r[dir], percents[i] / 100.0));
    }
    for (int dir = 0; dir < 3; dir++)
        lp_rates_release(&r[dir]);
}

static void make_read_share(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_timeline *time = v->study->traffic->time;
    const struct lp_series *s = v->study->traffic->all.series;
    unsigned used = lp_timeline_used(time);
    unsigned step = (used + SLICES - 1) / SLICES;

    lp_table_column(t, "time", LP_MOMENT);
    lp_table_column(t, "reads", LP_COUNT);
    lp_table_column(t, "writes", LP_COUNT);
    lp_table_column(t, "read_share", LP_PERCENT);
    lp_table_column(t, "read_share_of_bytes", LP_PERCENT);
    for (unsigned from = 0; s && from < used; from += step) {
        double n[4] = {0};

        for (unsigned bin = from; bin < from + step && bin < used; bin++) {
            n[0] += (double)lp_series_at(s, bin, LP_READ);
            n[1] += (double)lp_series_at(s, bin, LP_WRITE);
            n[2] += (double)lp_series_at(s, bin, LP_READ_BYTES);
            n[3] += (double)lp_series_at(s, bin, LP_WRITE_BYTES);
        }
        if (n[0] + n[1] == 0)
            continue;
        lp_table_row(t);
        lp_table_number(t, (double)lp_timeline_start(time) +
                               (double)from * (double)lp_timeline_width(time));
        lp_table_number(t, n[0]);
        lp_table_number(t, n[1]);
        lp_table_number(t, n[0] / (n[0] + n[1]));
        lp_table_number(t, n[2] + n[3] > 0 ? n[2] / (n[2] + n[3]) : NAN);
    }
}

static void make_directions(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "reads", LP_COUNT);
    lp_table_column(t, "writes", LP_COUNT);
    lp_table_column(t, "read_share", LP_PERCENT);
    lp_table_column(t, "reads_to_writes", LP_RATIO);
    for (unsigned i = 0; i <= v->targets; i++) {
        const char *name;
        const struct lp_counts *c = &whole_or_part(v, i, &name)->counts;
        double reads = (double)c->op[LP_READ];
        double writes = (double)c->op[LP_WRITE];

        lp_table_row(t);
        lp_table_text(t, name);
        lp_table_number(t, reads);
        lp_table_number(t, writes);
        lp_table_number(t, reads + writes > 0 ? reads / (reads + writes) : NAN);
        lp_table_number(t, writes > 0 ? reads / writes : NAN);
    }
}

static void make_size_peaks(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "direction", LP_TEXT);
    lp_table_column(t, "requests", LP_COUNT);
    lp_table_column(t, "mean_size", LP_BYTES);
    lp_table_column(t, "4_to_16_kib", LP_PERCENT);
    lp_table_column(t, "512_kib", LP_PERCENT);
    lp_table_column(t, "1_mib", LP_PERCENT);
    lp_table_column(t, "these_together", LP_PERCENT);
    for (unsigned i = 0; i <= v->targets; i++) {
        for (int dir = 0; dir < 2; dir++) {
            const char *name;
            const struct lp_target *o = whole_or_part(v, i, &name);
            double n = (double)o->counts.sized[dir];
            const struct lp_sizes *s = &o->sizes;
            double peaks[3] = {(double)s->tiny[dir], (double)s->half_mib[dir],
                               (double)s->mib[dir]};

            lp_table_row(t);
            lp_table_text(t, name);
            lp_table_text(t, directions[dir]);
            lp_table_number(t, n);
            lp_table_number(t, n > 0 ? (double)o->counts.bytes[dir] / n : NAN);
            for (int k = 0; k < 3; k++)
                lp_table_number(t, n > 0 ? peaks[k] / n : NAN);
            lp_table_number(t,
                            n > 0 ? (peaks[0] + peaks[1] + peaks[2]) / n : NAN);
        }
    }
}

static void make_bursts(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "busy_part_of_time", LP_PERCENT);
    lp_table_column(t, "moved_in_busiest_tenth", LP_PERCENT);
    lp_table_column(t, "peak_to_mean", LP_RATIO);
    lp_table_column(t, "deviation_to_mean", LP_RATIO);
    for (unsigned i = 0; i <= v->targets; i++) {
        const char *name;
        const struct lp_target *o = whole_or_part(v, i, &name);
        struct lp_rates r;

        if (lp_rates_make(v, o->series, LP_BOTH, 1, &r) < 0)
            return;
        lp_table_row(t);
        lp_table_text(t, name);
        lp_table_number(t, r.busy);
        lp_table_number(t, r.top_tenth);
        lp_table_number(t, r.mean > 0 ? r.peak / r.mean : NAN);
        lp_table_number(t, r.mean > 0 ? r.deviation : NAN);
        lp_rates_release(&r);
    }
}

static void make_workload_sizes(const struct lp_view *v, struct lp_table *t)
{
    for (const struct lp_table_kind *k = lp_tables; k->name; k++)
        if (strcmp(k->name, "sizes") == 0)
            k->make(v, t);
}

/* clang-format off */
const struct lp_table_kind lp_workload_tables[] = {
    {"bandwidth", "Rates: mean, percentiles and peak", make_bandwidth},
    {"cdf", "Rates that are not exceeded in a part of the time", make_cdf},
    {"directions", "Reads and writes", make_directions},
    {"read_share", "Reads and writes over time", make_read_share},
    {"sizes", "Request sizes", make_workload_sizes},
    {"size_peaks", "Request sizes: the usual peaks", make_size_peaks},
    {"bursts", "Bursts", make_bursts},
    {NULL, NULL, NULL},
};
/* clang-format on */
