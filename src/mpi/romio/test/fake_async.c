/* fake_async.c - preloaded: MPICH 4.3's MPIX_Async_start over an older MPICH
 *
 * The plug-in needs a function that MPI's progress loop calls until the
 * function says that it is done. Here the loop is that of UCX, entered after
 * UCX has done its own work, as MPICH does. As in MPICH, the function must not
 * make progress itself: a nested call is counted, and ends the job at exit.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int poll_fn(void *thing);
typedef unsigned progress_fn(void *worker);

unsigned ucp_worker_progress(void *worker);
int PMPIX_Async_start(poll_fn *poll, void *state, int stream);
int PMPIX_Request_is_complete(MPI_Request request);

static poll_fn *polled; /* one is enough here */
static int inside, nested, calls;

int PMPIX_Async_start(poll_fn *poll, void *state, int stream)
{
    if (polled || state || stream != 0x3c000000) {
        fprintf(stderr, "fake_async: not as the plug-in calls it\n");
        abort();
    }
    polled = poll;
    return MPI_SUCCESS;
}

/* MPI_Request_get_status would make progress. An old MPICH has nothing that
 * does not: let it, this once, without counting. */
int PMPIX_Request_is_complete(MPI_Request request)
{
    int flag, was = inside;

    inside = 2;
    PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    inside = was;
    return flag;
}

unsigned ucp_worker_progress(void *worker)
{
    static progress_fn *real;
    unsigned events;

    if (!real)
        real = (progress_fn *)dlsym(RTLD_NEXT, "ucp_worker_progress");
    nested += inside == 1;
    events = real(worker);
    if (polled && !inside) {
        inside = 1;
        calls++;
        if (polled(NULL) == 1)
            polled = NULL;
        inside = 0;
    }
    return events;
}

__attribute__((destructor)) static void end(void)
{
    if (!calls)
        return;
    fprintf(stderr, "fake_async: %d calls, %d nested\n", calls, nested);
    if (nested)
        abort();
}
