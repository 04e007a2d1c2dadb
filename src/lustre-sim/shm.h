/* shm.h - the shared memory of the lock server (private to it)
 *
 * One file, mapped whole and sparse by every process: a header, then one
 * struct ost per OST with everything about that OST in fixed arrays under
 * one robust mutex. Slots name each other by index; slot 0 of every pool is
 * never used, so zeroed memory is an empty server.
 *
 *   ost.hash -> object -> cobj (a client's part) -> granted locks, by start
 *                  |        |-> dirty runs, cached runs, by start
 *                  '-> waiting locks, by ticket
 *   osc (client on this OST) -> its cobjs; its locks, least recently used
 *
 * A process may be killed anywhere. Each slot carries enough to rebuild all
 * lists from the arrays (recover.c): objects their name, cobjs their object
 * and client, locks and runs their cobj. The field that makes a slot live is
 * written last and cleared first.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_SHM_H
#define LSIM_SHM_H

#include <pthread.h>

#include "rules.h"
#include "server.h"

#define SHM_MAGIC 0x4c53494d6c646c6dULL
#define SHM_VERSION 6
#define MAX_PROCS 32768
#define MAX_OBJECTS 16384
#define MAX_COBJS 32768
#define MAX_LOCKS 65536
#define MAX_RUNS 131072
#define HASH_SIZE 16384
#define RING 64

struct pool {
    uint32_t used; /* slots 1..used have been handed out at some time */
    uint32_t free; /* first free slot; slots are linked by their first member */
};

/* Part of an object that a client has cached, has yet to write back, or has
 * lost in an eviction. */
enum run_kind { RUN_DIRTY, RUN_CACHED, RUN_LOST, RUN_KINDS };

struct run {
    uint32_t next;
    uint32_t cobj; /* live: not 0 */
    uint32_t kind;
    uint32_t pad;
    uint64_t start, end;
};

struct runs {
    uint32_t head;
    uint32_t hint; /* slot of the last insertion, or 0 */
    uint32_t count;
    uint32_t steps; /* entries visited by all searches so far */
    uint64_t bytes;
};

/* Cancelling: called back, gone when its write-back is done at `due`. */
enum lock_state { LOCK_FREE, LOCK_GRANTED, LOCK_WAITING, LOCK_CANCELLING };

struct lock {
    uint32_t next, prev; /* of the cobj; waiting: of the object */
    uint32_t state;      /* live: not LOCK_FREE */
    uint32_t cobj;
    uint32_t lru_next, lru_prev;
    uint32_t proc;   /* group and waiting locks: the process */
    uint32_t refs;   /* group locks: number of descriptors */
    uint32_t how;    /* flags of the request: lock.h */
    uint32_t users;  /* waiters that have the grant and have not used it yet */
    uint32_t called; /* called back meanwhile: given back after that */
    uint32_t fresh;  /* granted in the current walk of the queue */
    struct lsim_rule_lock ext;
    /* order of requests; also distinguishes the uses of a slot */
    uint64_t ticket;
    uint64_t used; /* when last used, ns */
    uint64_t due;  /* cancelling: when it is gone, ns */
    uint64_t busy; /* the last copy under it ends, ns */
};

struct cobj {
    uint32_t next;   /* of the object */
    uint32_t object; /* live: not 0 */
    uint32_t client;
    uint32_t gen;
    uint32_t osc_next, osc_prev;
    uint32_t locks, lock_hint;
    uint32_t error;      /* of lost data; no call has returned it yet (errno) */
    uint32_t lost_group; /* a group lock went in an eviction */
    struct runs runs[RUN_KINDS];
    uint64_t last_done; /* when its last write RPC is done */
};

struct object {
    uint32_t next; /* of the hash chain */
    uint32_t live;
    uint32_t gen;
    uint32_t index;
    uint64_t file;
    uint64_t size;    /* as far as it is known */
    uint64_t free_at; /* as that of the OST */
    uint32_t cobjs;
    uint32_t waiting;
    struct lsim_counts counts;
};

/* A client's connection to an OST. */
struct osc {
    struct lsim_counts counts;
    uint32_t cobjs;
    uint32_t lru_head, lru_tail, lru_count;
    uint64_t dirty; /* bytes, all objects */
    struct {
        uint64_t done, bytes;
    } ring[RING]; /* write RPCs in flight, oldest first */
    uint32_t ring_first, ring_count;
    uint64_t in_flight;
    uint32_t evicted; /* by the server; the client does not know */
    uint32_t pad;
};

struct ost {
    pthread_mutex_t mutex;
    uint32_t seq;      /* futex: changes when a waiter may go on */
    uint32_t sleepers; /* at least this many wait on seq */
    uint64_t ticket;
    uint64_t xid;
    uint64_t free_at; /* the virtual queue's end, ns */
    uint32_t slow;
    uint32_t head_object; /* where the disk's head is */
    uint64_t head_offset;
    uint32_t reclaim; /* clock hand over objects */
    uint32_t gen;
    uint32_t recovered; /* how often a dead holder's mutex was taken over */
    uint32_t changed;   /* 1: something came after the last commit */
    struct lsim_counts counts;
    struct pool object_pool, cobj_pool, lock_pool, run_pool;
    uint32_t hash[HASH_SIZE];
    struct osc osc[LSIM_MAX_CLIENTS];
    struct object objects[MAX_OBJECTS];
    struct cobj cobjs[MAX_COBJS];
    struct lock locks[MAX_LOCKS];
    struct run runs[MAX_RUNS];
};

struct proc {
    uint32_t pid; /* live: not 0 */
    uint32_t client;
    /* 1: the process detaches and no longer counts for its client */
    uint32_t leaving;
    uint32_t pad;
    uint64_t born; /* start time of the process, in clock ticks */
};

struct shm {
    uint64_t magic;
    uint32_t version;
    uint32_t osts; /* largest number that a process asked for */
    uint64_t size;
    uint64_t boot;         /* hash of the boot id: our clock starts anew */
    pthread_mutex_t mutex; /* of procs; taken before an OST's */
    uint32_t procs_used;
    uint32_t pad;
    uint32_t evictions[LSIM_MAX_CLIENTS]; /* of each client, ever */
    struct proc procs[MAX_PROCS];
    struct ost ost[LSIM_MAX_OSTS];
};

struct lsim {
    struct shm *shm;
    unsigned osts;
    unsigned mapped; /* of shm->ost */
    unsigned mdt;
    uint32_t client;
    uint32_t proc;
    int forgets;
    struct lsim_profile profile;
    lsim_observe_fn observe;
    void *observe_arg;
    char trace_dir[4096];
};

#endif
