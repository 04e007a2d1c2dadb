/* request.c - requests: made, tested, waited for; generalized requests */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdlib.h>
#include <string.h>

#include "vmpi.h"
#include "vmpi_calls.h"

#define REQUEST_KIND 0xac000000u
#define SPIN_TIME 1000 /* a rank that only tests gives others a chance */
#define STEP_TIME 200  /* of the driver, in a test of one of its requests */

static struct request **requests;
static int request_count, *free_index, free_count;

static int take_index(void)
{
    if (free_count)
        return free_index[--free_count];
    if (request_count % 4096 == 0) {
        size_t room = (size_t)request_count + 4096;

        requests = must_realloc(requests, room * sizeof(*requests));
        free_index = must_realloc(free_index, room * sizeof(*free_index));
    }
    return request_count++;
}

struct request *request_new(enum request_kind kind, MPI_Request *out)
{
    struct request *r = must_calloc(1, sizeof(*r));

    r->kind = kind;
    r->rank = sched_rank;
    r->type = MPI_BYTE;
    r->index = -1;
    if (out) {
        r->index = take_index();
        requests[r->index] = r;
        *out = (MPI_Request)(REQUEST_KIND + (unsigned)r->index);
    }
    return r;
}

struct request *request_get(MPI_Request handle)
{
    unsigned i = (unsigned)handle - REQUEST_KIND;

    if (i >= (unsigned)request_count || !requests[i] ||
        requests[i]->rank != sched_rank)
        vmpi_wrong("request %x is not valid", (unsigned)handle);
    return requests[i];
}

void request_free(struct request *r)
{
    if (r->index >= 0) {
        requests[r->index] = NULL;
        free_index[free_count++] = r->index;
    }
    type_release(r->type);
    free(r);
}

static void wake_rank(void *arg)
{
    sched_wake(progress_key((int)(intptr_t)arg), INT32_MAX);
}

void request_complete(struct request *r, int64_t when)
{
    r->done = 1;
    r->visible = when;
    if (when > sched_now())
        sched_at(when, wake_rank, (void *)(intptr_t)r->rank);
    else
        sched_wake(progress_key(r->rank), INT32_MAX);
}

int request_is_done(const struct request *r)
{
    return r->done && r->visible <= sched_time();
}

/* ---- test and wait ---- */

static void no_status(MPI_Status *s)
{
    if (s == MPI_STATUS_IGNORE)
        return;
    memset(s, 0, sizeof(*s));
    s->MPI_SOURCE = MPI_ANY_SOURCE;
    s->MPI_TAG = MPI_ANY_TAG;
}

static int finish(MPI_Request *handle, MPI_Status *s)
{
    struct request *r = request_get(*handle);
    int rc = r->error;

    if (r->kind == REQ_GENERAL) {
        MPI_Status own;

        no_status(&own);
        own.MPI_ERROR = MPI_SUCCESS;
        rc = r->query(r->state, &own);
        r->free_state(r->state);
        r->status = own;
    }
    if (s != MPI_STATUS_IGNORE)
        *s = r->status;
    request_free(r);
    *handle = MPI_REQUEST_NULL;
    return rc;
}

static void poll_general(struct request *r)
{
    MPI_Status s;

    if (r->kind != REQ_GENERAL || r->done || !r->poll)
        return;
    r->poll(r->state, &s);
    sched_charge(STEP_TIME);
}

/* Is it done? A null request is. Moves it on if not. */
static int look(MPI_Request handle)
{
    struct request *r;

    if (handle == MPI_REQUEST_NULL)
        return 1;
    r = request_get(handle);
    poll_general(r);
    return request_is_done(r);
}

static int finish_any(MPI_Request *handle, MPI_Status *s)
{
    if (*handle != MPI_REQUEST_NULL)
        return finish(handle, s);
    no_status(s);
    return MPI_SUCCESS;
}

int vmpi_Test(MPI_Request *handle, int *flag, MPI_Status *s)
{
    progress();
    *flag = look(*handle);
    return *flag ? finish_any(handle, s) : MPI_SUCCESS;
}

/* Until when there is nothing to look at: a request may be done at a known
 * time; one that is polled has to be polled. */
static int64_t patience(int n, const MPI_Request *handle)
{
    int64_t soonest = -1;

    for (int i = 0; i < n; i++) {
        const struct request *r;
        int64_t left;

        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        r = request_get(handle[i]);
        if (r->kind == REQ_GENERAL && r->poll)
            return SPIN_TIME;
        left = r->done ? r->visible - sched_time() : -1;
        if (r->done && (soonest < 0 || left < soonest))
            soonest = left < 0 ? 0 : left;
    }
    return soonest;
}

int vmpi_Wait(MPI_Request *handle, MPI_Status *s)
{
    int flag, rc = vmpi_Test(handle, &flag, s);

    while (!flag) {
        progress_sleep(patience(1, handle));
        rc = vmpi_Test(handle, &flag, s);
    }
    return rc;
}

static MPI_Status *status_at(MPI_Status *s, int i)
{
    return s == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &s[i];
}

int vmpi_Testall(int n, MPI_Request *handle, int *flag, MPI_Status *s)
{
    int rc = MPI_SUCCESS;

    progress();
    *flag = 1;
    for (int i = 0; i < n; i++)
        *flag &= look(handle[i]);
    for (int i = 0; *flag && i < n; i++) {
        int one = finish_any(&handle[i], status_at(s, i));

        rc = rc ? rc : one;
    }
    if (!*flag)
        progress_sleep(SPIN_TIME);
    return rc;
}

int vmpi_Waitall(int n, MPI_Request *handle, MPI_Status *s)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < n; i++) {
        int one = vmpi_Wait(&handle[i], status_at(s, i));

        rc = rc ? rc : one;
    }
    return rc;
}

int vmpi_Testsome(int n, MPI_Request *handle, int *done, int *index,
                  MPI_Status *s)
{
    int active = 0;

    progress();
    *done = 0;
    for (int i = 0; i < n; i++) {
        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        active = 1;
        if (!look(handle[i]))
            continue;
        finish(&handle[i], status_at(s, *done));
        index[(*done)++] = i;
    }
    if (!active)
        *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int vmpi_Waitsome(int n, MPI_Request *handle, int *done, int *index,
                  MPI_Status *s)
{
    int rc = vmpi_Testsome(n, handle, done, index, s);

    while (*done == 0) {
        progress_sleep(patience(n, handle));
        rc = vmpi_Testsome(n, handle, done, index, s);
    }
    return rc;
}

int vmpi_Testany(int n, MPI_Request *handle, int *index, int *flag,
                 MPI_Status *s)
{
    int active = 0;

    progress();
    *index = MPI_UNDEFINED;
    *flag = 0;
    for (int i = 0; i < n; i++) {
        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        active = 1;
        if (!look(handle[i]))
            continue;
        *flag = 1;
        *index = i;
        return finish(&handle[i], s);
    }
    if (!active) {
        *flag = 1;
        no_status(s);
    }
    return MPI_SUCCESS;
}

int vmpi_Waitany(int n, MPI_Request *handle, int *index, MPI_Status *s)
{
    int flag, rc = vmpi_Testany(n, handle, index, &flag, s);

    while (!flag) {
        progress_sleep(patience(n, handle));
        rc = vmpi_Testany(n, handle, index, &flag, s);
    }
    return rc;
}

/* ---- generalized requests ---- */

int vmpi_Grequest_start(MPI_Grequest_query_function *query,
                        MPI_Grequest_free_function *free_state,
                        MPI_Grequest_cancel_function *cancel, void *state,
                        MPI_Request *out)
{
    struct request *r = request_new(REQ_GENERAL, out);

    r->query = query;
    r->free_state = free_state;
    r->cancel = cancel;
    r->state = state;
    return MPI_SUCCESS;
}

int vmpi_Grequest_complete(MPI_Request handle)
{
    request_complete(request_get(handle), sched_time());
    return MPI_SUCCESS;
}

struct general_class {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free_state;
    MPI_Grequest_cancel_function *cancel;
    MPIX_Grequest_poll_function *poll;
};
static struct general_class *classes;
static int class_count;

int vmpix_Grequest_class_create(MPI_Grequest_query_function *query,
                                MPI_Grequest_free_function *free_state,
                                MPI_Grequest_cancel_function *cancel,
                                MPIX_Grequest_poll_function *poll,
                                MPIX_Grequest_wait_function *wait,
                                MPIX_Grequest_class *out)
{
    (void)wait;
    if (class_count % 1024 == 0)
        classes = must_realloc(classes,
                               (size_t)(class_count + 1024) * sizeof(*classes));
    classes[class_count] =
        (struct general_class){query, free_state, cancel, poll};
    *out = class_count++;
    return MPI_SUCCESS;
}

int vmpix_Grequest_class_allocate(MPIX_Grequest_class which, void *state,
                                  MPI_Request *out)
{
    const struct general_class *g = &classes[which];
    struct request *r;

    vmpi_Grequest_start(g->query, g->free_state, g->cancel, state, out);
    r = request_get(*out);
    r->poll = g->poll;
    return MPI_SUCCESS;
}
