/* p2p.c - messages between two ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <stdlib.h>

#include "../net.h"
#include "../order.h"
#include "kinds.h"
#include "vmpi.h"
#include "vmpi_calls.h"

enum packet { EAGER, RTS, CTS, DATA, ACK };

struct message {
    enum packet packet; /* that is under way */
    int src, dst;       /* ranks of the world */
    int tag, job;
    const char *internal; /* as in the request */
    struct comm *c;
    MPI_Count bytes;
    char *data;              /* packed, or NULL */
    struct request *send;    /* waits for CTS or ACK, or NULL */
    struct request *receive; /* waits for DATA */
    struct message *next;    /* arrived, or unexpected */
};

/* A rank's side of the network. */
struct endpoint {
    struct message *arrived, **arrived_end; /* not looked at */
    struct message *unexpected, **unexpected_end;
    struct request *posted, **posted_end;
};
static struct endpoint *endpoints;
struct vmpi_counts vmpi_counts;

void p2p_start(void)
{
    free(endpoints);
    endpoints = must_calloc((size_t)config.ranks, sizeof(*endpoints));
    for (int i = 0; i < config.ranks; i++) {
        endpoints[i].arrived_end = &endpoints[i].arrived;
        endpoints[i].unexpected_end = &endpoints[i].unexpected;
        endpoints[i].posted_end = &endpoints[i].posted;
    }
}

uint64_t progress_key(int rank)
{
    return (uint64_t)(uintptr_t)&endpoints[rank];
}

/* ---- packets ---- */

static void take_arrived(int rank);

static void arrive(void *arg)
{
    struct message *m = arg;
    int to = m->packet == CTS || m->packet == ACK ? m->src : m->dst;
    struct endpoint *e = &endpoints[to];

    if (m->job != sched_job()) /* its ranks are dead */
        return;
    m->next = NULL;
    *e->arrived_end = m;
    e->arrived_end = &m->next;
    if (config.strong) {
        memory_of_rank(to);
        take_arrived(to);
    }
    sched_wake(progress_key(to), INT32_MAX);
}

static void send_packet(struct message *m, enum packet packet, int64_t bytes)
{
    int back = packet == CTS || packet == ACK;

    m->packet = packet;
    sched_at(net_send(back ? m->dst : m->src, back ? m->src : m->dst, bytes),
             arrive, m);
}

static void fill_status(MPI_Status *s, const struct message *m)
{
    s->MPI_SOURCE = comm_rank(m->c, m->src);
    s->MPI_TAG = m->tag;
    s->MPI_ERROR = MPI_SUCCESS;
    status_set_bytes(s, m->bytes);
}

static int64_t copy_time(int64_t bytes)
{
    return (int64_t)((double)bytes / config.copy_speed);
}

/* The bytes are here: into the receive's memory. */
static void deliver(struct message *m, struct request *r)
{
    type_unpack(m->data, m->bytes, r->to, r->n, r->type);
    if (!m->internal)
        TRACE("receives %lld bytes from %d tag %d", (long long)m->bytes, m->src,
              m->tag);
    sched_charge(copy_time(m->bytes));
    free(m->data);
    m->data = NULL;
    fill_status(&r->status, m);
    request_complete(r, sched_time());
}

static void meet(struct message *m, struct request *r)
{
    if (m->bytes > type_bytes(r->n, r->type))
        vmpi_wrong("a message of %lld bytes from rank %d, tag %d, meets a "
                   "receive of %lld",
                   (long long)m->bytes, m->src, m->tag,
                   (long long)type_bytes(r->n, r->type));
    if (!m->data && m->send) {
        m->receive = r;
        send_packet(m, CTS, 0);
        return;
    }
    vmpi_counts.unexpected -= (uint64_t)m->bytes;
    deliver(m, r);
    if (m->send)
        send_packet(m, ACK, 0);
    else
        free(m);
}

static int matches(const struct request *r, const struct message *m)
{
    return r->c == m->c && !r->internal == !m->internal &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag) &&
           (r->peer == MPI_ANY_SOURCE || r->peer == m->src);
}

static struct request *take_posted(struct endpoint *e, const struct message *m)
{
    for (struct request **at = &e->posted; *at; at = &(*at)->next)
        if (matches(*at, m)) {
            struct request *r = *at;

            *at = r->next;
            if (!*at)
                e->posted_end = at;
            return r;
        }
    return NULL;
}

static void look_at_first(struct endpoint *e, struct message *m)
{
    struct request *r = take_posted(e, m);

    if (r) {
        meet(m, r);
        return;
    }
    m->next = NULL;
    *e->unexpected_end = m;
    e->unexpected_end = &m->next;
}

/* The receiver is ready: the bytes are taken from memory now. */
static void send_data(struct message *m)
{
    struct request *s = m->send;

    m->data = must_calloc(1, (size_t)m->bytes);
    type_pack(s->from, s->n, s->type, m->data);
    send_packet(m, DATA, m->bytes);
    request_complete(s, sched_time() +
                            (int64_t)((double)m->bytes / config.port_speed));
    m->send = NULL;
}

static void look_at(struct endpoint *e, struct message *m)
{
    switch (m->packet) {
    case EAGER:
    case RTS:
        look_at_first(e, m);
        break;
    case CTS:
        send_data(m);
        break;
    case DATA:
        deliver(m, m->receive);
        free(m);
        break;
    case ACK:
        request_complete(m->send, sched_time());
        free(m);
        break;
    }
}

static void take_arrived(int rank)
{
    struct endpoint *e = &endpoints[rank];

    while (e->arrived) {
        struct message *m = e->arrived;

        e->arrived = m->next;
        if (!e->arrived)
            e->arrived_end = &e->arrived;
        sched_charge(100);
        look_at(e, m);
    }
    coll_progress(rank);
}

void progress(void)
{
    order_all();
    sched_charge(config.call_time);
    sched_catch_up();
    take_arrived(sched_rank);
}

int progress_sleep(int64_t limit)
{
    if (endpoints[sched_rank].arrived)
        return 0;
    sched_block(progress_key(sched_rank), limit, "waits in MPI");
    return 1;
}

/* ---- sends ---- */

static char *uncounted; /* [ranks] */

void sched_uncounted(int on)
{
    if (!uncounted)
        uncounted = must_calloc((size_t)config.ranks, 1);
    uncounted[sched_rank] = (char)on;
}

static void count_send(const struct message *m)
{
    if (!m->internal)
        sched_accomplished();
    if (uncounted && uncounted[m->src])
        return;
    vmpi_counts.messages++;
    vmpi_counts.bytes += (uint64_t)m->bytes;
    vmpi_counts.coll_messages += m->internal != 0;
    if (node_of(m->src) != node_of(m->dst)) {
        vmpi_counts.far_messages++;
        vmpi_counts.far_bytes += (uint64_t)m->bytes;
        kinds_count(m->src, m->internal, m->tag, m->bytes);
    }
}

static void send_eager(struct message *m, struct request *r)
{
    vmpi_counts.eager++;
    m->data = must_calloc(1, (size_t)m->bytes);
    type_pack(r->from, r->n, r->type, m->data);
    sched_charge(copy_time(m->bytes));
    vmpi_counts.unexpected += (uint64_t)m->bytes;
    if (vmpi_counts.unexpected > vmpi_counts.unexpected_peak)
        vmpi_counts.unexpected_peak = vmpi_counts.unexpected;
    if (!m->send)
        request_complete(r, sched_time());
    send_packet(m, EAGER, m->bytes);
}

void p2p_send(struct request *r, int synchronous)
{
    struct message *m;

    if (r->peer == MPI_PROC_NULL) {
        request_complete(r, sched_time());
        return;
    }
    m = must_calloc(1, sizeof(*m));
    m->src = r->rank;
    m->dst = r->peer;
    m->tag = r->tag;
    m->internal = r->internal;
    m->job = sched_job();
    m->c = r->c;
    m->bytes = type_bytes(r->n, r->type);
    m->send = synchronous ? r : NULL;
    TRACE("send %lld bytes to %d tag %d%s", (long long)m->bytes, m->dst, m->tag,
          m->internal ? " (collective)" : "");
    count_send(m);
    if (m->bytes <= config.eager) {
        send_eager(m, r);
        return;
    }
    vmpi_counts.rendezvous++;
    m->send = r;
    send_packet(m, RTS, 0);
}

static int start_send(struct request *r, const void *from, MPI_Count n,
                      MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      int synchronous)
{
    progress();
    r->from = from;
    r->n = n;
    r->type = type_hold(type);
    r->c = comm_get(comm);
    r->tag = tag;
    r->peer = to == MPI_PROC_NULL ? to : r->c->world[to];
    p2p_send(r, synchronous);
    return MPI_SUCCESS;
}

int vmpi_Isend(const void *from, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *out)
{
    return start_send(request_new(REQ_SEND, out), from, n, type, to, tag, comm,
                      0);
}

int vmpi_Issend(const void *from, int n, MPI_Datatype type, int to, int tag,
                MPI_Comm comm, MPI_Request *out)
{
    return start_send(request_new(REQ_SEND, out), from, n, type, to, tag, comm,
                      1);
}

int vmpi_Send(const void *from, int n, MPI_Datatype type, int to, int tag,
              MPI_Comm comm)
{
    MPI_Request request;

    vmpi_Isend(from, n, type, to, tag, comm, &request);
    return vmpi_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- receives ---- */

static struct message *find_unexpected(const struct request *r, int take)
{
    struct endpoint *e = &endpoints[sched_rank < 0 ? r->rank : sched_rank];

    for (struct message **at = &e->unexpected; *at; at = &(*at)->next)
        if (matches(r, *at)) {
            struct message *m = *at;

            if (!take)
                return m;
            *at = m->next;
            if (!*at)
                e->unexpected_end = at;
            return m;
        }
    return NULL;
}

void p2p_receive(struct request *r)
{
    struct endpoint *e = &endpoints[r->rank];
    struct message *m;

    if (r->peer == MPI_PROC_NULL) {
        r->status.MPI_SOURCE = MPI_PROC_NULL;
        request_complete(r, sched_time());
        return;
    }
    m = find_unexpected(r, 1);
    if (m) {
        meet(m, r);
        return;
    }
    r->next = NULL;
    *e->posted_end = r;
    e->posted_end = &r->next;
}

/* Of a receive that has no message yet; one that has goes on. */
int vmpi_Cancel(MPI_Request *handle)
{
    struct request *r = request_get(*handle);
    struct endpoint *e = &endpoints[r->rank];

    for (struct request **at = &e->posted; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            if (!*at)
                e->posted_end = at;
            request_complete(r, sched_time());
            break;
        }
    return MPI_SUCCESS;
}

static int world_rank(struct comm *c, int rank)
{
    return rank == MPI_ANY_SOURCE || rank == MPI_PROC_NULL ? rank
                                                           : c->world[rank];
}

int vmpi_Irecv(void *to, int n, MPI_Datatype type, int from, int tag,
               MPI_Comm comm, MPI_Request *out)
{
    struct request *r = request_new(REQ_RECV, out);

    progress();
    r->to = to;
    r->n = n;
    r->type = type_hold(type);
    r->c = comm_get(comm);
    r->tag = tag;
    r->peer = world_rank(r->c, from);
    p2p_receive(r);
    return MPI_SUCCESS;
}

int vmpi_Recv(void *to, int n, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;

    vmpi_Irecv(to, n, type, from, tag, comm, &request);
    return vmpi_Wait(&request, status);
}

static struct message *probe(int from, int tag, MPI_Comm comm, int take)
{
    struct request r = {.tag = tag, .c = comm_get(comm)};

    r.peer = world_rank(r.c, from);
    progress();
    return find_unexpected(&r, take);
}

int vmpi_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct message *m = probe(from, tag, comm, 0);

    *flag = m != NULL;
    if (m && status != MPI_STATUS_IGNORE)
        fill_status(status, m);
    return MPI_SUCCESS;
}

/* ---- matched probes: a message that no other receive will get ---- */

#define MESSAGE_KIND 0xac800000u
static struct message **taken;
static int taken_count, *free_taken, free_count;

static int taken_slot(void)
{
    if (free_count)
        return free_taken[--free_count];
    if (taken_count % 1024 == 0) {
        size_t room = (size_t)taken_count + 1024;

        taken = must_realloc(taken, room * sizeof(*taken));
        free_taken = must_realloc(free_taken, room * sizeof(*free_taken));
    }
    return taken_count++;
}

int vmpi_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *out,
                 MPI_Status *status)
{
    struct message *m = probe(from, tag, comm, 1);
    int i;

    *flag = m != NULL;
    if (!m)
        return MPI_SUCCESS;
    if (status != MPI_STATUS_IGNORE)
        fill_status(status, m);
    i = taken_slot();
    taken[i] = m;
    TRACE("takes %lld bytes from %d tag %d", (long long)m->bytes, m->src,
          m->tag);
    *out = (MPI_Message)(MESSAGE_KIND + (unsigned)i);
    return MPI_SUCCESS;
}

int vmpi_Imrecv(void *to, int n, MPI_Datatype type, MPI_Message *handle,
                MPI_Request *out)
{
    int i = (int)((unsigned)*handle - MESSAGE_KIND);
    struct request *r = request_new(REQ_RECV, out);
    struct message *m;

    progress();
    if (i < 0 || i >= taken_count || !taken[i])
        vmpi_wrong("message %x is not valid", (unsigned)*handle);
    m = taken[i];
    taken[i] = NULL;
    free_taken[free_count++] = i;
    *handle = MPI_MESSAGE_NULL;
    r->to = to;
    r->n = n;
    r->type = type_hold(type);
    r->c = m->c;
    meet(m, r);
    return MPI_SUCCESS;
}

/* ---- report ---- */

static void report_endpoint(int rank)
{
    const struct endpoint *e = &endpoints[rank];
    int n = 0;

    fprintf(stderr, "  rank %d:", rank);
    for (const struct request *r = e->posted; r; r = r->next)
        if (n++ < 8)
            fprintf(stderr, " posted(from %d tag %d comm %d%s)", r->peer,
                    r->tag, r->c->index, r->internal ? " coll" : "");
    for (const struct message *m = e->unexpected; m; m = m->next)
        if (n++ < 16)
            fprintf(stderr, " unexpected(from %d tag %d comm %d, %lld bytes)",
                    m->src, m->tag, m->c->index, (long long)m->bytes);
    for (const struct message *m = e->arrived; m; m = m->next)
        if (n++ < 24)
            fprintf(stderr, " not looked at(%s from %d tag %d)",
                    m->packet == CTS || m->packet == ACK ? "answer" : "message",
                    m->packet == CTS || m->packet == ACK ? m->dst : m->src,
                    m->tag);
    fprintf(stderr, "%s\n", n > 24 ? " ..." : "");
}

void p2p_report(int most)
{
    for (int i = 0; i < config.ranks && most > 0; i++) {
        const struct endpoint *e = &endpoints[i];

        if (!e->posted && !e->unexpected && !e->arrived)
            continue;
        report_endpoint(i);
        most--;
    }
}
