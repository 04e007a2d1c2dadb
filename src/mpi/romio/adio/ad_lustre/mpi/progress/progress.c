/* progress.c - a rank that waits advances all its outstanding requests */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* The fork is compiled with another meaning of it, see blocking.h. */
#undef PMPI_Wait

#include "progress.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../ad_lustre_compat.h"
#include "../../core/text/minmax.h"
#include "../../sys/clock.h"
#include "../../sys/section.h"
#include "waiting.h"
#ifndef ADL_IN_MPICH
#include "../../../../plugin/port/port.h"
#endif

enum { NOBODYS_TAG = 32767 }; /* every MPI has this tag, and no rank sends it */

/* How tasks move while the process is not in a call of this driver. */
enum way { UNKNOWN, BY_HOOK, BY_ASYNC, BY_THREAD };

/* One for each process, like MPI. The list changes inside the section and with
 * the mutex held: a thread with either may read it. MPI is never called with
 * the mutex held, because MPI calls the hook. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t added;
    struct adl_task *first;
    enum way way;
    int multiple;         /* MPI_THREAD_MULTIPLE: a thread may call MPI */
    int hook, hooked;     /* BY_HOOK: its number; it is active */
    int started, waiting; /* BY_THREAD: it runs; it has nothing to do */
    int ranks;            /* on this machine, as far as heard of */
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

static __thread int stepping; /* this thread is inside a step */
static __thread int in_loop;  /* ... inside MPI's progress loop */

/* A link of the list, whose first entry any thread may look at. */
static void set_link(struct adl_task **link, struct adl_task *t)
{
    __atomic_store_n(link, t, __ATOMIC_RELEASE);
}

static void append(struct adl_task *t)
{
    struct adl_task **end = &all.first;

    while (*end)
        end = &(*end)->next;
    t->next = NULL;
    set_link(end, t);
}

/* Step the task at `*at`; returns where the next one is. What comes meanwhile
 * is appended, what goes is this one. */
static struct adl_task **step_one(struct adl_task **at, int mpi, int *moved)
{
    struct adl_task *t = *at;
    enum adl_step how = ADL_STEP_IDLE;

    if (mpi || !t->needs_mpi)
        how = t->step(t->arg, mpi);
    *moved |= how != ADL_STEP_IDLE;
    if (how != ADL_STEP_DONE)
        return &t->next;
    pthread_mutex_lock(&all.mutex);
    set_link(at, t->next);
    pthread_mutex_unlock(&all.mutex);
    if (t->done)
        t->done(t->arg);
    return at;
}

int adl_progress_outstanding(void)
{
    return __atomic_load_n(&all.first, __ATOMIC_ACQUIRE) != NULL;
}

static int step_all(int mpi)
{
    int moved = 0;

    if (stepping || !adl_progress_outstanding() || !adl_section_try())
        return 0;
    stepping = 1;
    for (struct adl_task **at = &all.first; *at;)
        at = step_one(at, mpi, &moved);
    stepping = 0;
    adl_section_exit();
    return moved;
}

int adl_progress_step(void)
{
    return step_all(1);
}

/* Called from MPI's waiting loop, but not while this driver waits: the waiting
 * thread then steps the tasks. */
static void step_in_loop(void)
{
    int outer = in_loop;

    in_loop = 1;
    step_all(1);
    in_loop = outer;
}

#ifdef ADL_IN_MPICH
/* From inside MPICH. */
int MPIR_Progress_hook_activate(int id);
int MPIR_Progress_hook_deactivate(int id);

static ADL_HOOK(progress_hook, moved)
{
    int idle;

    step_in_loop();
    *moved = 0;
    pthread_mutex_lock(&all.mutex);
    idle = !all.first && all.hooked;
    if (idle) {
        all.hooked = 0;
        MPIR_Progress_hook_deactivate(all.hook);
    }
    pthread_mutex_unlock(&all.mutex);
    return MPI_SUCCESS;
}

/* Neither waits nor calls the hook. Mutex held. */
static int find_hook(void)
{
    return adl_hook_register(progress_hook, &all.hook) == MPI_SUCCESS;
}

static void enter_hook(void)
{
    all.hooked = 1;
    MPIR_Progress_hook_activate(all.hook);
}

static int offers_async(void)
{
    return 0;
}

static void start_async(void)
{
}

static int knows_complete(MPI_Request request)
{
    (void)request;
    return -1;
}

int adl_progress_polls(void)
{
    return 1;
}
#else
/* The hook is never removed from MPI's loop. */
static int progress_hook(void)
{
    step_in_loop();
    return 0;
}

static int find_hook(void)
{
    return port_progress_enter(progress_hook);
}

static void enter_hook(void)
{
    all.hooked = 1;
}

/* 1: no task is left, and MPI's loop forgets the function. */
static int poll_async(void)
{
    int idle;

    step_in_loop();
    pthread_mutex_lock(&all.mutex);
    idle = !all.first;
    if (idle)
        all.started = 0;
    pthread_mutex_unlock(&all.mutex);
    return idle;
}

static int offers_async(void)
{
    return port_async_offered();
}

static void start_async(void)
{
    port_async_start(poll_async);
}

static int knows_complete(MPI_Request request)
{
    return port_async_complete(request);
}

int adl_progress_polls(void)
{
    return port_polls_requests();
}
#endif

static void nap(int64_t ns)
{
    const struct timespec time = {.tv_nsec = ns};

    nanosleep(&time, NULL);
}

/* Nothing to do: linger for the next task. 0: it has not come. Mutex held. */
static int linger(void)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += ADL_WAIT_LINGER;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    all.waiting = 1;
    while (!all.first &&
           pthread_cond_timedwait(&all.added, &all.mutex, &limit) == 0)
        ;
    all.waiting = 0;
    return all.first != NULL;
}

/* The thread's function. While the process is in a call of this driver, that
 * call steps the tasks, and the naps of this thread grow. */
static void *carry_on(void *unused)
{
    int64_t ns = ADL_WAIT_NAP_MIN;

    (void)unused;
    pthread_mutex_lock(&all.mutex);
    while (all.first || linger()) {
        int multiple = all.multiple;

        pthread_mutex_unlock(&all.mutex);
        if (step_all(multiple))
            ns = ADL_WAIT_NAP_MIN;
        nap(ns);
        ns = ns < ADL_WAIT_NAP / 2 ? 2 * ns : ADL_WAIT_NAP;
        pthread_mutex_lock(&all.mutex);
    }
    all.started = 0;
    pthread_mutex_unlock(&all.mutex);
    return NULL;
}

/* Signals are the application's: the thread gets none. If it cannot be started,
 * tasks move only in calls of this driver. */
static int start_thread(void)
{
    pthread_t thread;
    sigset_t every, old;
    int rc;

    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &old);
    rc = pthread_create(&thread, NULL, carry_on, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        pthread_detach(thread);
    return rc == 0;
}

/* Under MPI_THREAD_MULTIPLE MPI holds its own lock while it calls the hook, and
 * a call of MPI inside the hook would wait for that lock. */
static enum way find_way(void)
{
    if (all.multiple)
        return BY_THREAD;
    if (find_hook())
        return BY_HOOK;
    return offers_async() ? BY_ASYNC : BY_THREAD;
}

/* Take the way, unless it is taken already. Mutex held. */
static void go(const struct adl_task *t, int *async)
{
    if (all.way == UNKNOWN)
        all.way = find_way();
    if (all.way == BY_HOOK && !all.hooked)
        enter_hook();
    *async = all.way == BY_ASYNC && !all.started;
    if (*async)
        all.started = 1;
    if (all.way != BY_THREAD || (t->needs_mpi && !all.multiple))
        return;
    if (!all.started)
        all.started = start_thread();
    else if (all.waiting)
        pthread_cond_signal(&all.added);
}

void adl_progress_add(struct adl_task *task)
{
    int level = MPI_THREAD_SINGLE, async;

    PMPI_Query_thread(&level);
    adl_section_enter();
    pthread_mutex_lock(&all.mutex);
    all.multiple = level == MPI_THREAD_MULTIPLE;
    append(task);
    go(task, &async);
    pthread_mutex_unlock(&all.mutex);
    adl_section_exit();
    if (async)
        start_async();
}

/* Inside the loop of an MPI that forbids progress there? */
static int in_async_loop(void)
{
    return in_loop && all.way == BY_ASYNC;
}

/* PMPI_Test makes MPI progress. Where that is forbidden, look whether the
 * request is complete, and only then call PMPI_Wait. */
static int test(MPI_Request *request, MPI_Status *status, int *done)
{
    int complete = -1;

    if (in_async_loop())
        complete = *request == MPI_REQUEST_NULL ? 1 : knows_complete(*request);
    if (complete < 0)
        return PMPI_Test(request, done, status);
    *done = complete;
    return complete ? PMPI_Wait(request, status) : MPI_SUCCESS;
}

/* One line in one piece: other ranks print, too. */
_Noreturn void adl_progress_abort(const char *fmt, ...)
{
    char text[2048];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fprintf(stderr, "romio-lustre: %s: aborting\n", text);
    nap(ADL_WAIT_LAST_WORDS);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

_Noreturn void adl_progress_failed(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int world = -1, len;

    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    PMPI_Error_string(code, text, &len);
    text[strcspn(text, "\n")] = '\0'; /* the rest is MPI's own stack */
    adl_progress_abort("rank %d: MPI failed between the ranks of a file, "
                       "others may wait for it: %s",
                       world, text);
}

/* MPI raises errors of requests on MPI_COMM_WORLD, which may return them. */
static void must(int code)
{
    if (code != MPI_SUCCESS)
        adl_progress_failed(code);
}

int adl_progress_test(MPI_Request *request, MPI_Status *status)
{
    int done = 0;

    must(test(request, status, &done));
    return done;
}

int adl_progress_test_some(int n, MPI_Request *request, int *index,
                           MPI_Status *status)
{
    int found = 0;

    if (!in_async_loop()) {
        must(PMPI_Testsome(n, request, &found, index, status));
        return found == MPI_UNDEFINED ? 0 : found;
    }
    for (int i = 0; i < n; i++)
        if (request[i] != MPI_REQUEST_NULL &&
            adl_progress_test(&request[i], &status[found]))
            index[found++] = i;
    return found;
}

/* Bound ranks have a core each if there are as many. Asked once: libc opens and
 * reads a file for it. */
static int enough_cores(int ranks)
{
    static long cores;

    if (!__atomic_load_n(&cores, __ATOMIC_RELAXED))
        __atomic_store_n(&cores, sysconf(_SC_NPROCESSORS_ONLN),
                         __ATOMIC_RELAXED);
    return ranks > 0 && __atomic_load_n(&cores, __ATOMIC_RELAXED) >= ranks;
}

void adl_pause_ranks(int ranks)
{
    if (ranks > __atomic_load_n(&all.ranks, __ATOMIC_RELAXED))
        __atomic_store_n(&all.ranks, ranks, __ATOMIC_RELAXED);
}

void adl_pause_begin(struct adl_pause *p, MPI_Comm comm)
{
    int ranks = __atomic_load_n(&all.ranks, __ATOMIC_RELAXED);

    p->comm = comm;
    p->nap = ADL_WAIT_NAP_MIN;
    p->longest = ADL_WAIT_NAP;
    p->yields = ADL_WAIT_YIELDS;
    p->spin = enough_cores(ranks) ? adl_clock_ns() + ADL_WAIT_SPIN : 0;
}

/* A probe that finds a message makes no progress: probe for a message that no
 * rank sends. */
static void poke(MPI_Comm comm)
{
    int flag;

    if (comm != MPI_COMM_NULL)
        PMPI_Iprobe(MPI_ANY_SOURCE, NOBODYS_TAG, comm, &flag,
                    MPI_STATUS_IGNORE);
}

/* Naps grow with the wait, so that it gets longer by an eighth at the most. */
static void sleep_a_bit(struct adl_pause *p, struct adl_bell *bell,
                        uint32_t seen)
{
    if (bell)
        adl_bell_nap(bell, seen, p->nap);
    else
        nap(p->nap);
    p->nap = adl_min(p->nap + p->nap / 8, p->longest);
}

int adl_pause_spins(const struct adl_pause *p)
{
    return p->spin && adl_clock_ns() < p->spin;
}

void adl_pause(struct adl_pause *p, struct adl_bell *bell, uint32_t seen)
{
    int depth = adl_section_leave();

    if (adl_progress_step())
        p->nap = ADL_WAIT_NAP_MIN;
    else if ((!bell && p->yields > 0 && p->yields--) || adl_pause_spins(p))
        sched_yield();
    else
        sleep_a_bit(p, bell, seen);
    poke(p->comm);
    adl_section_return(depth);
}

int adl_pause_request(struct adl_pause *p, struct adl_overdue *o,
                      MPI_Request *request, MPI_Status *status)
{
    int rc, done = 0;

    p->comm = MPI_COMM_NULL; /* a test is progress */
    while ((rc = test(request, status, &done)) == MPI_SUCCESS && !done) {
        adl_pause(p, NULL, 0);
        adl_overdue_look(o);
    }
    return rc;
}

void adl_progress_drain(MPI_Comm comm)
{
    struct adl_pause pause;

    adl_pause_begin(&pause, comm);
    while (__atomic_load_n(&all.first, __ATOMIC_ACQUIRE))
        adl_pause(&pause, NULL, 0);
}
