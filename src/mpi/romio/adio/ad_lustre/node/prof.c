/* prof.c - count what is done to a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "prof.h"

/* ---- system calls ---- */

static struct adl_iocall call_of(const struct adl_prof *p, enum adl_dir dir,
                                 int64_t off, int64_t len, int64_t began)
{
    struct adl_iocall call = {.dir = dir, .off = off, .len = len};
    int64_t now;

    if (p->clock) {
        now = adl_clock_ns();
        call.ns = now - began;
        call.now = now + p->wall;
    }
    return call;
}

int64_t adl_prof_count_own(struct adl_prof *p, enum adl_dir dir, int64_t off,
                           int64_t len, int64_t began)
{
    struct adl_iocall call = call_of(p, dir, off, len, began);

    adl_iostat_add(&p->own, &call);
    if (p->timers)
        p->own.tally[dir].n[ADL_N_t_file] += call.ns;
    return call.ns;
}

/* The time is added at the end of the collective call: see adl_timing.file. */
int64_t adl_prof_count_agg(struct adl_prof *p, enum adl_dir dir, int64_t off,
                           int64_t len, int64_t began)
{
    struct adl_iocall call = call_of(p, dir, off, len, began);

    adl_iostat_follow(&p->agg, *p->owner, p->agg_index, &call);
    adl_iostat_add(&p->agg, &call);
    return call.ns;
}

void adl_prof_count_rmw(struct adl_prof *p, int aggregated, int64_t bytes)
{
    int64_t *n = (aggregated ? &p->agg : &p->own)->tally[ADL_WRITES].n;

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

void adl_prof_count_independent(struct adl_prof *p, enum adl_dir dir,
                                int64_t bytes, int64_t began)
{
    int64_t *n = p->own.tally[dir].n;
    int64_t now = adl_prof_now(p);

    n[ADL_N_independent_calls]++;
    n[ADL_N_independent_bytes] += bytes;
    if (p->timers)
        n[ADL_N_t_total] += now - began;
    count_bin(p, dir, now);
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void adl_prof_note(const struct adl_prof *p, struct adl_timing *t,
                   enum adl_moment moment)
{
    t->at[moment] = adl_clock_ns();
    t->lock[moment] = p->locks->ns;
    t->own[moment] = p->own.tally[ADL_WRITES].n[ADL_N_t_file] +
                     p->own.tally[ADL_READS].n[ADL_N_t_file];
}

/* From one moment to the next. */
static int64_t step(const int64_t v[ADL_MOMENTS], enum adl_moment to)
{
    return v[to] - v[to - 1];
}

/* The rank that came last to the start agreement did not wait for others: its
 * time there is the cost of an agreement. */
static void count_agreements(int64_t *n, const struct adl_timing *t,
                             int64_t now, int64_t least, int waits)
{
    int64_t start = step(t->at, ADL_AGREED), end = now - t->at[ADL_MOVED];
    int64_t pure = waits ? at_most(start, least) : start;
    int64_t last = waits ? at_most(end, least) : end;

    n[ADL_N_t_collective] += pure + last;
    n[ADL_N_t_wait] += start - pure;
    n[ADL_N_t_imbalance] += end - last;
}

/* System calls of this thread are in the file row already. What the io thread
 * did meanwhile comes next, then what that left of idling, then what it left of
 * sending. */
static void count_moving(int64_t *n, const struct adl_timing *t)
{
    int64_t all = step(t->at, ADL_MOVED) - step(t->own, ADL_MOVED);
    int64_t lock = at_most(step(t->lock, ADL_MOVED), all);
    int64_t file = at_most(t->file, all - lock);
    int64_t beside = all - lock - file;
    int64_t idle = t->idle - lock - file;

    if (!t->aggregated)
        return;
    idle = idle < 0 ? 0 : at_most(idle, beside);
    n[ADL_N_t_lock] += lock;
    n[ADL_N_t_file] += file;
    n[ADL_N_t_exchange] += idle;
    n[ADL_N_t_send] += beside - idle;
}

/* A group lock is asked for before the start agreement. */
static void count_start(int64_t *n, const struct adl_timing *t, int waits)
{
    int64_t lock = step(t->lock, ADL_ASKED);

    n[ADL_N_t_lock] += lock;
    n[waits ? ADL_N_t_wait : ADL_N_t_collective] += t->setup_wait;
    n[ADL_N_t_open] += t->setup;
    n[ADL_N_t_compute] +=
        step(t->at, ADL_ASKED) - lock - t->setup_wait - t->setup;
}

void adl_prof_count_collective(struct adl_prof *p, enum adl_dir dir,
                               const struct adl_timing *t, int64_t bytes,
                               const struct adl_outcome *end)
{
    int64_t *n = p->own.tally[dir].n;
    int64_t now = adl_prof_now(p);

    n[ADL_N_collective_calls]++;
    n[ADL_N_collective_bytes] += bytes;
    n[ADL_N_collective_alone] += !t->aggregated;
    n[ADL_N_collective_planned] += t->planned;
    adl_tally_active(&p->own.tally[dir], end->active, p->naggs);
    count_bin(p, dir, now);
    if (!p->timers)
        return;
    n[ADL_N_t_total] += now - t->at[ADL_BEGAN];
    count_start(n, t, p->time_waits);
    count_agreements(n, t, now, end->swift, p->time_waits);
    count_moving(n, t);
}

void adl_prof_count_traffic(struct adl_prof *p, enum adl_dir dir,
                            const struct adl_traffic *t)
{
    int64_t *n = p->own.tally[dir].n;

    n[ADL_N_copied_bytes] += t->copied + t->copied_owner;
    n[ADL_N_copied_owner_bytes] += t->copied_owner;
    if (t->pool_peak > n[ADL_N_pool_peak])
        n[ADL_N_pool_peak] = t->pool_peak;
    n[ADL_N_messages] += t->messages;
    n[ADL_N_messages_large] += t->large;
    n[ADL_N_message_bytes] += t->bytes;
}

void adl_prof_count_open(struct adl_prof *p, int64_t began)
{
    if (p->timers)
        p->open_ns += adl_clock_ns() - began;
}

/* ---- all of it ---- */

static void take_locks(const struct adl_lock_counts *c, int64_t *n)
{
    n[ADL_N_lock_extents] = c->extents;
    n[ADL_N_lock_hits] = c->hits;
    n[ADL_N_lock_misses] = c->misses;
    n[ADL_N_lock_unused] = c->unused;
}

void adl_prof_sum(const struct adl_prof *p, struct adl_tally tally[ADL_DIRS])
{
    for (int d = 0; d < ADL_DIRS; d++) {
        int64_t *n = tally[d].n;

        tally[d] = p->own.tally[d];
        adl_tally_join(&tally[d], &p->agg.tally[d]);
        n[ADL_N_io_ranks] = n[ADL_N_system_calls] > 0;
        n[ADL_N_independent_ranks] = n[ADL_N_independent_calls] > 0;
        n[ADL_N_t_open] += p->open_ns;
        n[ADL_N_t_total] += p->open_ns;
        adl_tally_close(&tally[d]);
    }
    take_locks(p->locks, tally[ADL_WRITES].n);
}
