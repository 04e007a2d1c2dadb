/* lock.c - extent and group locks of an object in shared memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lock.h"

#include <errno.h>

#include "pool.h"
#include "procs.h"
#include "rpc.h"

#define BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define US 1000ULL
#define POLL_NS 50000000ULL /* how often a waiter looks for dead holders */

/* --- lists --- */

static void lru_add(struct ost *o, struct osc *osc, uint32_t slot)
{
    struct lock *l = &o->locks[slot];

    l->lru_next = 0;
    l->lru_prev = osc->lru_tail;
    if (osc->lru_tail)
        o->locks[osc->lru_tail].lru_next = slot;
    else
        osc->lru_head = slot;
    osc->lru_tail = slot;
    osc->lru_count++;
}

static void lru_remove(struct ost *o, struct osc *osc, uint32_t slot)
{
    struct lock *l = &o->locks[slot];

    if (l->lru_prev)
        o->locks[l->lru_prev].lru_next = l->lru_next;
    else
        osc->lru_head = l->lru_next;
    if (l->lru_next)
        o->locks[l->lru_next].lru_prev = l->lru_prev;
    else
        osc->lru_tail = l->lru_prev;
    osc->lru_count--;
}

static int on_lru(const struct lock *l)
{
    return l->state == LOCK_GRANTED && l->ext.mode != LSIM_RULE_GROUP;
}

static struct osc *osc_of(struct ost *o, const struct lock *l)
{
    return &o->osc[o->cobjs[l->cobj].client];
}

/* Link slot after prev (0: first) of the list that starts at head. */
static void link_after(struct ost *o, uint32_t *head, uint32_t prev,
                       uint32_t slot)
{
    struct lock *l = &o->locks[slot];

    l->prev = prev;
    l->next = prev ? o->locks[prev].next : *head;
    if (l->next)
        o->locks[l->next].prev = slot;
    if (prev)
        o->locks[prev].next = slot;
    else
        *head = slot;
}

static void unlink_lock(struct ost *o, uint32_t *head, uint32_t slot)
{
    struct lock *l = &o->locks[slot];

    if (l->prev)
        o->locks[l->prev].next = l->next;
    else
        *head = l->next;
    if (l->next)
        o->locks[l->next].prev = l->prev;
}

/* Granted locks of a cobj are sorted by start; a program that goes forwards
 * finds its place from the last one used. */
static void link_granted(struct ost *o, uint32_t slot)
{
    struct lock *l = &o->locks[slot];
    struct cobj *co = &o->cobjs[l->cobj];
    uint32_t at = co->locks, prev = 0;

    if (co->lock_hint && o->locks[co->lock_hint].ext.start <= l->ext.start)
        at = co->lock_hint;
    for (; at && o->locks[at].ext.start <= l->ext.start; at = o->locks[at].next)
        prev = at;
    link_after(o, &co->locks, prev, slot);
    co->lock_hint = slot;
    if (on_lru(l))
        lru_add(o, &o->osc[co->client], slot);
}

static void link_waiting(struct ost *o, uint32_t slot)
{
    struct lock *l = &o->locks[slot];
    uint32_t *head = &o->objects[o->cobjs[l->cobj].object].waiting;
    uint32_t prev = 0;

    for (uint32_t at = *head; at && o->locks[at].ticket < l->ticket;
         at = o->locks[at].next)
        prev = at;
    link_after(o, head, prev, slot);
}

void lock_relink(struct ost *o, uint32_t slot)
{
    if (o->locks[slot].state == LOCK_WAITING)
        link_waiting(o, slot);
    else
        link_granted(o, slot);
}

static void unlink_any(struct ost *o, uint32_t slot)
{
    struct lock *l = &o->locks[slot];
    struct cobj *co = &o->cobjs[l->cobj];

    if (l->state == LOCK_WAITING) {
        unlink_lock(o, &o->objects[co->object].waiting, slot);
        return;
    }
    if (co->lock_hint == slot)
        co->lock_hint = l->prev;
    unlink_lock(o, &co->locks, slot);
    if (on_lru(l))
        lru_remove(o, osc_of(o, l), slot);
}

void lock_free(struct ost *o, uint32_t slot)
{
    unlink_any(o, slot);
    o->locks[slot].state = LOCK_FREE;
    BARRIER();
    pool_put(&o->lock_pool, o->locks, sizeof(o->locks[0]), slot);
}

/* --- matching --- */

static int covers(struct ost *o, uint32_t slot,
                  const struct lsim_rule_lock *want)
{
    return slot && o->locks[slot].state == LOCK_GRANTED &&
           !o->locks[slot].called &&
           lsim_rule_covers(&o->locks[slot].ext, want);
}

static uint32_t search(struct ost *o, const struct cobj *co,
                       const struct lsim_rule_lock *want)
{
    uint32_t at = co->lock_hint;

    if (covers(o, at, want))
        return at;
    if (at && covers(o, o->locks[at].next, want))
        return o->locks[at].next;
    for (at = co->locks; at && o->locks[at].ext.start <= want->start;
         at = o->locks[at].next)
        if (covers(o, at, want))
            return at;
    return 0;
}

uint32_t lock_match(struct call *c, const struct lsim_rule_lock *want)
{
    struct ost *o = c->o;
    struct cobj *co = &o->cobjs[c->cobj];
    struct osc *osc = &o->osc[co->client];
    uint32_t slot = search(o, co, want);

    if (!slot)
        return 0;
    co->lock_hint = slot;
    o->locks[slot].used = c->now;
    if (osc->lru_tail != slot) {
        lru_remove(o, osc, slot);
        lru_add(o, osc, slot);
    }
    return slot;
}

/* --- giving back --- */

/* Write back and forget what a lock covers. Returns when that is done. */
static uint64_t clean(struct call *c, uint32_t slot, uint64_t at, int forced)
{
    struct ost *o = c->o;
    struct lock *l = &o->locks[slot];
    uint64_t done = at;

    if (l->ext.mode == LSIM_RULE_PW)
        done = rpc_write_back(c, l->cobj, l->ext.start, l->ext.end, at, forced);
    rpc_forget(o, l->cobj, l->ext.start, l->ext.end);
    COUNT(c, l->cobj, cancel, 1);
    call_rpc(c, LSIM_LDLM_CANCEL, o->cobjs[l->cobj].client);
    return done;
}

uint64_t lock_cancel(struct call *c, uint32_t slot, uint64_t at, int forced)
{
    uint64_t done = clean(c, slot, at, forced);

    lock_free(c->o, slot);
    return done;
}

void lock_evict(struct ost *o, uint32_t client)
{
    struct osc *osc = &o->osc[client];

    for (uint32_t cs = osc->cobjs; cs; cs = o->cobjs[cs].osc_next) {
        struct cobj *co = &o->cobjs[cs];

        rpc_forget(o, cs, 0, LSIM_EOF);
        while (co->locks) {
            lock_free(o, co->locks);
            o->counts.evict++;
            o->objects[co->object].counts.evict++;
            osc->counts.evict++;
        }
    }
    osc->ring_count = 0;
    osc->in_flight = 0;
    call_wake(o);
}

void lock_forget_proc(struct ost *o, uint32_t proc)
{
    for (uint32_t s = 1; s <= o->lock_pool.used && s < MAX_LOCKS; s++) {
        struct lock *l = &o->locks[s];

        if (l->state != LOCK_FREE && l->proc == proc)
            lock_free(o, s);
    }
    call_wake(o);
}

/* --- asking ---
 *
 * The queue is the real server's (test/locks-2.md, C2 to C5). A request that
 * conflicts with no other, held or waiting, is granted at once; else it joins
 * the end and the locks in its way are called back, once. Whenever a lock has
 * gone the queue is walked from its head, and the walk stops at the first
 * request that still has to wait. The process that finds that a lock has gone
 * does the walk for all waiters: they see that their request is now a lock.
 */

/* What stands in a request's way. */
struct obstacle {
    int group;      /* a group lock */
    int waits;      /* anything at all */
    uint64_t until; /* when the last lock called back is gone */
};

static void add_until(struct obstacle *ob, uint64_t t)
{
    ob->waits = 1;
    if (t > ob->until)
        ob->until = t;
}

/* The holder ends its current copy, writes back and sends its cancel. Until
 * that has arrived the lock blocks all requests, those of its own client too.
 */
static void begin_cancel(struct call *c, uint32_t slot, struct obstacle *ob)
{
    const struct lsim_profile *p = &c->ls->profile;
    struct lock *l = &c->o->locks[slot];
    uint64_t at = 0, done;

    if (p->timed)
        at = later(c->now + (p->lock_us + p->callback_us / 2) * US, l->busy);
    done = clean(c, slot, at, 1);
    if (!p->timed) {
        lock_free(c->o, slot);
        return;
    }
    lru_remove(c->o, osc_of(c->o, l), slot);
    l->state = LOCK_CANCELLING;
    l->due = done + p->callback_us / 2 * US;
    add_until(ob, l->due);
}

/* One callback a lock, whatever the number of waiters. A lock granted in this
 * walk is told so by its completion callback, without another message. */
static void call_back(struct call *c, uint32_t slot, struct obstacle *ob)
{
    struct lock *l = &c->o->locks[slot];

    if (!l->called && !l->fresh) {
        COUNT(c, l->cobj, bl_callback, 1);
        call_rpc(c, LSIM_LDLM_BL_CALLBACK, c->o->cobjs[l->cobj].client);
    }
    l->called = 1;
    if (l->users)
        add_until(ob, c->now + POLL_NS);
    else
        begin_cancel(c, slot, ob);
}

static int is_gone(const struct call *c, const struct lock *l)
{
    return l->state == LOCK_CANCELLING && l->due <= c->now;
}

/* Whether a lock in the lists stands in the way of want. */
static int in_the_way(const struct call *c, const struct lock *l,
                      const struct lsim_rule_lock *want)
{
    if (osc_of(c->o, l)->evicted)
        return 0;
    if (l->state == LOCK_CANCELLING)
        return !is_gone(c, l) && lsim_rule_overlap(want, &l->ext) &&
               (want->mode != LSIM_RULE_PR || l->ext.mode != LSIM_RULE_PR);
    return lsim_rule_blocks(want, &l->ext);
}

/* One lock out of the way of a request. careful: not for the first time. */
static void clear_lock(struct call *c, uint32_t slot, int careful,
                       struct obstacle *ob)
{
    struct lock *l = &c->o->locks[slot];

    if (careful && l->proc && !proc_alive(c->ls->shm, l->proc)) {
        lock_free(c->o, slot);
    } else if (l->state == LOCK_CANCELLING) {
        add_until(ob, l->due);
    } else if (l->ext.mode != LSIM_RULE_GROUP) {
        call_back(c, slot, ob);
    } else {
        ob->group = 1;
        add_until(ob, c->now + POLL_NS);
    }
}

/* Clear one cobj's locks out of the way of want. A client that is dead cannot
 * answer: its locks just go. */
static void clear_cobj(struct call *c, uint32_t cs,
                       const struct lsim_rule_lock *want, int careful,
                       struct obstacle *ob)
{
    struct ost *o = c->o;
    uint32_t next;

    for (uint32_t at = o->cobjs[cs].locks; at; at = next) {
        struct lock *l = &o->locks[at];

        next = l->next;
        if (l->ext.start >= want->end)
            return;
        if (is_gone(c, l)) {
            lock_free(o, at);
        } else if (in_the_way(c, l, want)) {
            if (c->ls->forgets &&
                !client_alive(c->ls->shm, o->cobjs[cs].client, careful)) {
                lock_evict(o, o->cobjs[cs].client);
                return;
            }
            clear_lock(c, at, careful, ob);
        }
    }
}

static void clear_way(struct call *c, const struct lsim_rule_lock *want,
                      int careful, struct obstacle *ob)
{
    for (uint32_t cs = call_object(c)->cobjs; cs; cs = c->o->cobjs[cs].next)
        clear_cobj(c, cs, want, careful, ob);
}

/* Is there an earlier request for the same bytes? */
static int is_behind(struct call *c, uint32_t self)
{
    struct ost *o = c->o;
    const struct lock *me = &o->locks[self];

    for (uint32_t at = call_object(c)->waiting; at && at != self;
         at = o->locks[at].next)
        if (lsim_rule_blocks(&me->ext, &o->locks[at].ext))
            return 1;
    return 0;
}

static int group_holds(struct call *c, const struct lsim_rule_lock *want)
{
    struct ost *o = c->o;

    if (want->mode != LSIM_RULE_GROUP)
        return 0;
    for (uint32_t cs = call_object(c)->cobjs; cs; cs = o->cobjs[cs].next)
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (o->locks[at].ext.mode == LSIM_RULE_GROUP &&
                o->locks[at].ext.gid == want->gid)
                return 1;
    return 0;
}

/* The pool is empty: some client gives back the lock it used last. */
static int make_room(struct call *c)
{
    for (uint32_t i = 0; i < LSIM_MAX_CLIENTS; i++) {
        struct osc *osc = &c->o->osc[(c->ls->client + i) % LSIM_MAX_CLIENTS];

        if (!osc->lru_head)
            continue;
        lock_cancel(c, osc->lru_head, c->now, 0);
        return 0;
    }
    return -ENOLCK;
}

static uint32_t new_request(struct call *c, const struct lsim_rule_lock *want,
                            unsigned how)
{
    struct ost *o = c->o;
    struct lock *l;
    uint32_t slot;

    do {
        slot =
            pool_get(&o->lock_pool, o->locks, sizeof(o->locks[0]), MAX_LOCKS);
    } while (!slot && make_room(c) == 0);
    if (!slot)
        return 0;
    l = &o->locks[slot];
    l->cobj = c->cobj;
    l->ext = *want;
    l->how = how;
    l->ticket = ++o->ticket;
    l->proc = c->ls->proc;
    l->refs = 1;
    l->used = c->now;
    l->busy = 0;
    BARRIER();
    l->state = LOCK_WAITING;
    link_waiting(o, slot);
    return slot;
}

static void grow(struct call *c, uint32_t self)
{
    struct ost *o = c->o;
    struct lock *me = &o->locks[self];
    struct lsim_growth g;

    lsim_growth_begin(&g, &me->ext);
    for (uint32_t cs = call_object(c)->cobjs; cs; cs = o->cobjs[cs].next)
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (!is_gone(c, &o->locks[at]) &&
                !osc_of(o, &o->locks[at])->evicted)
                lsim_growth_held(&g, &o->locks[at].ext);
    for (uint32_t at = call_object(c)->waiting; at; at = o->locks[at].next)
        if (at != self)
            lsim_growth_waiting(&g, &o->locks[at].ext);
    lsim_growth_end(&g, &me->ext.start, &me->ext.end);
}

/* The least recently used locks go when there are too many. */
static void trim_lru(struct call *c, uint32_t client)
{
    struct osc *osc = &c->o->osc[client];

    while (osc->lru_count > c->ls->profile.lru)
        lock_cancel(c, osc->lru_head, c->now, 0);
}

/* A request becomes a lock, which its process uses until lock_release. */
static void grant(struct call *c, uint32_t self)
{
    struct ost *o = c->o;
    struct lock *me = &o->locks[self];

    if (!(me->how & (ENQ_NOEXPAND | ENQ_SERVER)) &&
        me->ext.mode != LSIM_RULE_GROUP)
        grow(c, self);
    unlink_any(o, self);
    me->state = LOCK_GRANTED;
    me->users = 1;
    link_granted(o, self);
    COUNT(c, me->cobj, grant, 1);
    trim_lru(c, o->cobjs[me->cobj].client);
}

/* The messages of a walk, the last grant first, as the real server sends
 * them. */
static void tell_granted(struct call *c, const uint32_t *slot, unsigned n)
{
    while (n-- > 0) {
        struct lock *l = &c->o->locks[slot[n]];

        l->fresh = 0;
        COUNT(c, l->cobj, conflict, 1);
        if (l->how & ENQ_SERVER)
            continue;
        COUNT(c, l->cobj, cp_callback, 1);
        call_message(
            c, &(struct lsim_message){.opc = LSIM_LDLM_CP_CALLBACK,
                                      .client = c->o->cobjs[l->cobj].client,
                                      .ost = c->ost,
                                      .start = l->ext.start,
                                      .end = l->ext.end});
    }
}

/* Grant from the head of the queue what can be granted. Returns when another
 * walk may find more to do. */
static uint64_t walk_queue(struct call *c, int careful)
{
    struct obstacle ob = {0};
    uint32_t granted[64], head;
    unsigned n = 0;

    while ((head = call_object(c)->waiting) != 0 && n < 64) {
        const struct lock *l = &c->o->locks[head];

        if (careful && !proc_alive(c->ls->shm, l->proc)) {
            lock_free(c->o, head);
            continue;
        }
        clear_way(c, &l->ext, careful, &ob);
        if (ob.waits)
            break;
        grant(c, head);
        c->o->locks[head].fresh = 1;
        granted[n++] = head;
    }
    tell_granted(c, granted, n);
    if (n)
        call_wake(c->o);
    return n == 64 ? c->now : ob.until;
}

/* In the queue until granted, or -errno with the request gone. */
static int wait_turn(struct call *c, uint32_t self)
{
    struct lock *me = &c->o->locks[self];
    uint64_t ticket = me->ticket, until;
    int careful = 0, rc;

    for (;;) {
        until = walk_queue(c, careful);
        if (me->state == LOCK_GRANTED && me->ticket == ticket)
            return 0;
        if (until > c->now + POLL_NS)
            proc_waits(until - c->now);
        if (!until || until > c->now + POLL_NS)
            until = c->now + POLL_NS;
        careful = until == c->now + POLL_NS;
        rc = call_wait(c, until, 1);
        if (rc == 0 && (me->ticket != ticket || me->state == LOCK_FREE))
            rc = -ESTALE;
        if (rc < 0)
            return rc;
    }
}

static void count_request(struct call *c, unsigned how)
{
    if (how & (ENQ_SERVER | ENQ_QUIET))
        return;
    COUNT(c, c->cobj, enqueue, 1);
    call_rpc(c, LSIM_LDLM_ENQUEUE, c->ls->client);
}

/* Whether a held lock stands in the way of want, self left out. */
static int is_blocked(struct call *c, const struct lsim_rule_lock *want,
                      uint32_t self)
{
    struct ost *o = c->o;

    for (uint32_t cs = call_object(c)->cobjs; cs; cs = o->cobjs[cs].next)
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (at != self && in_the_way(c, &o->locks[at], want))
                return 1;
    return 0;
}

static int group_in_the_way(struct call *c, const struct lsim_rule_lock *want)
{
    struct ost *o = c->o;

    for (uint32_t cs = call_object(c)->cobjs; cs; cs = o->cobjs[cs].next)
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (o->locks[at].ext.mode == LSIM_RULE_GROUP &&
                in_the_way(c, &o->locks[at], want))
                return 1;
    return 0;
}

/* Grant at once, or queue. Returns whether it had to queue, or -errno. */
static int settle(struct call *c, uint32_t self, unsigned how)
{
    const struct lsim_rule_lock want = c->o->locks[self].ext;
    int blocked = is_behind(c, self) || is_blocked(c, &want, self);
    int rc;

    /* Another member of the group that holds the object need not queue. */
    if (!blocked || group_holds(c, &want)) {
        grant(c, self);
        return 0;
    }
    if ((how & ENQ_NONBLOCK) && group_in_the_way(c, &want)) {
        lock_free(c->o, self);
        return -EAGAIN;
    }
    rc = wait_turn(c, self);
    return rc < 0 ? rc : 1;
}

/* Where copies take time, so does the way of a request: half of the round
 * trip, in which the holder goes on under its lock. */
static int travel(struct call *c, unsigned how)
{
    const struct lsim_profile *p = &c->ls->profile;

    if (!p->copy_rate || (how & (ENQ_QUIET | ENQ_SERVER)))
        return 0;
    return call_wait(c, c->now + p->lock_us * US / 2, 0);
}

static void answer_call(struct call *c, unsigned how)
{
    const struct lsim_profile *p = &c->ls->profile;

    if (p->timed && !(how & (ENQ_QUIET | ENQ_SERVER)))
        call_until(c, c->now + p->lock_us * US / (p->copy_rate ? 2 : 1));
}

int lock_enqueue(struct call *c, const struct lsim_rule_lock *want,
                 unsigned how, uint32_t *slot)
{
    uint32_t self;
    int rc = travel(c, how);

    if (rc < 0)
        return rc;
    self = new_request(c, want, how);
    if (!self)
        return -ENOLCK;
    count_request(c, how);
    rc = settle(c, self, how);
    if (rc < 0)
        return rc;
    if (rc == 0)
        answer_call(c, how);
    *slot = self;
    return 0;
}

/* Copies take up to twice their time, or none at all: clients that were all
 * equally fast would overtake each other at every turn in the same way. Which
 * takes how long follows from its place, so that it is the same in every run.
 */
static uint64_t copy_ns(const struct call *c, uint64_t start, uint64_t end)
{
    const struct lsim_profile *p = &c->ls->profile;
    uint64_t hash = (start / LSIM_RULE_PAGE + c->ost) * 0x9e3779b97f4a7c15ULL;
    double us = (double)p->copy_us;

    us += (double)(end - start) * 1e6 / (double)p->copy_rate;
    return (uint64_t)(us * (double)US * (double)(hash >> 53) / 1024);
}

void lock_copy(struct call *c, uint32_t slot, uint64_t start, uint64_t stop)
{
    struct lock *l = &c->o->locks[slot];
    uint64_t end;

    if (!c->ls->profile.copy_rate)
        return;
    end = later(c->now, c->wake) + copy_ns(c, start, stop);
    if (slot)
        l->busy = later(l->busy, end);
    call_until(c, end);
}

void lock_release(struct call *c, uint32_t slot)
{
    struct obstacle ob = {0};
    struct lock *l = &c->o->locks[slot];

    if (!slot || l->state != LOCK_GRANTED || !l->users)
        return;
    l->users = 0;
    if (l->ext.mode != LSIM_RULE_GROUP)
        l->proc = 0;
    if (l->how & ENQ_SERVER)
        lock_free(c->o, slot);
    else if (l->called)
        begin_cancel(c, slot, &ob);
    if (call_object(c)->waiting) {
        walk_queue(c, 0);
        call_wake(c->o);
    }
}

int lock_speculate(struct call *c, const struct lsim_rule_lock *want)
{
    uint32_t self;

    count_request(c, 0);
    self = new_request(c, want, ENQ_NOEXPAND);
    if (!self)
        return -ENOLCK;
    if (is_behind(c, self) || is_blocked(c, want, self)) {
        COUNT(c, c->cobj, refused, 1);
        lock_free(c->o, self);
        return 0;
    }
    grant(c, self);
    lock_release(c, self);
    return 0;
}

int lock_is_free(struct call *c, const struct lsim_rule_lock *want)
{
    struct ost *o = c->o;

    for (uint32_t at = call_object(c)->waiting; at; at = o->locks[at].next)
        if (lsim_rule_blocks(want, &o->locks[at].ext))
            return 0;
    return !is_blocked(c, want, 0);
}

uint32_t lock_group_find(struct call *c, uint32_t gid, uint32_t proc)
{
    struct ost *o = c->o;

    for (uint32_t at = o->cobjs[c->cobj].locks; at; at = o->locks[at].next) {
        const struct lock *l = &o->locks[at];

        if (l->ext.mode == LSIM_RULE_GROUP && l->ext.gid == gid &&
            (!proc || l->proc == proc))
            return at;
    }
    return 0;
}

void lock_group_drop(struct call *c, uint32_t slot)
{
    struct ost *o = c->o;
    uint32_t gid = o->locks[slot].ext.gid;

    COUNT(c, c->cobj, ungroup, 1);
    if (--o->locks[slot].refs > 0)
        return;
    lock_free(o, slot);
    if (!lock_group_find(c, gid, 0)) {
        COUNT(c, c->cobj, cancel, 1);
        call_rpc(c, LSIM_LDLM_CANCEL, c->ls->client);
        rpc_forget(o, c->cobj, 0, LSIM_EOF);
    }
    walk_queue(c, 0);
    call_wake(o);
}
