/* timing.c - where the time of one collective call went */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "timing.h"

#include "../text/minmax.h"

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
    int64_t pure = waits ? adl_min(start, least) : start;
    int64_t last = waits ? adl_min(end, least) : end;

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
    int64_t lock = adl_min(step(t->lock, ADL_MOVED), all);
    int64_t file = adl_min(t->file, all - lock);
    int64_t beside = all - lock - file;
    int64_t idle = t->idle - lock - file;

    if (!t->aggregated)
        return;
    idle = idle < 0 ? 0 : adl_min(idle, beside);
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

void adl_timing_count(const struct adl_timing *t, int64_t now, int64_t least,
                      int waits, int64_t n[ADL_COUNTERS])
{
    n[ADL_N_t_total] += now - t->at[ADL_BEGAN];
    count_start(n, t, waits);
    count_agreements(n, t, now, least, waits);
    count_moving(n, t);
}
