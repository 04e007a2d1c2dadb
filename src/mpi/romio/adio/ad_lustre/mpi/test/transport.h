/* transport.h - messages between simulated ranks of one process, for tests
 *
 * Stands in for the calls of MPI that the driver's messages need. The test says
 * whose turn it is (transport.me) and steps the ranks in an order of its own. A
 * message is there for its receiver after a number of looks that the test's
 * random numbers decide; two messages of one sender to one receiver do not
 * overtake each other, as MPI promises. A synchronous send is complete when its
 * message has been matched; another one at any time after it was sent.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_TRANSPORT_H
#define ADL_TEST_TRANSPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../core/test/random.h"
#include "../progress/overdue.h"
#include "adio.h"

#define LETTERS 65536 /* most messages and requests of a call */

struct letter {
    int from, to, tag, n;
    int looks;   /* looks without success before the message is there */
    int matched; /* a receive has it */
    char *bytes;
};

enum request_kind { TRANSPORT_SEND, TRANSPORT_SYNC, TRANSPORT_RECEIVE };

struct transport_request {
    enum request_kind kind;
    int letter; /* SEND, SYNC, a matched RECEIVE; -1: none yet */
    int me, from, tag, room;
    char *to;
};

static struct {
    struct rng *rng;
    int me;        /* whose turn it is */
    int slowness;  /* most looks until a message is there */
    int fail_at;   /* this completion of a receive is an error, -1: none is */
    int nreceived; /* so far */
    struct letter letter[LETTERS];
    int nletters;
    int low; /* letters before it have been matched */
    struct transport_request request[LETTERS];
    int nrequests;
    void (*sent)(const struct letter *l); /* the test looks at each */
} transport;

static inline void transport_begin(struct rng *rng, int slowness)
{
    for (int i = 0; i < transport.nletters; i++)
        free(transport.letter[i].bytes);
    transport.nletters = transport.nrequests = transport.nreceived = 0;
    transport.low = 0;
    transport.rng = rng;
    transport.slowness = slowness;
    transport.fail_at = -1;
    transport.sent = NULL;
}

/* Messages that were never matched. */
static inline int transport_left(void)
{
    int left = 0;

    for (int i = 0; i < transport.nletters; i++)
        left += !transport.letter[i].matched;
    return left;
}

static int add_request(struct transport_request r)
{
    assert_true(transport.nrequests < LETTERS - 1);
    transport.request[transport.nrequests] = r;
    return ++transport.nrequests; /* the handle: never 0 */
}

static int post(const void *buf, int n, int to, int tag)
{
    struct letter *l = &transport.letter[transport.nletters];

    assert_true(transport.nletters < LETTERS - 1);
    *l = (struct letter){.from = transport.me, .to = to, .tag = tag, .n = n};
    l->looks = (int)rng_in(transport.rng, 0, transport.slowness);
    l->bytes = malloc((size_t)n + 1);
    assert_non_null(l->bytes);
    memcpy(l->bytes, buf, (size_t)n);
    if (transport.sent)
        transport.sent(l);
    return transport.nletters++;
}

/* One look of this rank at what has come: what is first on each way comes
 * nearer. */
static void look(void)
{
    int first[64];

    memset(first, 0, sizeof(first));
    while (transport.low < transport.nletters &&
           transport.letter[transport.low].matched)
        transport.low++;
    for (int i = transport.low; i < transport.nletters; i++) {
        struct letter *l = &transport.letter[i];

        if (l->to != transport.me || l->looks == 0 || first[l->from]++)
            continue;
        l->looks--;
    }
}

/* The first message that is there and fits; -1: none. */
static int find(int from, int tag)
{
    int late[64];

    memset(late, 0, sizeof(late));
    for (int i = transport.low; i < transport.nletters; i++) {
        const struct letter *l = &transport.letter[i];

        if (l->to != transport.me || l->matched)
            continue;
        late[l->from] |= l->looks > 0;
        if (!late[l->from] && (from == MPI_ANY_SOURCE || from == l->from) &&
            (tag == MPI_ANY_TAG || tag == l->tag))
            return i;
    }
    return -1;
}

static void set_status(MPI_Status *status, const struct letter *l, int n)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    memset(status, 0, sizeof(*status));
    status->MPI_SOURCE = l->from;
    status->MPI_TAG = l->tag;
    status->count_lo = n; /* MPICH's own; only PMPI_Get_count looks at it */
}

/* ---- MPI ---- */

int PMPI_Isend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)comm;
    *request = (MPI_Request)add_request((struct transport_request){
        .kind = TRANSPORT_SEND, .letter = post(buf, n, to, tag)});
    return MPI_SUCCESS;
}

int PMPI_Issend(const void *buf, int n, MPI_Datatype type, int to, int tag,
                MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)comm;
    *request = (MPI_Request)add_request((struct transport_request){
        .kind = TRANSPORT_SYNC, .letter = post(buf, n, to, tag)});
    return MPI_SUCCESS;
}

int PMPI_Irecv(void *buf, int n, MPI_Datatype type, int from, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    (void)type, (void)comm;
    *request = (MPI_Request)add_request(
        (struct transport_request){.kind = TRANSPORT_RECEIVE,
                                   .letter = -1,
                                   .me = transport.me,
                                   .from = from,
                                   .tag = tag,
                                   .room = n,
                                   .to = buf});
    return MPI_SUCCESS;
}

/* A receive that no message has come for. */
int PMPI_Cancel(MPI_Request *request)
{
    struct transport_request *r = &transport.request[(int)*request - 1];

    assert_int_equal(r->kind, TRANSPORT_RECEIVE);
    r->kind = TRANSPORT_SEND;
    return MPI_SUCCESS;
}

/* A receive that has its message. */
static int receive(struct transport_request *r, MPI_Status *status)
{
    const struct letter *l = &transport.letter[r->letter];
    int n = l->n < r->room ? l->n : r->room;
    int failed = transport.nreceived++ == transport.fail_at;

    if (!failed)
        memcpy(r->to, l->bytes, (size_t)n);
    set_status(status, l, failed ? 0 : n);
    return failed ? MPI_ERR_OTHER : l->n > r->room ? MPI_ERR_TRUNCATE : 0;
}

int PMPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    struct transport_request *r;
    int rc = MPI_SUCCESS;

    *done = 1;
    if (*request == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    r = &transport.request[(int)*request - 1];
    if (r->kind == TRANSPORT_SYNC && !transport.letter[r->letter].matched)
        *done = 0;
    if (r->kind == TRANSPORT_RECEIVE && r->letter < 0) {
        look();
        r->letter = find(r->from, r->tag);
        *done = r->letter >= 0;
        if (*done)
            transport.letter[r->letter].matched = 1;
    }
    if (!*done || rng_chance(transport.rng, 30)) { /* or a little later */
        *done = 0;
        return MPI_SUCCESS;
    }
    if (r->kind == TRANSPORT_RECEIVE)
        rc = receive(r, status);
    *request = MPI_REQUEST_NULL;
    return rc;
}

int PMPI_Testsome(int n, MPI_Request *request, int *found, int *index,
                  MPI_Status *status)
{
    int active = 0, rc = MPI_SUCCESS;

    *found = 0;
    for (int i = 0; i < n; i++) {
        int done, one;

        if (request[i] == MPI_REQUEST_NULL)
            continue;
        active = 1;
        one = PMPI_Test(&request[i], &done, &status[*found]);
        if (!done)
            continue;
        status[*found].MPI_ERROR = one;
        rc = one ? MPI_ERR_IN_STATUS : rc;
        index[(*found)++] = i;
    }
    if (!active)
        *found = MPI_UNDEFINED;
    return rc;
}

int PMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n)
{
    (void)type;
    *n = status->count_lo;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

/* ---- the end of the job has a status of its own ---- */

#define TRANSPORT_ABORTED 77

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = transport.me;
    return MPI_SUCCESS;
}

/* No blocking call of MPI waits in these tests. */
void adl_overdue_look(struct adl_overdue *o)
{
    fail_msg("waits in MPI_%s", o->what);
}

int PMPI_Error_string(int code, char *text, int *len)
{
    *len = snprintf(text, MPI_MAX_ERROR_STRING, "error %d", code);
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int status)
{
    (void)comm, (void)status;
    _exit(TRANSPORT_ABORTED);
}

/* ---- called by none of what is tested ---- */

int port_progress_enter(int (*step)(void))
{
    (void)step;
    abort();
}

int port_async_offered(void)
{
    abort();
}

void port_async_start(int (*poll)(void))
{
    (void)poll;
    abort();
}

int port_async_complete(MPI_Request request)
{
    (void)request;
    abort();
}

int port_polls_requests(void)
{
    abort();
}

int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int *found,
                MPI_Status *status)
{
    (void)from, (void)tag, (void)comm, (void)found, (void)status;
    abort();
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    (void)request, (void)status;
    abort();
}

#endif
