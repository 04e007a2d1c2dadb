/* time.c - clock, yield and sleep in virtual time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "../config.h"
#include "../mpi/vmpi.h"
#include "calls.h"
#include "libc.h"

#define SECOND INT64_C(1000000000)
#define EPOCH INT64_C(1700000000) /* what the clock shows at the start */

int libc_sched_yield(void)
{
    libc_counts.yields++;
    if (config.poll_time <= config.yield_time ||
        !progress_sleep(config.poll_time))
        sched_sleep(config.yield_time);
    return 0;
}

static int64_t ns_of(const struct timespec *t)
{
    return t->tv_sec * SECOND + t->tv_nsec;
}

int libc_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    libc_counts.naps++;
    TRACE("sleeps %lld ns", (long long)ns_of(t));
    shared_naps(ns_of(t));
    sched_sleep(ns_of(t));
    return 0;
}

/* A program that means to sleep does not hang. */
unsigned libc_sleep(unsigned seconds)
{
    sched_busy_until(sched_time() + seconds * SECOND);
    sched_sleep(seconds * SECOND);
    return 0;
}

/* A hang is found without it. */
unsigned libc_alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

int libc_clock_gettime(clockid_t id, struct timespec *t)
{
    int64_t ns;

    (void)id;
    sched_charge(20);
    sched_catch_up();
    ns = sched_time() + EPOCH * SECOND;
    t->tv_sec = ns / SECOND;
    t->tv_nsec = ns % SECOND;
    return 0;
}

int libc_clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                         struct timespec *left)
{
    int64_t ns = ns_of(t);

    (void)id;
    (void)left;
    if (flags & TIMER_ABSTIME)
        ns -= sched_time() + EPOCH * SECOND;
    ns = ns > 0 ? ns : 0;
    sched_busy_until(sched_time() + ns); /* lustre-sim's servers */
    sched_sleep(ns);
    return 0;
}

time_t libc_time(time_t *out)
{
    time_t t = EPOCH + sched_time() / SECOND;

    if (out)
        *out = t;
    return t;
}
