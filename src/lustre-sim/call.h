/* call.h - one call into the server: mutex, time, counters, trace
 *
 * call_begin locks the OST's mutex and finds the object and the client's part
 * of it. call_end unlocks the mutex, writes the trace and sleeps until `wake`.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_CALL_H
#define LSIM_CALL_H

#include "shm.h"
#include "trace.h"

struct call {
    struct lsim *ls;
    struct ost *o;
    unsigned ost;
    uint32_t object, cobj; /* slots */
    uint32_t gen;          /* of the object */
    uint64_t now;          /* monotonic, ns */
    uint64_t wake;         /* sleep until then at the end */
    struct lsim_trace trace;
};

uint64_t clock_now(void);

/* Lock and unlock a robust mutex. -EDEADLK: this thread holds the mutex already
 * (I/O of a signal handler); the caller then counts nothing. */
int ost_lock(struct ost *o);
void ost_unlock(struct ost *o);

/* obj NULL: only the OST. */
int call_begin(struct call *c, struct lsim *ls, unsigned ost,
               struct lsim_object *obj);
void call_end(struct call *c);

/* As call_end, but instead of sleeping raise *wake: the caller sleeps. */
void call_end_later(struct call *c, uint64_t *wake);
void sleep_until(uint64_t t);

/* Sleep outside of the mutex until the monotonic time `until`, or, with
 * change, until a call of call_wake if that is earlier. Returns -ESTALE
 * when the object is gone afterwards, -EDEADLK never. */
int call_wait(struct call *c, uint64_t until, int change);
void call_wake(struct ost *o);

static inline struct object *call_object(struct call *c)
{
    return &c->o->objects[c->object];
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void call_until(struct call *c, uint64_t t)
{
    c->wake = later(c->wake, t);
}

/* Add n to a counter of the OST, the object and the client of a cobj. */
static inline void count_at(struct call *c, uint32_t cobj, size_t offset,
                            uint64_t n)
{
    struct cobj *co = &c->o->cobjs[cobj];

    *(uint64_t *)((char *)&c->o->counts + offset) += n;
    *(uint64_t *)((char *)&c->o->objects[co->object].counts + offset) += n;
    *(uint64_t *)((char *)&c->o->osc[co->client].counts + offset) += n;
}

#define COUNT(c, cobj, name, n) \
    count_at(c, cobj, offsetof(struct lsim_counts, name), n)

/* Report a message to the observer. */
static inline void call_observe(struct call *c, const struct lsim_message *m)
{
    if (c->ls->observe)
        c->ls->observe(m, c->ls->observe_arg);
}

/* Write a message of the servers to the trace, and report it to the observer.
 */
static inline void call_message(struct call *c, const struct lsim_message *m)
{
    lsim_trace_rpc(&c->trace, m->opc, m->client, ++c->o->xid);
    call_observe(c, m);
}

static inline void call_rpc(struct call *c, enum lsim_opc opc, uint32_t client)
{
    struct lsim_message m = {.opc = opc, .client = client, .ost = c->ost};

    call_message(c, &m);
}

/* Do the same for a read or write RPC of a cobj: bytes of [start, end). */
static inline void call_io(struct call *c, enum lsim_opc opc, uint32_t cobj,
                           struct lsim_extent ext)
{
    const struct cobj *co = &c->o->cobjs[cobj];

    ext.file = c->o->objects[co->object].file;
    ext.index = c->o->objects[co->object].index;
    lsim_trace_io(&c->trace, opc, co->client, ++c->o->xid, &ext);
    call_observe(c, &(struct lsim_message){.opc = opc,
                                           .client = co->client,
                                           .ost = c->ost,
                                           .start = ext.start,
                                           .end = ext.end,
                                           .bytes = ext.bytes});
}

#endif
