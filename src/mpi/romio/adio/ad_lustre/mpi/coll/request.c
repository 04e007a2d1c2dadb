/* request.c - collective calls that return at once */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "request.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../file/errcode.h"
#include "../file/failure.h"
#include "../locks/lockmode.h"
#include "../progress/progress.h"
#include "../progress/requests.h"
#include "../progress/waiting.h"
#include "call.h"

#define PART "take part in a nonblocking call"

struct request {
    struct adl_call call;
    struct adl_task task;
    MPI_Request user; /* the application's */
    int completed;    /* ... and is, or about to be */
    int code;         /* MPI's, of a call that failed; else MPI_SUCCESS */
    int64_t wait;     /* the MPI_Wait that `pause` belongs to */
    struct adl_pause pause;
};

/* ---- as a task ---- */

static enum adl_step step_request(void *arg, int mpi)
{
    struct request *r = arg;
    enum adl_phase before = r->call.phase;
    uint64_t moved = r->call.x.moved;

    if (before != ADL_DONE)
        adl_call_step(&r->call);
    if (r->call.phase == ADL_DONE && mpi)
        return ADL_STEP_DONE;
    return r->call.phase == before && r->call.x.moved == moved ? ADL_STEP_IDLE
                                                               : ADL_STEP_MOVED;
}

/* The request is the application's from here on, and `r` may be gone. */
static void complete(void *arg)
{
    struct request *r = arg;
    MPI_Request user = r->user;
    ADIO_File fd = r->call.fd;

    adl_lockmode_say(r->call.fd);
    if (r->call.rc < 0)
        r->code = adl_outcome_code(r->call.fd, "nonblocking collective",
                                   &r->call.outcome);
    r->call.fd->async_count--;
    __atomic_store_n(&r->completed, 1, __ATOMIC_RELEASE);
    if (PMPI_Grequest_complete(user) != MPI_SUCCESS)
        adl_failure_cannot(fd->filename, PART, -EIO);
}

/* ---- as a generalised request ---- */

static int query(void *state, MPI_Status *status)
{
    struct request *r = state;

    PMPI_Status_set_elements_x(status, MPI_BYTE, r->call.bytes);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    if (r->code != MPI_SUCCESS)
        adl_requests_note(r->call.fd, r->code, status);
    return MPI_SUCCESS;
}

/* MPI may hold its lock: no call of MPI's here. */
static int release_request(void *state)
{
    struct request *r = state;

    adl_access_fini(&r->call.acc);
    free(r);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* MPI_Test polls too: only a call that waits may sleep. */
static int poll(void *state, MPI_Status *status)
{
    struct request *r = state;
    int64_t wait = adl_requests_waiting();

    (void)status;
    if (!wait) {
        adl_progress_step();
        return MPI_SUCCESS;
    }
    if (r->wait != wait) {
        r->wait = wait;
        adl_pause_begin(&r->pause, r->call.fd->comm);
        r->pause.longest = ADL_WAIT_POLL_NAP;
    }
    adl_pause(&r->pause, NULL, 0);
    return MPI_SUCCESS;
}

static int wait_all(int count, void **states, double timeout,
                    MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++) {
        struct request *r = states[i];
        struct adl_pause pause;

        adl_pause_begin(&pause, r->call.fd->comm);
        while (!__atomic_load_n(&r->completed, __ATOMIC_ACQUIRE))
            adl_pause(&pause, NULL, 0);
    }
    return MPI_SUCCESS;
}

/* MPI can create a class of requests but not free it: a process has one. */
static pthread_once_t class_once = PTHREAD_ONCE_INIT;
static MPIX_Grequest_class request_class;

static void make_class(void)
{
    int polls = adl_progress_polls();

    PMPIX_Grequest_class_create(query, release_request, cancel,
                                polls ? poll : NULL, polls ? wait_all : NULL,
                                &request_class);
}

/* ---- */

/* A file has no engine if no view was set and no collective call was made
 * before, or if no call is to go through the aggregators. To make the engine
 * this rank would have to wait for the other ranks. So it does its own part at
 * once, and MPI agrees on the outcome. */
static void launch(struct request *r, ADIO_File fd, int write)
{
    const struct adl_file *f = adl_file_of(fd);
    struct adl_engine *eng = f->engine;

    if (eng)
        adl_call_start(&r->call, fd, eng, write);
    else
        adl_call_at_once(&r->call, fd, write);
    r->task.step = step_request;
    r->task.done = complete;
    r->task.arg = r;
    r->task.needs_mpi = !eng || f->nodes.count > 1;
    adl_progress_add(&r->task);
    adl_progress_step();
}

int adl_request_start(ADIO_File fd, struct adl_access *acc, int write,
                      MPI_Request *request)
{
    struct request *r = calloc(1, sizeof(*r));

    if (!r)
        adl_failure_cannot(fd->filename, PART, -ENOMEM);
    adl_selection_own(&acc->sel);
    r->call.acc = *acc;
    adl_selection_begin(&r->call.acc.sel);
    r->call.acc.nonblocking = 1;
    pthread_once(&class_once, make_class);
    if (PMPIX_Grequest_class_allocate(request_class, r, &r->user))
        adl_failure_cannot(fd->filename, PART, -ENOMEM);
    fd->async_count++;
    *request = r->user;
    launch(r, fd, write);
    return 0;
}
