/* politewait.c - preloaded in tests: ranks that wait for a message sleep
 *
 * MPICH waits in a busy loop. With more ranks than cores the one that has work
 * then waits for time slices of those that have none, and a collective costs
 * milliseconds. Here a wait that finds nothing for a while naps instead, which
 * makes such tests up to ten times faster. Two ways in: the progress function
 * of UCX (Debian's MPICH), and sched_yield (our fork, with
 * MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum { IDLE_POLLS = 20, NAP_NS = 100000, SLACK_NS = 1000 };

typedef unsigned progress_fn(void *worker);

unsigned ucp_worker_progress(void *worker);

static progress_fn *real_progress;
static __thread int idle;

__attribute__((constructor)) static void start(void)
{
    prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
    real_progress = (progress_fn *)dlsym(RTLD_NEXT, "ucp_worker_progress");
}

static void nap(void)
{
    struct timespec time = {0, NAP_NS};
    int saved = errno;

    nanosleep(&time, NULL);
    errno = saved;
}

unsigned ucp_worker_progress(void *worker)
{
    unsigned events = real_progress(worker);

    if (events)
        idle = 0;
    else if (++idle > IDLE_POLLS)
        nap();
    return events;
}

/* It does not tell when a wait ends: nap now and then. */
int sched_yield(void)
{
    if (++idle % IDLE_POLLS == 0)
        nap();
    return 0;
}
