/* evict.c - an OST evicts a client, which learns of it at its next RPC */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "evict.h"

#include <errno.h>

#include "lock.h"
#include "runs.h"

void evict_client(struct shm *shm, struct ost *o, uint32_t client)
{
    o->osc[client].evicted = 1;
    __atomic_fetch_add(&shm->evictions[client], 1, __ATOMIC_RELAXED);
    call_wake(o);
}

int evict_is_due(const struct call *c)
{
    return c->o->osc[c->ls->client].evicted != 0;
}

/* Dirty data are lost: say which, for the module that keeps the bytes. */
static void lose_dirty(struct ost *o, uint32_t cs)
{
    struct cobj *co = &o->cobjs[cs];

    if (!co->runs[RUN_DIRTY].head)
        return;
    for (uint32_t at = co->runs[RUN_DIRTY].head; at; at = o->runs[at].next)
        runs_add(o, cs, RUN_LOST, o->runs[at].start, o->runs[at].end);
    co->error = EIO;
}

static void note_group(struct ost *o, uint32_t cs)
{
    for (uint32_t at = o->cobjs[cs].locks; at; at = o->locks[at].next)
        o->cobjs[cs].lost_group |= o->locks[at].ext.mode == LSIM_RULE_GROUP;
}

int evict_notice(struct call *c)
{
    struct ost *o = c->o;
    struct osc *osc = &o->osc[c->ls->client];

    if (!osc->evicted)
        return 0;
    for (uint32_t cs = osc->cobjs; cs; cs = o->cobjs[cs].osc_next) {
        lose_dirty(o, cs);
        note_group(o, cs);
    }
    lock_evict(o, c->ls->client);
    osc->evicted = 0;
    return -EIO;
}

int evict_error(struct call *c, uint32_t cobj)
{
    int rc = -(int)c->o->cobjs[cobj].error;

    c->o->cobjs[cobj].error = 0;
    return rc;
}
