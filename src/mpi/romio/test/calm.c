/* calm.c - a preload library that lets waiting ranks sleep
 *
 * MPICH waits by polling. With 16 ranks on 2 cores a barrier then costs a
 * scheduling quantum for each step: 130 ms were measured, 1 ms with this
 * library. For tests of what is done, not of how fast. MPICH over UCX polls the
 * network by ucp_worker_progress(); with another network layer the library has
 * no effect.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

#define POLLS 20 /* in vain, before the first sleep */

unsigned ucp_worker_progress(void *worker);

__attribute__((constructor)) static void calm_begin(void)
{
    prctl(PR_SET_TIMERSLACK, 1000);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static unsigned vain;
    struct timespec nap = {0, 100000};
    unsigned events;

    if (!next)
        next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    events = next(worker);
    if (events)
        vain = 0;
    else if (++vain > POLLS)
        nanosleep(&nap, NULL);
    return events;
}
