/* virtual.h - clients as threads in a time of their own, for tests of time
 *
 * A test that includes it is linked with --wrap for clock_gettime,
 * clock_nanosleep and syscall. Time goes on only where a thread sleeps. Between
 * virtual_run and its return one thread runs at a time; when it sleeps or waits
 * for a futex the next one that can run does, and when none can, time goes on
 * to the first one that is due. So times and counts are the same in every run,
 * whatever else the machine does.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_TEST_VIRTUAL_H
#define LSIM_TEST_VIRTUAL_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define VIRTUAL_THREADS 16
#define VIRTUAL_SECOND UINT64_C(1000000000)
#define VIRTUAL_NEVER UINT64_MAX

enum virtual_state { VIRTUAL_READY, VIRTUAL_ASLEEP, VIRTUAL_ENDED };

struct virtual_thread {
    pthread_t thread;
    enum virtual_state state;
    uint64_t due;   /* asleep: until then */
    uint64_t since; /* ready or asleep: the order of those that are equal */
    const uint32_t *futex;
    void (*fn)(unsigned self, void *arg);
    void *arg;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t change;
    struct virtual_thread list[VIRTUAL_THREADS];
    unsigned count;
    int running; /* which; -1: none */
    uint64_t now, order;
} virtual = {.mutex = PTHREAD_MUTEX_INITIALIZER,
             .change = PTHREAD_COND_INITIALIZER,
             .now = 1000 * VIRTUAL_SECOND};

static __thread int virtual_self = -1;

long __real_syscall(long number, ...);

/* Whether a goes before b. */
static inline int virtual_before(const struct virtual_thread *a,
                                 const struct virtual_thread *b)
{
    if (a->state != b->state)
        return a->state == VIRTUAL_READY;
    if (a->state == VIRTUAL_ASLEEP && a->due != b->due)
        return a->due < b->due;
    return a->since < b->since;
}

/* Under the mutex: hand over to the next one. */
static inline void virtual_next(void)
{
    struct virtual_thread *best = NULL;

    for (unsigned i = 0; i < virtual.count; i++) {
        struct virtual_thread *t = &virtual.list[i];

        if (t->state != VIRTUAL_ENDED && (!best || virtual_before(t, best)))
            best = t;
    }
    if (best && best->state == VIRTUAL_ASLEEP) {
        if (best->due == VIRTUAL_NEVER) /* all wait for each other */
            abort();
        if (best->due > virtual.now)
            virtual.now = best->due;
    }
    if (best) {
        best->state = VIRTUAL_READY;
        best->futex = NULL;
    }
    virtual.running = best ? (int)(best - virtual.list) : -1;
    pthread_cond_broadcast(&virtual.change);
}

static inline void virtual_sleep(uint64_t due, const uint32_t *futex)
{
    struct virtual_thread *me = &virtual.list[virtual_self];

    pthread_mutex_lock(&virtual.mutex);
    me->state = VIRTUAL_ASLEEP;
    me->due = due;
    me->futex = futex;
    me->since = virtual.order++;
    virtual_next();
    while (virtual.running != virtual_self)
        pthread_cond_wait(&virtual.change, &virtual.mutex);
    pthread_mutex_unlock(&virtual.mutex);
}

static inline void virtual_wake(const uint32_t *futex)
{
    pthread_mutex_lock(&virtual.mutex);
    for (unsigned i = 0; i < virtual.count; i++)
        if (virtual.list[i].state == VIRTUAL_ASLEEP &&
            virtual.list[i].futex == futex) {
            virtual.list[i].state = VIRTUAL_READY;
            virtual.list[i].since = virtual.order++;
        }
    pthread_mutex_unlock(&virtual.mutex);
}

static void *virtual_main(void *arg)
{
    struct virtual_thread *me = arg;

    virtual_self = (int)(me - virtual.list);
    pthread_mutex_lock(&virtual.mutex);
    while (virtual.running != virtual_self)
        pthread_cond_wait(&virtual.change, &virtual.mutex);
    pthread_mutex_unlock(&virtual.mutex);
    me->fn((unsigned)virtual_self, me->arg);
    pthread_mutex_lock(&virtual.mutex);
    me->state = VIRTUAL_ENDED;
    virtual_next();
    pthread_mutex_unlock(&virtual.mutex);
    return NULL;
}

/* Run fn on `count` threads until all have returned. Returns how long that
 * took, in seconds. */
static inline double
virtual_run(unsigned count, void (*fn)(unsigned self, void *arg), void *arg)
{
    uint64_t from = virtual.now;

    virtual.count = count;
    virtual.running = -1;
    for (unsigned i = 0; i < count; i++) {
        virtual.list[i] = (struct virtual_thread){
            .since = virtual.order++, .fn = fn, .arg = arg};
        if (pthread_create(&virtual.list[i].thread, NULL, virtual_main,
                           &virtual.list[i]) != 0)
            abort();
    }
    pthread_mutex_lock(&virtual.mutex);
    virtual_next();
    pthread_mutex_unlock(&virtual.mutex);
    for (unsigned i = 0; i < count; i++)
        pthread_join(virtual.list[i].thread, NULL);
    return (double)(virtual.now - from) / 1e9;
}

/* All wait for all. */
struct virtual_barrier {
    unsigned here;
    uint32_t round;
};

static inline void virtual_meet(struct virtual_barrier *b)
{
    if (++b->here == virtual.count) {
        b->here = 0;
        b->round++;
        virtual_wake(&b->round);
    } else {
        virtual_sleep(VIRTUAL_NEVER, &b->round);
    }
}

/* ---- what the server under test calls ---- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left);
long __wrap_syscall(long number, ...);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){.tv_sec = (time_t)(virtual.now / VIRTUAL_SECOND),
                           .tv_nsec = (long)(virtual.now % VIRTUAL_SECOND)};
    return 0;
}

static inline uint64_t virtual_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * VIRTUAL_SECOND + (uint64_t)t->tv_nsec;
}

/* Until a time; of the thread that runs the tests, too. */
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                           struct timespec *left)
{
    (void)clock;
    (void)left;
    if (!(flags & TIMER_ABSTIME))
        abort();
    if (virtual_self >= 0)
        virtual_sleep(virtual_ns(t), NULL);
    else if (virtual_ns(t) > virtual.now)
        virtual.now = virtual_ns(t);
    return 0;
}

static inline long virtual_futex(const uint32_t *futex, int op, uint32_t value,
                                 const struct timespec *until)
{
    if (op == FUTEX_WAKE) {
        virtual_wake(futex);
    } else if (virtual_self < 0) {
        if (!until) /* no other thread can wake this one */
            abort();
        if (virtual_ns(until) > virtual.now)
            virtual.now = virtual_ns(until);
    } else if (*futex == value) {
        virtual_sleep(until ? virtual_ns(until) : VIRTUAL_NEVER, futex);
    }
    return 0;
}

/* As the C library's: it takes six arguments from where they would be, whatever
 * was passed. */
__attribute__((no_sanitize_address)) long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_futex)
        return virtual_futex((const uint32_t *)a[0], (int)a[1], (uint32_t)a[2],
                             (const struct timespec *)a[3]);
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
