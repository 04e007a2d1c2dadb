/* section.c - the process's critical section, left by a thread that waits */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "section.h"

#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int entered; /* by this thread: how often */
static __thread long call;   /* of ROMIO, that it is in or was in last */
static long calls;           /* of ROMIO by this process, so far */

void adl_section_enter(void)
{
    if (entered++ == 0) {
        pthread_mutex_lock(&mutex);
        call = ++calls;
    }
}

long adl_section_call(void)
{
    return entered > 0 ? call : 0;
}

void adl_section_exit(void)
{
    if (--entered == 0)
        pthread_mutex_unlock(&mutex);
}

int adl_section_try(void)
{
    if (entered == 0 && pthread_mutex_trylock(&mutex) != 0)
        return 0;
    entered++;
    return 1;
}

int adl_section_leave(void)
{
    int depth = entered;

    entered = 0;
    if (depth > 0)
        pthread_mutex_unlock(&mutex);
    return depth;
}

void adl_section_return(int depth)
{
    if (depth > 0)
        pthread_mutex_lock(&mutex);
    entered = depth;
}

void adl_section_yield(void)
{
    int depth = adl_section_leave();

    sched_yield();
    adl_section_return(depth);
}
