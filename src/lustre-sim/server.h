/* server.h - the lock server and client caches of an embedded Lustre
 *
 * All processes of all jobs on one root map one file and keep in it, per OST
 * object, the extent locks by the rules of rules.h, and per client node what
 * it has cached and not yet written back. The caller moves the bytes itself;
 * the calls here take the locks an access needs, count the RPCs it costs and
 * sleep as long as the profile says. Nothing here is needed for the bytes to
 * be right.
 *
 * Every call returns 0 (or a documented value) or -errno, is thread safe, and
 * makes no libc call that a preload library would intercept (raw.h). Besides
 * the errors named below there are -ENOLCK (no room for another lock) and
 * -EDEADLK (called by a signal handler that interrupted a call): the caller
 * then goes on without accounting.
 * Extents are object offsets [start, end), end LSIM_EOF = to the end.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_SERVER_H
#define LSIM_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "profile.h"

#define LSIM_MAX_OSTS 1025 /* the metadata target counts as one */
#define LSIM_MAX_CLIENTS 1024
#define LSIM_EOF UINT64_MAX
#define LSIM_HIST 16 /* RPC sizes: up to 4 KiB, 8 KiB, ..., the rest */

struct lsim; /* one process's attachment */

struct lsim_config {
    unsigned osts;               /* 1..LSIM_MAX_OSTS */
    unsigned mdt;                /* the one that is the MDT; 0: none is */
    unsigned client;             /* client node, 0..LSIM_MAX_CLIENTS-1 */
    struct lsim_profile profile; /* lsim_profile_load */
    const char *trace_dir;       /* absolute; NULL: no trace; DIR/ossN.log */
    /* 1: locks and caches of a client end with its last process; 0: they
     * stay, as on a node that does not unmount */
    int forgets;
};

/* Map the state at path, which is created if it does not exist or has another
 * version, and attach this process to its client. Locks and requests of killed
 * processes are removed; if clients forget, clients without a process are
 * evicted. The profile is this process's own. */
int lsim_open(const char *path, const struct lsim_config *cfg,
              struct lsim **out);

/* Detach. If clients forget, the last process of a client writes back the data
 * and cancels the locks. Accepts NULL. */
void lsim_close(struct lsim *ls);

/* In the child after fork: register it as another process of the client. */
int lsim_forked(struct lsim *ls);

/* A handle of one object, which the caller keeps for each open file and stripe.
 * Its memory is zeroed or filled in by lsim_object_get. It owns nothing: there
 * is nothing to free. */
struct lsim_object {
    uint64_t file;
    uint32_t index; /* which object of the file */
    uint32_t ost;
    uint32_t slot; /* from here on the server's own */
    uint32_t gen;
    uint32_t cslot;
    uint32_t cgen;
};

/* Fill in a handle of object `index` of a file on an OST; the object may be
 * new. */
int lsim_object_get(struct lsim *ls, uint64_t file, uint32_t index,
                    uint32_t ost, struct lsim_object *out);

/* Set the length of the object, which the caller knows from the file;
 * read-ahead stops there. Accesses through this module update the length by
 * themselves. */
int lsim_object_size(struct lsim *ls, struct lsim_object *obj, uint64_t size);

/* Destroy n objects (unlink), with their locks and dirty data. */
int lsim_object_destroy(struct lsim *ls, struct lsim_object *objs, size_t n);

enum lsim_op { LSIM_READ = 1, LSIM_WRITE = 2 };

enum {
    LSIM_NOEXPAND = 1,  /* LOCKNOEXPAND: the lock is exactly what is asked */
    LSIM_NONBLOCK = 2,  /* -EAGAIN where a group lock would make us wait */
    LSIM_DIRECT = 4,    /* direct I/O: no cache, the RPC is waited for */
    LSIM_LOCK_ONLY = 8, /* take the lock, move nothing */
    LSIM_WHOLE = 16,    /* the lock is on all of the object (data on MDT) */
    /* a lock that the server grants unasked: not counted, and only if no lock
     * conflicts */
    LSIM_IF_FREE = 32
};

struct lsim_range {
    uint64_t start, end;
};

struct lsim_access {
    enum lsim_op op;
    unsigned flags;
    uint64_t start, end;
    uint32_t gid; /* of the group lock this descriptor holds, or 0 */
    /* not NULL: do not sleep, but raise this to the time when the access is
     * done; after all objects the caller calls lsim_wait once */
    uint64_t *wake;
};

/* Read or write: lock, cache, RPCs, time. Call before moving the bytes.
 * Waits while another group holds the object. end must not be LSIM_EOF;
 * for reads, cut at the end of the object first. */
int lsim_io(struct lsim *ls, struct lsim_object *obj,
            const struct lsim_access *access);

/* For a reader that decides what to read ahead. lsim_cached: the end of what
 * its client has cached from `start` on (start itself: nothing). lsim_covered:
 * the end of its client's lock that covers `start` (0: there is none).
 * lsim_fetch: send RPCs for the missing bytes of ranges in ascending order, and
 * raise *wake. */
int lsim_cached(struct lsim *ls, struct lsim_object *obj, uint64_t start,
                uint64_t *end);
int lsim_covered(struct lsim *ls, struct lsim_object *obj, uint64_t start,
                 uint64_t *end);
int lsim_fetch(struct lsim *ls, struct lsim_object *obj,
               const struct lsim_range *range, size_t n, uint64_t *wake);

/* Sleep until an lsim_access.wake. 0 is the past. */
void lsim_wait(uint64_t wake);

/* The largest RPC in bytes. */
uint64_t lsim_rpc_size(const struct lsim *ls);

/* Do calls take the time that a profile says? */
int lsim_is_timed(const struct lsim *ls);

/* Are the OSTs disks? On a disk an RPC takes longer if it does not begin where
 * the last one ended. */
int lsim_seeks(const struct lsim *ls);

/* LADVISE_LOCKAHEAD of one extent. Returns 0 sent (granted, or, when async,
 * perhaps refused), 1 an own lock of another extent covers it (async only),
 * 2 exactly this lock is held (async only), -EINVAL for start >= end. */
int lsim_lockahead(struct lsim *ls, struct lsim_object *obj, enum lsim_op mode,
                   int async, uint64_t start, uint64_t end);

/* Group lock on all n objects of a file, all or none. Waits, or -EAGAIN with
 * nonblock. The caller refuses gid 0 and a second lock on one descriptor. */
int lsim_group_lock(struct lsim *ls, struct lsim_object *objs, size_t n,
                    uint32_t gid, int nonblock);

/* Release one lsim_group_lock; flushes what was written under it. */
int lsim_group_unlock(struct lsim *ls, struct lsim_object *objs, size_t n,
                      uint32_t gid);

/* fsync: write back this client's dirty data of the n objects of a file, all
 * at once, and wait for it. */
int lsim_fsync(struct lsim *ls, struct lsim_object *objs, size_t n);

/* sync_file_range(2): as fsync, without the sync request at the server. Both
 * return once that an eviction lost data: -EIO or -ESHUTDOWN. */
int lsim_flush(struct lsim *ls, struct lsim_object *objs, size_t n);

/* The same, and the pages are no longer cached; locks stay. */
int lsim_drop_pages(struct lsim *ls, struct lsim_object *objs, size_t n);

/* Does this client have data of the object to write back? */
int lsim_has_dirty(struct lsim *ls, struct lsim_object *obj);

/* Ask the objects' sizes (stat, append, direct read): a glimpse callback each
 * to the holder of the highest foreign write lock; without one, the client
 * gets a read lock on the whole object. */
int lsim_glimpse(struct lsim *ls, struct lsim_object *objs, size_t n);

/* Truncate the object to size: a write lock [size, EOF], one punch. */
int lsim_truncate(struct lsim *ls, struct lsim_object *obj, uint64_t size,
                  unsigned flags, uint32_t gid);

/* Cancel all of this client's locks and drop its cache (echo 3 and
 * lru_size=clear); obj NULL: everywhere. Group locks stay. */
int lsim_drop_cache(struct lsim *ls, struct lsim_object *obj);

/* The same for every client (lustre-sim drop). */
int lsim_drop_all(struct lsim *ls);

/* An OST evicts this client: evict.h has what follows. */
int lsim_evict(struct lsim *ls, unsigned ost);

/* How often this client was evicted, ever. */
unsigned lsim_evictions(const struct lsim *ls);

/* Take one range of the object that an eviction lost; the client learns of the
 * eviction. 1, 0: there is none, or -errno. */
int lsim_lost(struct lsim *ls, struct lsim_object *obj,
              struct lsim_range *range);

/* The error of the objects that no call has returned yet; returned once. */
int lsim_error(struct lsim *ls, struct lsim_object *objs, size_t n);

/* Make an OST slow: its bandwidth is divided by factor (1: the profile's
 * speed). */
int lsim_ost_slow(struct lsim *ls, unsigned ost, unsigned factor);

struct lsim_counts {
#define X(name, text) uint64_t name;
#include "counters.def"
#undef X
    uint64_t read_hist[LSIM_HIST];
    uint64_t write_hist[LSIM_HIST];
};

/* Consistent copies of the counters of one OST; of one client, all OSTs. */
int lsim_stats_ost(struct lsim *ls, unsigned ost, struct lsim_counts *out);
int lsim_stats_client(struct lsim *ls, unsigned client,
                      struct lsim_counts *out);
int lsim_stats_client_ost(struct lsim *ls, unsigned client, unsigned ost,
                          struct lsim_counts *out);
int lsim_stats_object(struct lsim *ls, struct lsim_object *obj,
                      struct lsim_counts *out);

/* Call fn for every object known on an OST (a copy; no lock is held). A
 * non-zero result stops and is returned. */
typedef int (*lsim_object_fn)(const struct lsim_object *obj,
                              const struct lsim_counts *counts, void *arg);
int lsim_stats_objects(struct lsim *ls, unsigned ost, lsim_object_fn fn,
                       void *arg);

/* Zero all counters; locks and caches stay. */
int lsim_stats_reset(struct lsim *ls);

enum lsim_mode { LSIM_PR = 1, LSIM_PW = 2, LSIM_GROUP = 3 };

struct lsim_lock_info {
    uint32_t client;
    uint32_t gid;
    enum lsim_mode mode;
    uint64_t start, end; /* [start, end), LSIM_EOF */
};

/* A message between clients and servers, when it is sent: Lustre's operation
 * code, the client and the OST. For data, and for locks that were granted after
 * waiting, also the range and the bytes in it. */
struct lsim_message {
    unsigned opc;
    uint32_t client;
    uint32_t ost;
    uint64_t start, end, bytes;
};

/* Call fn for every message that a call on ls causes, messages of other clients
 * included. fn runs under the server's lock: it may only record the message.
 * NULL: no longer. */
typedef void (*lsim_observe_fn)(const struct lsim_message *m, void *arg);
void lsim_observe(struct lsim *ls, lsim_observe_fn fn, void *arg);

/* How many requests wait for a lock on the object. */
long lsim_waiting(struct lsim *ls, struct lsim_object *obj);

/* The granted locks of an object by client, then start: up to max into out.
 * Returns how many there are. */
long lsim_locks(struct lsim *ls, struct lsim_object *obj,
                struct lsim_lock_info *out, size_t max);

#endif
