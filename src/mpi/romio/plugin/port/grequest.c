/* grequest.c - MPICH's generalized requests with a poll function
 *
 * ROMIO's own nonblocking calls use them, and so do the driver's. Open MPI has
 * something like them inside but does not export it; the standard ABI has
 * nothing like them. Here such a request is an ordinary generalized one
 * (MPI_Grequest_start). A request with a poll function is on a list. MPI's
 * progress loop walks through the list or, in an MPI without a hook in that
 * loop, the calls that wait do (port_request_call):
 *
 *     allocated -> on the list, polled -> complete -> freed by MPI -> off it
 *
 * Only the walk removes an entry, so that an entry that is being polled stays.
 * A request that is complete must not be polled: ROMIO would complete it again.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>

#include "grequest.h"

#include <pthread.h>
#include <stdlib.h>

#include "port.h"

enum { CLASSES = 16 };

int adl_instead_Grequest_complete(MPI_Request request);

static struct {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    MPIX_Grequest_poll_function *poll;
} kinds[CLASSES];
static int kind_count = 1; /* 0: ROMIO has not made its class yet */

enum phase { POLLED, COMPLETE, FREED };

struct polled {
    struct polled *next;
    MPI_Request request;
    void *state; /* the caller's */
    int kind;
    enum phase phase;
};

/* Any thread adds an entry to the front without the mutex. The thread that
 * holds the mutex walks through the list and removes entries. */
static pthread_mutex_t walk_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct polled *first;
static int unfreed;          /* entries that MPI has not freed */
static __thread int walking; /* this thread has the mutex */

static void push_polled(struct polled *p)
{
    p->next = __atomic_load_n(&first, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&first, &p->next, p, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

static enum phase phase_of(const struct polled *p)
{
    return __atomic_load_n(&p->phase, __ATOMIC_ACQUIRE);
}

static void set_phase(struct polled *p, enum phase phase)
{
    __atomic_store_n(&p->phase, phase, __ATOMIC_RELEASE);
}

/* The first entry stays until another has come in front of it: `first` is the
 * one link that others change. */
static void drop_freed(struct polled *p)
{
    while (p && p->next) {
        struct polled *next = p->next;

        if (phase_of(next) == FREED) {
            p->next = next->next;
            free(next);
        } else {
            p = next;
        }
    }
}

/* A poll function may wait for nothing, but may call MPI, which comes here
 * again. */
int grequest_poll(void)
{
    struct polled *head = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
    MPI_Status status;

    if (!head || walking || pthread_mutex_trylock(&walk_mutex))
        return 0;
    walking = 1;
    for (struct polled *p = head; p; p = p->next)
        if (phase_of(p) == POLLED)
            kinds[p->kind].poll(p->state, &status);
    drop_freed(head);
    walking = 0;
    pthread_mutex_unlock(&walk_mutex);
    return 0;
}

int grequest_outstanding(void)
{
    return __atomic_load_n(&unfreed, __ATOMIC_ACQUIRE) > 0;
}

static void enter_loop(void)
{
    port_progress_enter(grequest_poll);
}

static int query_polled(void *state, MPI_Status *status)
{
    struct polled *p = state;

    return kinds[p->kind].query(p->state, status);
}

static int release_polled(void *state)
{
    struct polled *p = state;
    int rc = kinds[p->kind].release(p->state);

    set_phase(p, FREED);
    __atomic_fetch_sub(&unfreed, 1, __ATOMIC_RELEASE);
    return rc;
}

static int cancel_polled(void *state, int complete)
{
    struct polled *p = state;

    return kinds[p->kind].cancel(p->state, complete);
}

/* In front of MPI_Grequest_complete, for ROMIO's calls of it. */
int adl_instead_Grequest_complete(MPI_Request request)
{
    if (!walking)
        pthread_mutex_lock(&walk_mutex);
    for (struct polled *p = __atomic_load_n(&first, __ATOMIC_ACQUIRE); p;
         p = p->next)
        if (p->request == request && phase_of(p) == POLLED)
            set_phase(p, COMPLETE);
    if (!walking)
        pthread_mutex_unlock(&walk_mutex);
    return PMPI_Grequest_complete(request);
}

int PMPIX_Grequest_class_create(MPI_Grequest_query_function *query,
                                MPI_Grequest_free_function *release,
                                MPI_Grequest_cancel_function *cancel,
                                MPIX_Grequest_poll_function *poll,
                                MPIX_Grequest_wait_function *wait,
                                MPIX_Grequest_class *kind)
{
    int i = __atomic_fetch_add(&kind_count, 1, __ATOMIC_RELAXED);

    (void)wait;
    if (i >= CLASSES)
        return MPI_ERR_OTHER;
    kinds[i].query = query;
    kinds[i].release = release;
    kinds[i].cancel = cancel;
    kinds[i].poll = poll;
    *kind = i;
    return MPI_SUCCESS;
}

int PMPIX_Grequest_class_allocate(MPIX_Grequest_class kind, void *state,
                                  MPI_Request *request)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct polled *p;
    int rc;

    if (!kinds[kind].poll)
        return PMPI_Grequest_start(kinds[kind].query, kinds[kind].release,
                                   kinds[kind].cancel, state, request);
    p = calloc(1, sizeof(*p));
    if (!p)
        return MPI_ERR_NO_MEM;
    p->kind = kind;
    p->state = state;
    rc = PMPI_Grequest_start(query_polled, release_polled, cancel_polled, p,
                             request);
    if (rc != MPI_SUCCESS) {
        free(p);
        return rc;
    }
    p->request = *request;
    pthread_once(&once, enter_loop);
    push_polled(p);
    __atomic_fetch_add(&unfreed, 1, __ATOMIC_RELEASE);
    return MPI_SUCCESS;
}
