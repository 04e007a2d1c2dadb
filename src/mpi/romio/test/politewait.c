/* politewait.c - preloaded in tests: ranks that wait for a message sleep
 *
 * MPICH waits in a busy loop. With more ranks than cores the one that has work
 * then waits for time slices of those that have none, and a collective costs
 * milliseconds. Here a wait that finds nothing for a while naps instead, which
 * makes such tests up to ten times faster. Two ways in: the progress function
 * of UCX (Debian's MPICH), and sched_yield (our fork, with
 * MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE).
 *
 * Not in calls that only look: who asks and goes on does not wait, and decides
 * for itself when to sleep.
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

static __thread int idle;
static __thread int looking; /* in a call that does not wait */

__attribute__((constructor)) static void start(void)
{
    prctl(PR_SET_TIMERSLACK, SLACK_NS, 0, 0, 0);
}

/* Python loads MPI late, in a scope of its own. */
static void *find_real(const char *name)
{
    static const char *const where[] = {"libucp.so.0", "libmpich.so.12",
                                        "libmpi.so.12"};
    void *fn = dlsym(RTLD_NEXT, name);

    for (unsigned i = 0; !fn && i < sizeof(where) / sizeof(where[0]); i++) {
        void *lib = dlopen(where[i], RTLD_LAZY | RTLD_NOLOAD);

        fn = lib ? dlsym(lib, name) : NULL;
    }
    return fn;
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
    static progress_fn *real;
    unsigned events;

    if (!real)
        real = (progress_fn *)find_real("ucp_worker_progress");
    events = real(worker);
    if (events)
        idle = 0;
    else if (!looking && ++idle > IDLE_POLLS)
        nap();
    return events;
}

/* ---- calls that only look ---- */

#define LOOK(name, params, args)                    \
    int name params                                 \
    {                                               \
        static int(*real) params;                   \
        int rc;                                     \
                                                    \
        if (!real)                                  \
            real = (int(*) params)find_real(#name); \
        looking++;                                  \
        rc = real args;                             \
        looking--;                                  \
        return rc;                                  \
    }

/* Handles are numbers or pointers, as MPI's ABI has them: they are passed on as
 * they come, in a register. */
LOOK(PMPI_Test, (void *request, void *done, void *status),
     (request, done, status))
LOOK(PMPI_Testsome,
     (int n, void *request, void *found, void *index, void *status),
     (n, request, found, index, status))
LOOK(PMPI_Iprobe, (int from, int tag, void *comm, void *found, void *status),
     (from, tag, comm, found, status))
LOOK(PMPI_Improbe,
     (int from, int tag, void *comm, void *found, void *message, void *status),
     (from, tag, comm, found, message, status))

/* ---- */

/* It does not tell when a wait ends: nap now and then. */
int sched_yield(void)
{
    if (++idle % IDLE_POLLS == 0)
        nap();
    return 0;
}
