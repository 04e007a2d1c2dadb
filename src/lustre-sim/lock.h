/* lock.h - extent and group locks of an object in shared memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_LOCK_H
#define LSIM_LOCK_H

#include "call.h"

enum {
    ENQ_NOEXPAND = 1,
    ENQ_NONBLOCK = 2,
    ENQ_SERVER = 4, /* the server's own lock for direct I/O: not kept */
    ENQ_QUIET = 8 /* the client has the lock already: no message, not counted */
};

/* A lock of the call's client that covers want, or 0. */
uint32_t lock_match(struct call *c, const struct lsim_rule_lock *want);

/* Request a lock, with callbacks, waiting and growth. May release the mutex for
 * a while. slot is the granted lock, in use until lock_release. 0, -EAGAIN,
 * -ENOLCK, or -ESTALE if the object was removed meanwhile. */
int lock_enqueue(struct call *c, const struct lsim_rule_lock *want,
                 unsigned how, uint32_t *slot);

/* A copy of [start, stop) into the cache begins after all waiting of the call.
 * Lock slot (0: none) is not given back before the copy ends. */
void lock_copy(struct call *c, uint32_t slot, uint64_t start, uint64_t stop);

/* The access that asked for the lock is done: a callback that came meanwhile
 * is answered, and the server's own lock is dropped. slot 0: nothing. */
void lock_release(struct call *c, uint32_t slot);

/* A speculative request. It is granted exactly or refused; the result is 0 in
 * both cases. */
int lock_speculate(struct call *c, const struct lsim_rule_lock *want);

/* Would a request be granted at once? */
int lock_is_free(struct call *c, const struct lsim_rule_lock *want);

/* The client gives a lock back and writes back the data under it. Returns the
 * time when that is done. */
uint64_t lock_cancel(struct call *c, uint32_t slot, uint64_t at, int forced);

/* The group lock that a process (proc 0: any) of the call's client holds. */
uint32_t lock_group_find(struct call *c, uint32_t gid, uint32_t proc);

/* One descriptor releases a group lock. */
void lock_group_drop(struct call *c, uint32_t slot);

/* All locks and cached data of a client on an OST are lost. */
void lock_evict(struct ost *o, uint32_t client);

/* What a dead process of a living client leaves: group locks, requests. */
void lock_forget_proc(struct ost *o, uint32_t proc);

/* Unlink and free, nothing else. */
void lock_free(struct ost *o, uint32_t slot);

/* Put an existing slot into its lists again (recovery). */
void lock_relink(struct ost *o, uint32_t slot);

#endif
