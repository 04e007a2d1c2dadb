/* server.c - the lock server's calls: I/O, advice, group locks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "server.h"

#include <errno.h>

#include "call.h"
#include "evict.h"
#include "lock.h"
#include "pool.h"
#include "rpc.h"
#include "runs.h"

#define US 1000ULL
#define IDLE_NS 10000000000ULL /* a glimpsed lock older than this goes */

/* --- objects --- */

int lsim_object_get(struct lsim *ls, uint64_t file, uint32_t index,
                    uint32_t ost, struct lsim_object *out)
{
    struct lsim_object obj = {.file = file, .index = index, .ost = ost};
    struct call c;
    int rc = call_begin(&c, ls, ost, &obj);

    if (rc < 0)
        return rc;
    call_end(&c);
    *out = obj;
    return 0;
}

static int destroy_one(struct lsim *ls, struct lsim_object *obj, uint64_t *wake)
{
    struct call c;
    uint32_t slot;
    int rc = call_begin(&c, ls, obj->ost, NULL);

    if (rc < 0)
        return rc;
    slot = object_find(c.o, obj->file, obj->index);
    if (slot)
        object_free(c.o, slot);
    call_wake(c.o);
    call_end_later(&c, wake);
    obj->slot = 0;
    return 0;
}

/* Something with every object of a file, one sleep for all: RPCs to different
 * OSTs travel at the same time. The first error is kept. */
typedef int (*one_fn)(struct lsim *ls, struct lsim_object *obj, uint64_t *wake);

static int for_all(struct lsim *ls, struct lsim_object *objs, size_t n,
                   one_fn fn)
{
    uint64_t wake = 0;
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        int one = fn(ls, &objs[i], &wake);

        rc = rc ? rc : one;
    }
    lsim_wait(wake);
    return rc;
}

int lsim_object_destroy(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, destroy_one);
}

int lsim_object_size(struct lsim *ls, struct lsim_object *obj, uint64_t size)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    if (size > call_object(&c)->size)
        call_object(&c)->size = size;
    call_end(&c);
    return 0;
}

/* --- I/O --- */

static struct lsim_rule_lock request(const struct lsim *ls, enum lsim_op op,
                                     uint64_t start, uint64_t end)
{
    struct lsim_rule_lock want = {.mode = op == LSIM_WRITE ? LSIM_RULE_PW
                                                           : LSIM_RULE_PR,
                                  .client = ls->client,
                                  .start = start,
                                  .end = end};

    lsim_rule_pages(&want.start, &want.end);
    return want;
}

static unsigned how_of(unsigned flags)
{
    return (flags & LSIM_NOEXPAND ? ENQ_NOEXPAND : 0) |
           (flags & LSIM_NONBLOCK ? ENQ_NONBLOCK : 0) |
           (flags & LSIM_IF_FREE ? ENQ_QUIET : 0) |
           (flags & LSIM_DIRECT ? ENQ_SERVER : 0);
}

static int ask(struct call *c, const struct lsim_rule_lock *want, unsigned how,
               uint32_t *slot)
{
    int rc = evict_notice(c);

    return rc < 0 ? rc : lock_enqueue(c, want, how, slot);
}

/* The lock an access needs. A descriptor that has the group lock needs no
 * other; direct I/O takes none, the server locks the range for itself and so
 * calls back the writer's own locks too (D1). *held: the lock of the client
 * that it has, 0 without one; *slot: that lock, if it is to be released. */
static int take_lock(struct call *c, const struct lsim_access *a,
                     uint32_t *held, uint32_t *slot)
{
    struct lsim_rule_lock want = request(c->ls, a->op, a->start, a->end);
    int rc;

    *held = *slot = 0;
    if (a->gid)
        return 0;
    if (a->flags & LSIM_DIRECT)
        want.client = LSIM_MAX_CLIENTS;
    if (a->flags & LSIM_WHOLE) {
        want.start = 0;
        want.end = LSIM_EOF;
    }
    if (!(a->flags & LSIM_DIRECT))
        *held = lock_match(c, &want);
    if (*held)
        return 0;
    if ((a->flags & LSIM_IF_FREE) && !lock_is_free(c, &want))
        return 0;
    rc = ask(c, &want, how_of(a->flags), slot);
    if (rc == 0)
        *held = *slot;
    return rc;
}

static int transfer(struct call *c, const struct lsim_access *a, uint32_t held)
{
    struct lsim_range range = {a->start, a->end};
    int writes = a->op == LSIM_WRITE && !(a->flags & LSIM_DIRECT), rc;

    if (a->flags & LSIM_LOCK_ONLY)
        return 0;
    if (writes) {
        rc = rpc_write(c, a->start, a->end);
        lock_copy(c, held, a->start, a->end);
        return rc < 0 ? evict_notice(c) : 0;
    }
    rc = evict_notice(c);
    if (rc < 0)
        return rc;
    if (a->flags & LSIM_DIRECT)
        rpc_direct(c, a->op, a->start, a->end);
    else
        rpc_read(c, &range, 1);
    return 0;
}

/* Whether the caller may sleep for several accesses at once: not if copies
 * take time, one after the other. */
static int sleeps_later(const struct lsim *ls, const struct lsim_access *a)
{
    return a->wake && !(ls->profile.copy_rate && a->op == LSIM_WRITE &&
                        !(a->flags & LSIM_DIRECT));
}

int lsim_io(struct lsim *ls, struct lsim_object *obj,
            const struct lsim_access *a)
{
    struct call c;
    uint32_t held, slot;
    int rc;

    if (a->start >= a->end)
        return 0;
    if (a->end == LSIM_EOF)
        return -EINVAL;
    rc = call_begin(&c, ls, obj->ost, obj);
    if (rc < 0)
        return rc;
    rc = take_lock(&c, a, &held, &slot);
    if (rc == 0) {
        rc = transfer(&c, a, held);
        lock_release(&c, slot);
    }
    if (sleeps_later(ls, a))
        call_end_later(&c, a->wake);
    else
        call_end(&c);
    return rc == -ESTALE ? 0 : rc;
}

int lsim_cached(struct lsim *ls, struct lsim_object *obj, uint64_t start,
                uint64_t *end)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    *end = rpc_cached(&c, start);
    call_end(&c);
    return 0;
}

int lsim_covered(struct lsim *ls, struct lsim_object *obj, uint64_t start,
                 uint64_t *end)
{
    struct lsim_rule_lock want = request(ls, LSIM_READ, start, start + 1);
    struct call c;
    uint32_t slot;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    slot = lock_match(&c, &want);
    *end = slot ? c.o->locks[slot].ext.end : 0;
    call_end(&c);
    return 0;
}

int lsim_fetch(struct lsim *ls, struct lsim_object *obj,
               const struct lsim_range *range, size_t n, uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    rc = evict_notice(&c);
    if (rc == 0)
        rpc_read(&c, range, n);
    call_end_later(&c, wake);
    return rc;
}

void lsim_wait(uint64_t wake)
{
    if (wake)
        sleep_until(wake);
}

uint64_t lsim_rpc_size(const struct lsim *ls)
{
    return ls->profile.rpc_size;
}

int lsim_is_timed(const struct lsim *ls)
{
    return ls->profile.timed;
}

int lsim_seeks(const struct lsim *ls)
{
    return ls->profile.timed && ls->profile.seek_us > 0;
}

/* Whether a flush sends anything to this OST. */
static int has_to_send(const struct call *c, int sync)
{
    return sync || c->o->cobjs[c->cobj].runs[RUN_DIRTY].head != 0;
}

/* The OST commits what it has: an RPC in its queue. What is committed already
 * is not committed again. */
static void send_sync(struct call *c)
{
    const struct lsim_profile *p = &c->ls->profile;
    uint64_t us = p->rpc_us + (c->o->changed ? p->commit_us : 0);

    COUNT(c, c->cobj, sync, 1);
    call_rpc(c, LSIM_OST_SYNC, c->ls->client);
    if (!p->timed)
        return;
    c->o->changed = 0;
    c->o->free_at = later(c->now, c->o->free_at) + us * US;
    call_until(c, c->o->free_at);
}

static int flush(struct lsim *ls, struct lsim_object *obj, int sync,
                 uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj), left;

    if (rc < 0)
        return rc;
    if (has_to_send(&c, sync))
        rc = evict_notice(&c);
    left = evict_error(&c, c.cobj);
    if (rc == 0) {
        rpc_write_back(&c, c.cobj, 0, LSIM_EOF, c.now, 0);
        if (sync)
            send_sync(&c);
        call_until(&c, c.o->cobjs[c.cobj].last_done);
    }
    call_end_later(&c, wake);
    return rc ? rc : left;
}

static int fsync_one(struct lsim *ls, struct lsim_object *obj, uint64_t *wake)
{
    return flush(ls, obj, 1, wake);
}

static int flush_one(struct lsim *ls, struct lsim_object *obj, uint64_t *wake)
{
    return flush(ls, obj, 0, wake);
}

/* A group unlock tells nothing of what is lost (E3). */
static int flush_to_unlock(struct lsim *ls, struct lsim_object *obj,
                           uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    if (evict_notice(&c) < 0 && c.o->cobjs[c.cobj].error)
        c.o->cobjs[c.cobj].error = ESHUTDOWN;
    rpc_write_back(&c, c.cobj, 0, LSIM_EOF, c.now, 0);
    call_until(&c, c.o->cobjs[c.cobj].last_done);
    call_end_later(&c, wake);
    return 0;
}

int lsim_fsync(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, fsync_one);
}

int lsim_flush(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, flush_one);
}

static int drop_pages_one(struct lsim *ls, struct lsim_object *obj,
                          uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    evict_notice(&c);
    rpc_write_back(&c, c.cobj, 0, LSIM_EOF, c.now, 0);
    rpc_forget(c.o, c.cobj, 0, LSIM_EOF);
    call_until(&c, c.o->cobjs[c.cobj].last_done);
    call_end_later(&c, wake);
    return 0;
}

int lsim_drop_pages(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, drop_pages_one);
}

int lsim_truncate(struct lsim *ls, struct lsim_object *obj, uint64_t size,
                  unsigned flags, uint32_t gid)
{
    struct lsim_access a = {.op = LSIM_WRITE,
                            .flags = flags & ~(unsigned)LSIM_DIRECT,
                            .start = size,
                            .end = LSIM_EOF,
                            .gid = gid};
    struct call c;
    uint32_t held, slot;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    rc = evict_notice(&c);
    if (rc == 0)
        rc = take_lock(&c, &a, &held, &slot);
    if (rc == 0) {
        rpc_forget(c.o, c.cobj, size, LSIM_EOF);
        call_object(&c)->size = size;
        COUNT(&c, c.cobj, punch, 1);
        c.o->changed = 1;
        call_rpc(&c, LSIM_OST_PUNCH, ls->client);
        if (ls->profile.timed)
            call_until(&c, c.now + ls->profile.lock_us * US);
        lock_release(&c, slot);
    }
    call_end(&c);
    return rc == -ESTALE ? 0 : rc;
}

/* --- advice --- */

/* 2: an own lock is exactly this, 1: one covers it, 0: none. */
static int held_already(struct call *c, const struct lsim_rule_lock *want)
{
    uint32_t slot = lock_match(c, want);
    const struct lsim_rule_lock *held = &c->o->locks[slot].ext;

    if (!slot)
        return 0;
    return held->start == want->start && held->end == want->end ? 2 : 1;
}

int lsim_lockahead(struct lsim *ls, struct lsim_object *obj, enum lsim_op mode,
                   int async, uint64_t start, uint64_t end)
{
    struct lsim_rule_lock want;
    struct call c;
    uint32_t slot = 0;
    int rc, result;

    if (start >= end)
        return -EINVAL;
    rc = call_begin(&c, ls, obj->ost, obj);
    if (rc < 0)
        return rc;
    want = request(ls, mode, start, end);
    COUNT(&c, c.cobj, lockahead, 1);
    result = held_already(&c, &want);
    if (result == 0)
        rc = evict_notice(&c);
    if (rc == 0 && result == 0 && async)
        rc = lock_speculate(&c, &want);
    else if (rc == 0 && result == 0)
        rc = lock_enqueue(&c, &want, ENQ_NOEXPAND, &slot);
    if (rc == 0)
        lock_release(&c, slot);
    call_end(&c);
    if (rc < 0)
        return rc == -ESTALE ? 0 : rc;
    /* A blocking request is always answered by 0: test/locks.md, rule 7. */
    return async ? result : 0;
}

/* The holder of the highest foreign write lock, or 0. */
static uint32_t highest(struct call *c)
{
    struct ost *o = c->o;
    uint32_t best = 0;

    for (uint32_t cs = call_object(c)->cobjs; cs; cs = o->cobjs[cs].next) {
        if (cs == c->cobj || o->osc[o->cobjs[cs].client].evicted)
            continue;
        for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
            if (o->locks[at].state == LOCK_GRANTED &&
                o->locks[at].ext.mode == LSIM_RULE_PW &&
                (!best || o->locks[at].ext.end > o->locks[best].ext.end))
                best = at;
    }
    return best;
}

static int knows_size(struct call *c)
{
    struct ost *o = c->o;

    for (uint32_t at = o->cobjs[c->cobj].locks; at; at = o->locks[at].next)
        if (o->locks[at].state == LOCK_GRANTED &&
            o->locks[at].ext.end == LSIM_EOF)
            return 1;
    return 0;
}

/* No client writes: the server answers the glimpse with a read lock on the
 * whole object, which stays (D4). */
static void keep_size(struct call *c)
{
    struct lsim_rule_lock want = request(c->ls, LSIM_READ, 0, LSIM_EOF);
    uint32_t slot = 0;

    if (lock_is_free(c, &want) &&
        lock_enqueue(c, &want, ENQ_QUIET | ENQ_NOEXPAND, &slot) == 0)
        lock_release(c, slot);
}

static void glimpse(struct call *c)
{
    const struct lsim_profile *p = &c->ls->profile;
    uint32_t at = highest(c);
    uint32_t cobj;

    COUNT(c, c->cobj, glimpse, 1);
    call_rpc(c, LSIM_LDLM_ENQUEUE, c->ls->client);
    call_until(c, c->now + p->lock_us * US);
    if (!at) {
        keep_size(c);
        return;
    }
    cobj = c->o->locks[at].cobj;
    COUNT(c, cobj, gl_callback, 1);
    call_rpc(c, LSIM_LDLM_GL_CALLBACK, c->o->cobjs[cobj].client);
    call_until(c, c->now + (p->lock_us + p->callback_us) * US);
    if (c->now - c->o->locks[at].used > IDLE_NS)
        lock_cancel(c, at, c->now, 0);
}

static int glimpse_one(struct lsim *ls, struct lsim_object *obj, uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    /* A client that holds a lock to the end of file knows the size. */
    if (!knows_size(&c)) {
        rc = evict_notice(&c);
        if (rc == 0)
            glimpse(&c);
    }
    call_end_later(&c, wake);
    return rc;
}

int lsim_has_dirty(struct lsim *ls, struct lsim_object *obj)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    rc = c.o->cobjs[c.cobj].runs[RUN_DIRTY].head != 0;
    call_end(&c);
    return rc;
}

int lsim_glimpse(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, glimpse_one);
}

/* --- group locks --- */

static int group_lock_one(struct lsim *ls, struct lsim_object *obj,
                          uint32_t gid, int nonblock)
{
    struct lsim_rule_lock want = {.mode = LSIM_RULE_GROUP,
                                  .client = ls->client,
                                  .gid = gid,
                                  .end = LSIM_EOF};
    struct call c;
    uint32_t mine, any, slot = 0;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    mine = lock_group_find(&c, gid, ls->proc);
    any = lock_group_find(&c, gid, 0);
    if (mine)
        c.o->locks[mine].refs++;
    else
        rc = ask(&c, &want,
                 (nonblock ? ENQ_NONBLOCK : 0) | (any ? ENQ_QUIET : 0), &slot);
    if (rc == 0) {
        COUNT(&c, c.cobj, group, 1);
        lock_release(&c, slot);
    }
    call_end(&c);
    return rc;
}

static int group_unlock_one(struct lsim *ls, struct lsim_object *obj,
                            uint32_t gid)
{
    struct call c;
    uint32_t slot;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    slot = lock_group_find(&c, gid, ls->proc);
    rc = slot || c.o->cobjs[c.cobj].lost_group ? 0 : -EINVAL;
    c.o->cobjs[c.cobj].lost_group = 0;
    if (slot) {
        rpc_write_back(&c, c.cobj, 0, LSIM_EOF, c.now, 0);
        call_until(&c, c.o->cobjs[c.cobj].last_done);
        lock_group_drop(&c, slot);
    }
    call_end(&c);
    return rc;
}

int lsim_group_lock(struct lsim *ls, struct lsim_object *objs, size_t n,
                    uint32_t gid, int nonblock)
{
    int rc = gid ? 0 : -EINVAL;
    size_t i;

    /* Every caller goes through the objects in the same order, so two groups
     * cannot wait for each other. */
    for (i = 0; i < n && rc == 0; i++)
        rc = group_lock_one(ls, &objs[i], gid, nonblock);
    if (rc == 0)
        return 0;
    while (i > 1)
        group_unlock_one(ls, &objs[--i - 1], gid);
    return rc;
}

int lsim_group_unlock(struct lsim *ls, struct lsim_object *objs, size_t n,
                      uint32_t gid)
{
    int rc = for_all(ls, objs, n, flush_to_unlock);

    for (size_t i = 0; i < n; i++) {
        int one = group_unlock_one(ls, &objs[i], gid);

        rc = rc ? rc : one;
    }
    return rc;
}

/* --- the rest --- */

int lsim_evict(struct lsim *ls, unsigned ost)
{
    struct call c;
    int rc = call_begin(&c, ls, ost, NULL);

    if (rc < 0)
        return rc;
    evict_client(ls->shm, c.o, ls->client);
    call_end(&c);
    return 0;
}

unsigned lsim_evictions(const struct lsim *ls)
{
    return __atomic_load_n(&ls->shm->evictions[ls->client], __ATOMIC_RELAXED);
}

/* The next range that was lost of an object, and its error. */
int lsim_lost(struct lsim *ls, struct lsim_object *obj,
              struct lsim_range *range)
{
    struct call c;
    uint32_t at;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    evict_notice(&c);
    at = c.o->cobjs[c.cobj].runs[RUN_LOST].head;
    if (at) {
        *range = (struct lsim_range){c.o->runs[at].start, c.o->runs[at].end};
        runs_cut(c.o, c.cobj, RUN_LOST, range->start, range->end);
    }
    call_end(&c);
    return at != 0;
}

static int error_one(struct lsim *ls, struct lsim_object *obj, uint64_t *wake)
{
    struct call c;
    int rc = call_begin(&c, ls, obj->ost, obj);

    if (rc < 0)
        return rc;
    rc = evict_error(&c, c.cobj);
    call_end_later(&c, wake);
    return rc;
}

int lsim_error(struct lsim *ls, struct lsim_object *objs, size_t n)
{
    return for_all(ls, objs, n, error_one);
}

/* Write back what is dirty of one cobj, all together, and cancel its ordinary
 * locks. */
static void drop_cobj(struct call *c, uint32_t cs)
{
    struct ost *o = c->o;
    uint32_t next;

    rpc_write_back(c, cs, 0, LSIM_EOF, c->now, 0);
    for (uint32_t at = o->cobjs[cs].locks; at; at = next) {
        next = o->locks[at].next;
        if (o->locks[at].state == LOCK_GRANTED &&
            o->locks[at].ext.mode != LSIM_RULE_GROUP)
            lock_cancel(c, at, c->now, 0);
    }
    rpc_forget(o, cs, 0, LSIM_EOF);
    call_until(c, o->cobjs[cs].last_done);
}

static int drop_ost(struct lsim *ls, unsigned ost)
{
    struct call c;
    uint32_t next;
    int rc = call_begin(&c, ls, ost, NULL);

    if (rc < 0)
        return rc;
    evict_notice(&c);
    for (uint32_t cs = c.o->osc[ls->client].cobjs; cs; cs = next) {
        next = c.o->cobjs[cs].osc_next;
        drop_cobj(&c, cs);
    }
    call_wake(c.o);
    call_end(&c);
    return 0;
}

int lsim_drop_all(struct lsim *ls)
{
    struct call c;
    int rc = 0;

    for (unsigned i = 0; i < ls->osts && rc == 0; i++) {
        rc = call_begin(&c, ls, i, NULL);
        if (rc < 0)
            break;
        for (uint32_t cs = 1; cs <= c.o->cobj_pool.used; cs++)
            if (c.o->cobjs[cs].object &&
                !c.o->osc[c.o->cobjs[cs].client].evicted)
                drop_cobj(&c, cs);
        call_wake(c.o);
        call_end(&c);
    }
    return rc;
}

int lsim_drop_cache(struct lsim *ls, struct lsim_object *obj)
{
    struct call c;
    int rc = 0;

    if (!obj) {
        for (unsigned i = 0; i < ls->osts && rc == 0; i++)
            rc = drop_ost(ls, i);
        return rc;
    }
    rc = call_begin(&c, ls, obj->ost, obj);
    if (rc < 0)
        return rc;
    evict_notice(&c);
    drop_cobj(&c, c.cobj);
    call_end(&c);
    return 0;
}

int lsim_ost_slow(struct lsim *ls, unsigned ost, unsigned factor)
{
    struct call c;
    int rc = call_begin(&c, ls, ost, NULL);

    if (rc < 0)
        return rc;
    c.o->slow = factor;
    call_end(&c);
    return 0;
}
