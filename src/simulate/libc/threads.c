/* threads.c - threads are fibers; mutexes and conditions block fibers
 *
 * A mutex keeps its holder in its first bytes, so that a zeroed one is free as
 * for the C library, and so that it works in memory shared by ranks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../config.h"
#include "../memory.h"
#include "../order.h"
#include "../trace.h"
#include "calls.h"
#include "libc.h"

/* ---- threads ---- */

struct thread {
    struct fiber *fiber;
    void *(*fn)(void *);
    void *arg, *result;
};

static void run_thread(void *arg)
{
    struct thread *t = arg;

    t->result = t->fn(t->arg);
}

int libc_pthread_create(pthread_t *out, const pthread_attr_t *attr,
                        void *(*fn)(void *), void *arg)
{
    struct thread *t;

    (void)attr;
    libc_hook();
    if (libc_is_refused())
        return EAGAIN;
    t = must_calloc(1, sizeof(*t));
    t->fn = fn;
    t->arg = arg;
    t->fiber = sched_spawn(sched_rank, run_thread, t);
    *out = (pthread_t)t;
    TRACE("creates a thread, #%d", sched_fiber_id(t->fiber));
    return 0;
}

int libc_pthread_join(pthread_t thread, void **result)
{
    struct thread *t = (struct thread *)thread;

    while (!sched_fiber_done(t->fiber))
        sched_block(sched_fiber_key(t->fiber), -1, "joins a thread");
    if (result)
        *result = t->result;
    sched_fiber_free(t->fiber);
    free(t);
    return 0;
}

int libc_pthread_detach(pthread_t thread)
{
    (void)thread;
    return 0;
}

/* ---- mutexes ---- */

struct mutex {
    uint32_t holder; /* fiber + 1, 0: free */
    uint32_t waiting;
};

static int *in_server; /* [ranks]: mutexes of the server that a rank holds */

int threads_in_server(int rank)
{
    return in_server && in_server[rank] > 0;
}

static void note_server(const void *mutex, int more)
{
    if (!config.kill_at || sched_rank < 0 || !shared_by_all(mutex))
        return;
    if (!in_server)
        in_server = must_calloc((size_t)config.ranks, sizeof(*in_server));
    in_server[sched_rank] += more;
}

static struct mutex *mutex_of(pthread_mutex_t *m)
{
    return (struct mutex *)m;
}

static uint32_t my_id(void)
{
    return sched_current ? (uint32_t)sched_fiber_id(sched_current) + 1 : 1;
}

int libc_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    (void)attr;
    memset(m, 0, sizeof(*m));
    return 0;
}

int libc_pthread_mutex_destroy(pthread_mutex_t *m)
{
    return mutex_of(m)->holder ? EBUSY : 0;
}

int libc_pthread_mutex_consistent(pthread_mutex_t *m)
{
    (void)m;
    return 0;
}

static int acquire(struct mutex *m)
{
    if (m->holder == my_id())
        return EDEADLK;
    while (m->holder) {
        m->waiting++;
        sched_block(shared_key(m), -1, "waits for a mutex");
        m->waiting--;
    }
    m->holder = my_id();
    note_server(m, 1);
    return 0;
}

static void release(struct mutex *m)
{
    m->holder = 0;
    note_server(m, -1);
    if (m->waiting)
        sched_wake(shared_key(m), 1);
}

int libc_pthread_mutex_lock(pthread_mutex_t *m)
{
    int rc;

    libc_hook();
    rc = acquire(mutex_of(m));
    libc_hook();
    return rc;
}

int libc_pthread_mutex_trylock(pthread_mutex_t *m)
{
    libc_hook();
    if (mutex_of(m)->holder)
        return EBUSY;
    mutex_of(m)->holder = my_id();
    note_server(m, 1);
    return 0;
}

int libc_pthread_mutex_unlock(pthread_mutex_t *m)
{
    order_all();
    if (mutex_of(m)->holder != my_id())
        sched_fail("a mutex was unlocked by another thread than its holder");
    release(mutex_of(m));
    libc_hook();
    return 0;
}

/* ---- conditions ---- */

int libc_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    (void)attr;
    memset(c, 0, sizeof(*c));
    return 0;
}

int libc_pthread_cond_destroy(pthread_cond_t *c)
{
    (void)c;
    return 0;
}

static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, int64_t limit)
{
    int late;

    shared_sleeps(shared_key(c));
    release(mutex_of(m)); /* no hook between here and the sleep */
    late = sched_block(shared_key(c), limit, "waits for a condition");
    acquire(mutex_of(m));
    return late ? ETIMEDOUT : 0;
}

int libc_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    return wait_on(c, m, -1);
}

int libc_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                const struct timespec *limit)
{
    struct timespec now;
    int64_t ns;

    libc_clock_gettime(CLOCK_REALTIME, &now);
    ns = (limit->tv_sec - now.tv_sec) * INT64_C(1000000000) + limit->tv_nsec -
         now.tv_nsec;
    return wait_on(c, m, ns > 0 ? ns : 0);
}

int libc_pthread_cond_signal(pthread_cond_t *c)
{
    sched_wake(shared_key(c), 1);
    libc_hook();
    return 0;
}

int libc_pthread_cond_broadcast(pthread_cond_t *c)
{
    sched_wake(shared_key(c), INT32_MAX);
    libc_hook();
    return 0;
}
