/* coll.c - collective calls as messages
 *
 * A call is a list of steps made when it starts, and worked off whenever its
 * rank makes progress. A step that waits lets no later one begin before all
 * earlier sends and receives are done. Algorithms are MPICH's usual ones:
 * dissemination (barrier), binomial trees (bcast, reduce, gather), recursive
 * doubling in the sense of reduce + bcast (allreduce), Bruck (allgather, and
 * alltoall of small parts), all pairs (gatherv at its root, alltoall,
 * alltoallw).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmpi.h"
#include "vmpi_calls.h"

/* Parts of at most so many bytes, among at least so many ranks, go by Bruck. */
#define SHORT_PART 256
#define SHORT_RANKS 8

enum step_kind {
    STEP_SEND,
    STEP_RECV,
    STEP_WAIT,
    STEP_REDUCE,
    STEP_UNPACK,
    STEP_GATHER,  /* parts of a row with a bit in their number, to a buffer */
    STEP_SCATTER, /* ... and back */
    STEP_REVERSE
};

struct step {
    enum step_kind kind;
    const void *from;
    void *to;
    MPI_Count n;
    MPI_Datatype type;
    int peer; /* in the communicator */
    int bit;
    MPI_Op op;
};

struct coll {
    struct coll *next; /* of the rank */
    const char *name;
    struct comm *c;
    int rank, me, tag; /* of the world; in c */
    struct step *step;
    int n, room, at;
    struct request **pending;
    int pendings, pending_room;
    void **temp; /* freed at the end */
    int temps;
    struct request *owner;
};
static struct coll **active; /* [ranks] */

void coll_start(void)
{
    free(active);
    active = must_calloc((size_t)config.ranks, sizeof(*active));
}

/* ---- making the list ---- */

static struct coll *coll_new(const char *name, MPI_Comm comm, MPI_Request *out)
{
    struct coll *o = must_calloc(1, sizeof(*o));

    o->name = name;
    o->c = comm_get(comm);
    o->rank = sched_rank;
    o->me = comm_rank(o->c, sched_rank);
    o->tag = o->c->tag[o->me]++;
    o->owner = request_new(REQ_COLL, out);
    o->owner->coll = o;
    vmpi_counts.collectives += o->me == 0;
    return o;
}

static struct step *add(struct coll *o, enum step_kind kind)
{
    struct step *s;

    if (o->n == o->room) {
        o->room = o->room ? 2 * o->room : 16;
        o->step = must_realloc(o->step, (size_t)o->room * sizeof(*o->step));
    }
    s = &o->step[o->n++];
    memset(s, 0, sizeof(*s));
    s->kind = kind;
    s->type = MPI_BYTE;
    return s;
}

static void add_send(struct coll *o, int peer, const void *from, MPI_Count n,
                     MPI_Datatype type)
{
    struct step *s = add(o, STEP_SEND);

    s->peer = peer;
    s->from = from;
    s->n = n;
    s->type = type_hold(type);
}

static void add_recv(struct coll *o, int peer, void *to, MPI_Count n,
                     MPI_Datatype type)
{
    struct step *s = add(o, STEP_RECV);

    s->peer = peer;
    s->to = to;
    s->n = n;
    s->type = type_hold(type);
}

static void add_reduce(struct coll *o, const void *from, void *to, MPI_Count n,
                       MPI_Datatype type, MPI_Op op)
{
    struct step *s = add(o, STEP_REDUCE);

    s->from = from;
    s->to = to;
    s->n = n;
    s->type = type_hold(type);
    s->op = op;
}

/* Bytes in a row into memory of a type. */
static void add_unpack(struct coll *o, const void *from, void *to, MPI_Count n,
                       MPI_Datatype type)
{
    struct step *s = add(o, STEP_UNPACK);

    s->from = from;
    s->to = to;
    s->n = n;
    s->type = type_hold(type);
}

static void *temp(struct coll *o, MPI_Count bytes)
{
    void *p = must_calloc(1, (size_t)bytes + 1);

    o->temp = must_realloc(o->temp, (size_t)(o->temps + 1) * sizeof(*o->temp));
    o->temp[o->temps++] = p;
    return p;
}

/* ---- working it off ---- */

static void start_message(struct coll *o, const struct step *s)
{
    struct request *r =
        request_new(s->kind == STEP_SEND ? REQ_SEND : REQ_RECV, NULL);

    r->rank = o->rank;
    r->from = s->from;
    r->to = s->to;
    r->n = s->n;
    r->type = s->type; /* the step's hold goes to the request */
    r->c = o->c;
    r->internal = o->name;
    r->tag = o->tag;
    r->peer = o->c->world[s->peer];
    if (o->pendings == o->pending_room) {
        o->pending_room = o->pending_room ? 2 * o->pending_room : 8;
        o->pending = must_realloc(o->pending, (size_t)o->pending_room *
                                                  sizeof(*o->pending));
    }
    o->pending[o->pendings++] = r;
    if (s->kind == STEP_SEND)
        p2p_send(r, 0);
    else
        p2p_receive(r);
}

static int all_done(struct coll *o)
{
    int left = 0;

    for (int i = 0; i < o->pendings; i++) {
        if (request_is_done(o->pending[i]))
            request_free(o->pending[i]);
        else
            o->pending[left++] = o->pending[i];
    }
    o->pendings = left;
    return left == 0;
}

/* Part i of `from`, of s->n bytes each, is of the rank i before this one. */
static void reverse_parts(const struct coll *o, const struct step *s)
{
    for (int i = 0; i < o->c->size; i++)
        memcpy((char *)s->to +
                   (o->me - i + o->c->size) % o->c->size * (size_t)s->n,
               (const char *)s->from + (size_t)i * (size_t)s->n, (size_t)s->n);
}

static void gather_parts(const struct coll *o, const struct step *s)
{
    size_t part = (size_t)s->n, at = 0;

    for (int i = 0; i < o->c->size; i++) {
        if (!(i & s->bit))
            continue;
        if (s->kind == STEP_GATHER)
            memcpy((char *)s->to + at, (const char *)s->from + (size_t)i * part,
                   part);
        else
            memcpy((char *)s->to + (size_t)i * part, (const char *)s->from + at,
                   part);
        at += part;
    }
}

static void do_local(const struct coll *o, const struct step *s)
{
    switch (s->kind) {
    case STEP_REVERSE:
        reverse_parts(o, s);
        return;
    case STEP_GATHER:
    case STEP_SCATTER:
        gather_parts(o, s);
        return;
    case STEP_REDUCE:
        PMPI_Reduce_local(s->from, s->to, (int)s->n, s->type, s->op);
        break;
    default:
        type_unpack(s->from, type_bytes(s->n, s->type), s->to, s->n, s->type);
    }
    type_release(s->type);
}

/* 1: it is at its end. */
static int advance(struct coll *o)
{
    for (; o->at < o->n; o->at++) {
        const struct step *s = &o->step[o->at];

        if (s->kind == STEP_WAIT && !all_done(o))
            return 0;
        if (s->kind == STEP_SEND || s->kind == STEP_RECV)
            start_message(o, s);
        else if (s->kind != STEP_WAIT)
            do_local(o, s);
    }
    return all_done(o);
}

static void coll_free(struct coll *o)
{
    for (int i = 0; i < o->temps; i++)
        free(o->temp[i]);
    free(o->temp);
    free(o->step);
    free(o->pending);
    free(o);
}

void coll_progress(int rank)
{
    struct coll **at = &active[rank];

    while (*at) {
        struct coll *o = *at;

        if (!advance(o)) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        o->owner->coll = NULL;
        request_complete(o->owner, sched_time());
        coll_free(o);
    }
}

static int coll_begin(struct coll *o)
{
    struct coll **at = &active[o->rank];

    TRACE("%s on communicator %d", o->name, o->c->index);
    while (*at)
        at = &(*at)->next;
    *at = o;
    progress();
    return MPI_SUCCESS;
}

/* ---- trees ---- */

/* Binomial tree with its root at 0: the parent of v, or -1. */
static int parent_of(int v)
{
    return v == 0 ? -1 : v & (v - 1);
}

/* The lowest bit that a child of v may have set, downwards from this one. */
static int top_child(int v, int size)
{
    int bit = 1;

    if (v)
        return (v & -v) >> 1;
    while (bit * 2 < size)
        bit *= 2;
    return bit;
}

static int unrotate(const struct coll *o, int v, int root)
{
    return (v + root) % o->c->size;
}

static int rotate(const struct coll *o, int root)
{
    return (o->me - root + o->c->size) % o->c->size;
}

static void tree_down(struct coll *o, void *buf, MPI_Count n, MPI_Datatype type,
                      int root)
{
    int v = rotate(o, root), size = o->c->size;

    if (v) {
        add_recv(o, unrotate(o, parent_of(v), root), buf, n, type);
        add(o, STEP_WAIT);
    }
    for (int bit = top_child(v, size); bit > 0; bit >>= 1)
        if (v + bit < size)
            add_send(o, unrotate(o, v + bit, root), buf, n, type);
    add(o, STEP_WAIT);
}

/* Reduce what the subtree has into `sum`; children in ascending order, so that
 * the order of the ranks is kept for root 0. */
static void tree_up(struct coll *o, void *sum, MPI_Count n, MPI_Datatype type,
                    MPI_Op op, int root)
{
    MPI_Count lb, extent;
    int v = rotate(o, root), size = o->c->size, top = top_child(v, size);

    PMPI_Type_get_extent_x(type, &lb, &extent);
    for (int bit = 1; bit <= top; bit <<= 1) {
        char *in;

        if (v + bit >= size)
            break;
        in = temp(o, n * extent);
        add_recv(o, unrotate(o, v + bit, root), in, n, type);
        add(o, STEP_WAIT);
        add_reduce(o, in, sum, n, type, op);
    }
    if (v) {
        add_send(o, unrotate(o, parent_of(v), root), sum, n, type);
        add(o, STEP_WAIT);
    }
}

int vmpi_Ibarrier(MPI_Comm comm, MPI_Request *out)
{
    struct coll *o = coll_new("barrier", comm, out);
    int size = o->c->size;

    for (int d = 1; d < size; d *= 2) {
        add_send(o, (o->me + d) % size, NULL, 0, MPI_BYTE);
        add_recv(o, (o->me - d + size) % size, NULL, 0, MPI_BYTE);
        add(o, STEP_WAIT);
    }
    return coll_begin(o);
}

int vmpi_Ibcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request *out)
{
    struct coll *o = coll_new("bcast", comm, out);

    tree_down(o, buf, n, type, root);
    return coll_begin(o);
}

static MPI_Count extent_of(MPI_Datatype type)
{
    MPI_Count lb, extent;

    PMPI_Type_get_extent_x(type, &lb, &extent);
    return extent;
}

static void copy_typed(const void *from, MPI_Count n, MPI_Datatype type,
                       void *to, MPI_Count m, MPI_Datatype to_type)
{
    MPI_Count bytes = type_bytes(n, type);
    char *packed = must_calloc(1, (size_t)bytes + 1);

    type_pack(from, n, type, packed);
    type_unpack(packed, bytes, to, m, to_type);
    free(packed);
}

static int reduce(struct coll *o, const void *from, void *to, int n,
                  MPI_Datatype type, MPI_Op op, int root, int all)
{
    void *sum = all || o->me == root ? to : temp(o, n * extent_of(type));

    if (from != MPI_IN_PLACE)
        copy_typed(from, n, type, sum, n, type);
    tree_up(o, sum, n, type, op, root);
    if (all)
        tree_down(o, sum, n, type, root);
    return coll_begin(o);
}

int vmpi_Ireduce(const void *from, void *to, int n, MPI_Datatype type,
                 MPI_Op op, int root, MPI_Comm comm, MPI_Request *out)
{
    return reduce(coll_new("reduce", comm, out), from, to, n, type, op, root,
                  0);
}

int vmpi_Iallreduce(const void *from, void *to, int n, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request *out)
{
    return reduce(coll_new("allreduce", comm, out), from, to, n, type, op, 0,
                  1);
}

/* ---- gather ---- */

/* How many ranks the subtree of v has: v and those above it below its bit. */
static int subtree(int v, int size)
{
    int most = v ? v & -v : size;

    return v + most > size ? size - v : most;
}

/* The root has it in the order of the tree: into the order of the ranks. */
static void unpack_gathered(struct coll *o, const char *bytes, MPI_Count part,
                            void *to, int m, MPI_Datatype type, int root)
{
    MPI_Count extent = extent_of(type);

    for (int v = 0; v < o->c->size; v++) {
        int rank = unrotate(o, v, root);

        add_unpack(o, bytes + v * part, (char *)to + rank * m * extent, m,
                   type);
    }
}

int vmpi_Igather(const void *from, int n, MPI_Datatype type, void *to, int m,
                 MPI_Datatype to_type, int root, MPI_Comm comm,
                 MPI_Request *out)
{
    struct coll *o = coll_new("gather", comm, out);
    int v = rotate(o, root), size = o->c->size;
    MPI_Count part = v ? type_bytes(n, type) : type_bytes(m, to_type);
    char *bytes = temp(o, part * subtree(v, size));

    if (from == MPI_IN_PLACE)
        type_pack((char *)to + o->me * m * extent_of(to_type), m, to_type,
                  bytes);
    else
        type_pack(from, n, type, bytes);
    for (int bit = top_child(v, size); bit > 0; bit >>= 1)
        if (v + bit < size)
            add_recv(o, unrotate(o, v + bit, root), bytes + bit * part,
                     part * subtree(v + bit, size), MPI_BYTE);
    add(o, STEP_WAIT);
    if (v)
        add_send(o, unrotate(o, parent_of(v), root), bytes,
                 part * subtree(v, size), MPI_BYTE);
    else
        unpack_gathered(o, bytes, part, to, m, to_type, root);
    return coll_begin(o);
}

int vmpi_Igatherv(const void *from, int n, MPI_Datatype type, void *to,
                  const int *counts, const int *displs, MPI_Datatype to_type,
                  int root, MPI_Comm comm, MPI_Request *out)
{
    struct coll *o = coll_new("gatherv", comm, out);
    MPI_Count extent = o->me == root ? extent_of(to_type) : 0;

    if (o->me != root)
        add_send(o, root, from, n, type);
    for (int i = 0; o->me == root && i < o->c->size; i++)
        if (i != root)
            add_recv(o, i, (char *)to + displs[i] * extent, counts[i], to_type);
        else if (from != MPI_IN_PLACE)
            copy_typed(from, n, type, (char *)to + displs[i] * extent,
                       counts[i], to_type);
    return coll_begin(o);
}

/* ---- all to all ---- */

/* Bruck: after round d a rank has the parts of itself and the next 2d - 1. */
int vmpi_Iallgather(const void *from, int n, MPI_Datatype type, void *to, int m,
                    MPI_Datatype to_type, MPI_Comm comm, MPI_Request *out)
{
    struct coll *o = coll_new("allgather", comm, out);
    int size = o->c->size;
    MPI_Count part = type_bytes(m, to_type), extent = extent_of(to_type);
    char *bytes = temp(o, part * size);

    if (from == MPI_IN_PLACE)
        type_pack((char *)to + o->me * m * extent, m, to_type, bytes);
    else
        type_pack(from, n, type, bytes);
    for (int d = 1; d < size; d *= 2) {
        int k = size - d < d ? size - d : d;

        add_send(o, (o->me - d + size) % size, bytes, k * part, MPI_BYTE);
        add_recv(o, (o->me + d) % size, bytes + d * part, k * part, MPI_BYTE);
        add(o, STEP_WAIT);
    }
    if (type_is_named(to_type)) { /* parts follow one another: two copies */
        add_unpack(o, bytes, (char *)to + o->me * part, (size - o->me) * part,
                   MPI_BYTE);
        add_unpack(o, bytes + (size - o->me) * part, to, o->me * part,
                   MPI_BYTE);
        return coll_begin(o);
    }
    for (int i = 0; i < size; i++)
        add_unpack(o, bytes + i * part,
                   (char *)to + (o->me + i) % size * m * extent, m, to_type);
    return coll_begin(o);
}

static void add_parts(struct coll *o, enum step_kind kind, const char *from,
                      char *to, int part, int bit)
{
    struct step *s = add(o, kind);

    s->from = from;
    s->to = to;
    s->n = part;
    s->bit = bit;
}

/* Bruck: in round d the parts whose distance has bit d move so far. `bytes`:
 * the parts in the order of ranks. */
static int alltoall_short(struct coll *o, const char *bytes, int part, void *to)
{
    int size = o->c->size;
    char *row = temp(o, (MPI_Count)part * size);
    char *out = temp(o, (MPI_Count)part * size);
    char *in = temp(o, (MPI_Count)part * size);

    memcpy(row, bytes + (size_t)o->me * part, (size_t)(size - o->me) * part);
    memcpy(row + (size_t)(size - o->me) * part, bytes, (size_t)o->me * part);
    for (int d = 1; d < size; d *= 2) {
        int n = 0;

        for (int i = 0; i < size; i++)
            n += (i & d) != 0;
        add_parts(o, STEP_GATHER, row, out, part, d);
        add_send(o, (o->me + d) % size, out, (MPI_Count)n * part, MPI_BYTE);
        add_recv(o, (o->me - d + size) % size, in, (MPI_Count)n * part,
                 MPI_BYTE);
        add(o, STEP_WAIT);
        add_parts(o, STEP_SCATTER, in, row, part, d);
    }
    add_parts(o, STEP_REVERSE, row, to, part, 0);
    return coll_begin(o);
}

int vmpi_Ialltoall(const void *from, int n, MPI_Datatype type, void *to, int m,
                   MPI_Datatype to_type, MPI_Comm comm, MPI_Request *out)
{
    struct coll *o = coll_new("alltoall", comm, out);
    int size = o->c->size, in_place = from == MPI_IN_PLACE;
    MPI_Count count = in_place ? m : n;
    MPI_Datatype t = in_place ? to_type : type;
    MPI_Count part = type_bytes(count, t), extent = extent_of(to_type);
    char *bytes = temp(o, part * size);

    type_pack(in_place ? to : from, count * size, t, bytes);
    if (part <= SHORT_PART && size >= SHORT_RANKS && type_is_named(to_type))
        return alltoall_short(o, bytes, (int)part, to);
    for (int i = 0; i < size; i++) {
        int peer = (o->me + i) % size;

        add_send(o, peer, bytes + peer * part, part, MPI_BYTE);
        add_recv(o, peer, (char *)to + peer * m * extent, m, to_type);
    }
    return coll_begin(o);
}

static int alltoallw(struct coll *o, const void *from, const int *counts,
                     const int *displs, const MPI_Datatype *types)
{
    for (int i = 0; i < o->c->size; i++) {
        int peer = (o->me + i) % o->c->size;

        if (counts[peer] && type_bytes(counts[peer], types[peer]))
            add_send(o, peer, (const char *)from + displs[peer], counts[peer],
                     types[peer]);
    }
    return 0;
}

int vmpi_Alltoallw(const void *from, const int *counts, const int *displs,
                   const MPI_Datatype *types, void *to, const int *to_counts,
                   const int *to_displs, const MPI_Datatype *to_types,
                   MPI_Comm comm)
{
    MPI_Request request;
    struct coll *o = coll_new("alltoallw", comm, &request);

    for (int i = 0; i < o->c->size; i++) {
        int peer = (o->me - i + o->c->size) % o->c->size;

        if (to_counts[peer] && type_bytes(to_counts[peer], to_types[peer]))
            add_recv(o, peer, (char *)to + to_displs[peer], to_counts[peer],
                     to_types[peer]);
    }
    alltoallw(o, from, counts, displs, types);
    coll_begin(o);
    return vmpi_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- blocking calls ---- */

#define BLOCKING(call)                                  \
    do {                                                \
        MPI_Request request_;                           \
        call;                                           \
        return vmpi_Wait(&request_, MPI_STATUS_IGNORE); \
    } while (0)

int vmpi_Barrier(MPI_Comm comm)
{
    BLOCKING(vmpi_Ibarrier(comm, &request_));
}

int vmpi_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    BLOCKING(vmpi_Ibcast(buf, n, type, root, comm, &request_));
}

int vmpi_Reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm)
{
    BLOCKING(vmpi_Ireduce(from, to, n, type, op, root, comm, &request_));
}

int vmpi_Allreduce(const void *from, void *to, int n, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
{
    BLOCKING(vmpi_Iallreduce(from, to, n, type, op, comm, &request_));
}

int vmpi_Gather(const void *from, int n, MPI_Datatype type, void *to, int m,
                MPI_Datatype to_type, int root, MPI_Comm comm)
{
    BLOCKING(
        vmpi_Igather(from, n, type, to, m, to_type, root, comm, &request_));
}

int vmpi_Gatherv(const void *from, int n, MPI_Datatype type, void *to,
                 const int *counts, const int *displs, MPI_Datatype to_type,
                 int root, MPI_Comm comm)
{
    BLOCKING(vmpi_Igatherv(from, n, type, to, counts, displs, to_type, root,
                           comm, &request_));
}

int vmpi_Allgather(const void *from, int n, MPI_Datatype type, void *to, int m,
                   MPI_Datatype to_type, MPI_Comm comm)
{
    BLOCKING(vmpi_Iallgather(from, n, type, to, m, to_type, comm, &request_));
}

int vmpi_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int m,
                  MPI_Datatype to_type, MPI_Comm comm)
{
    BLOCKING(vmpi_Ialltoall(from, n, type, to, m, to_type, comm, &request_));
}

void coll_report(int most)
{
    for (int i = 0; i < config.ranks && most > 0; i++)
        for (const struct coll *o = active[i]; o && most > 0; o = o->next) {
            fprintf(stderr,
                    "  rank %d: %s (number %d) on communicator %d, "
                    "step %d of %d\n",
                    i, o->name, o->tag, o->c->index, o->at, o->n);
            most--;
        }
}
