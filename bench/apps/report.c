/* report.c - results in one form for all proxies, plain or as JSON lines */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MIB 1048576.0

const char *report_phase_name(enum report_phase phase)
{
    static const char *const names[PHASES] = {"write", "read", "verify"};

    return names[phase];
}

int report_create(struct report *r, int64_t reps)
{
    for (int p = 0; p < PHASES; p++)
        if (!(r->rates[p] = calloc(reps, sizeof(double))))
            return -ENOMEM;
    return 0;
}

void report_destroy(struct report *r)
{
    for (int p = 0; p < PHASES; p++)
        free(r->rates[p]);
}

void report_begin(const struct report *r)
{
    if (r->rank || r->json)
        return;
    printf("%s: %d ranks, %s, %s, files %d, calls %d, %.3f MiB\n", r->app,
           r->ranks, r->api, r->collective ? "collective" : "independent",
           r->files, r->calls, (double)r->bytes / MIB);
    printf("%-8s %4s %10s %10s %10s %10s %10s\n", "phase", "rep", "open s",
           "calls s", "close s", "total s", "MiB/s");
    fflush(stdout);
}

static void print_json(const struct report *r, const char *phase, int64_t rep,
                       const double *sec, double rate)
{
    printf("{\"app\":\"%s\",\"api\":\"%s\",\"phase\":\"%s\",\"rep\":%lld,"
           "\"ranks\":%d,\"collective\":%s,\"files\":%d,\"calls\":%d,"
           "\"bytes\":%lld,\"open_s\":%.6f,\"calls_s\":%.6f,\"close_s\":%.6f,"
           "\"seconds\":%.6f,\"mib_s\":%.3f,\"best_s\":%.7f,"
           "\"mean_s\":%.7f}\n",
           r->app, r->api, phase, (long long)rep, r->ranks,
           r->collective ? "true" : "false", r->files, r->calls,
           (long long)r->bytes, sec[0], sec[1], sec[2], sec[3], rate, sec[4],
           sec[5]);
}

void report_result(struct report *r, enum report_phase phase, int64_t rep,
                   const struct report_time *t, MPI_Comm comm)
{
    double sec[6] = {t->open, t->calls, t->close, t->open + t->calls + t->close,
                     t->best, t->mean};
    double rate;

    MPI_Allreduce(MPI_IN_PLACE, sec, 6, MPI_DOUBLE, MPI_MAX, comm);
    rate = sec[3] > 0 ? (double)r->bytes / MIB / sec[3] : 0;
    r->rates[phase][r->nrates[phase]++] = rate;
    if (r->rank)
        return;
    if (r->json)
        print_json(r, report_phase_name(phase), rep, sec, rate);
    else
        printf("%-8s %4lld %10.4f %10.4f %10.4f %10.4f %10.2f\n",
               report_phase_name(phase), (long long)rep, sec[0], sec[1], sec[2],
               sec[3], rate);
    fflush(stdout);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void summarize(const struct report *r, enum report_phase phase)
{
    int n = r->nrates[phase];
    double *v = r->rates[phase];
    const char *name = report_phase_name(phase);

    if (!n)
        return;
    qsort(v, n, sizeof(*v), by_value);
    if (r->json)
        printf("{\"app\":\"%s\",\"phase\":\"%s\",\"reps\":%d,"
               "\"median_mib_s\":%.3f,\"best_mib_s\":%.3f,"
               "\"worst_mib_s\":%.3f}\n",
               r->app, name, n, v[n / 2], v[n - 1], v[0]);
    else if (n > 1)
        printf("%-8s median %.2f, best %.2f, worst %.2f MiB/s\n", name,
               v[n / 2], v[n - 1], v[0]);
}

void report_end(struct report *r)
{
    for (int p = 0; p < PHASES && !r->rank; p++)
        summarize(r, p);
    fflush(stdout);
}
