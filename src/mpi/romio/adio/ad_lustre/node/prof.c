/* prof.c - counts the calls, bytes and times of a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "prof.h"

#include "../core/text/minmax.h"

/* ---- system calls ---- */

static struct adl_iostat *iostat_of(struct adl_prof *p, int aggregated)
{
    return aggregated ? &p->agg : &p->own;
}

/* The aggregator's time is added at the end of the collective call: see
 * adl_timing.file. */
int64_t adl_prof_io(struct adl_prof *p, int aggregated, enum adl_dir dir,
                    int64_t off, int64_t len, int64_t began)
{
    struct adl_iocall call = {.dir = dir, .off = off, .len = len};

    if (!p)
        return 0;
    if (p->clock) {
        int64_t now = adl_clock_ns();

        call.ns = now - began;
        call.now = now + p->wall;
    }
    if (aggregated)
        adl_iostat_follow(&p->agg, *p->owner, p->agg_index, &call);
    else if (p->timers)
        p->own.tally[dir].n[ADL_N_t_file] += call.ns;
    adl_iostat_add(iostat_of(p, aggregated), &call);
    return call.ns;
}

void adl_prof_rmw(struct adl_prof *p, int aggregated, int64_t bytes)
{
    int64_t *n;

    if (!p)
        return;
    n = iostat_of(p, aggregated)->tally[ADL_WRITES].n;
    n[ADL_N_rmw_calls]++;
    n[ADL_N_rmw_bytes] += bytes;
}

/* ---- calls of the application ---- */

static void count_bin(struct adl_prof *p, enum adl_dir dir, int64_t now)
{
    struct adl_bin *bin;

    if (!p->own.bins.interval)
        return;
    bin = adl_bins_at(&p->own.bins, now + p->wall);
    if (bin)
        bin->dir[dir].calls++;
}

void adl_prof_independent(struct adl_prof *p, enum adl_dir dir, int64_t bytes,
                          int64_t began)
{
    int64_t *n, now = adl_prof_now(p);

    if (!p)
        return;
    n = p->own.tally[dir].n;
    n[ADL_N_independent_calls]++;
    n[ADL_N_independent_bytes] += bytes;
    if (p->timers)
        n[ADL_N_t_total] += now - began;
    count_bin(p, dir, now);
}

void adl_prof_mark(const struct adl_prof *p, struct adl_timing *t,
                   enum adl_moment moment)
{
    if (!p || !p->clock)
        return;
    t->at[moment] = adl_clock_ns();
    t->lock[moment] = p->locks->ns;
    t->own[moment] = p->own.tally[ADL_WRITES].n[ADL_N_t_file] +
                     p->own.tally[ADL_READS].n[ADL_N_t_file];
}

static void count_traffic(int64_t *n, const struct adl_traffic *t)
{
    n[ADL_N_copied_bytes] += t->copied + t->copied_owner;
    n[ADL_N_copied_owner_bytes] += t->copied_owner;
    n[ADL_N_pool_peak] = adl_max(n[ADL_N_pool_peak], t->pool_peak);
    n[ADL_N_messages] += t->messages;
    n[ADL_N_messages_large] += t->large;
    n[ADL_N_message_bytes] += t->bytes;
}

void adl_prof_collective(struct adl_prof *p, enum adl_dir dir,
                         const struct adl_timing *t,
                         const struct adl_traffic *traffic, int64_t bytes,
                         const struct adl_outcome *end)
{
    int64_t *n, now = adl_prof_now(p);

    if (!p)
        return;
    n = p->own.tally[dir].n;
    n[ADL_N_collective_calls]++;
    n[ADL_N_collective_bytes] += bytes;
    n[ADL_N_collective_alone] += !t->aggregated;
    n[ADL_N_collective_planned] += t->planned;
    count_traffic(n, traffic);
    adl_tally_active(&p->own.tally[dir], end->active, p->naggs);
    count_bin(p, dir, now);
    if (p->timers)
        adl_timing_count(t, now, end->swift, p->time_waits, n);
}

void adl_prof_opened(struct adl_prof *p, int64_t began)
{
    if (p && p->timers)
        p->open_ns += adl_clock_ns() - began;
}

/* ---- all of it ---- */

void adl_prof_sum(const struct adl_prof *p, struct adl_tally tally[ADL_DIRS])
{
    const struct adl_lockwindow_counts *locks = &p->locks->ahead;
    int64_t *n;

    for (int d = 0; d < ADL_DIRS; d++) {
        n = tally[d].n;
        tally[d] = p->own.tally[d];
        adl_tally_join(&tally[d], &p->agg.tally[d]);
        n[ADL_N_io_ranks] = n[ADL_N_system_calls] > 0;
        n[ADL_N_independent_ranks] = n[ADL_N_independent_calls] > 0;
        n[ADL_N_t_open] += p->open_ns;
        n[ADL_N_t_total] += p->open_ns;
        adl_tally_close(&tally[d]);
    }
    n = tally[ADL_WRITES].n;
    n[ADL_N_lock_extents] = locks->extents;
    n[ADL_N_lock_hits] = locks->hits;
    n[ADL_N_lock_misses] = locks->misses;
    n[ADL_N_lock_unused] = locks->extents - locks->used;
}
