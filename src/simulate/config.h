/* config.h - the machine that a case runs on: sizes, speeds, disturbances
 *
 * Times are nanoseconds, speeds bytes a nanosecond (= GB/s). A config is a
 * value: made by the case's number or by options, then never changed.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CONFIG_H
#define SIMULATE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

struct config {
    uint64_t seed;    /* of every random decision of the world */
    int ranks, nodes; /* rank r is on node r * nodes / ranks */
    int cyclic;       /* ... or on node r % nodes */
    int cores;        /* of a node, as sysconf reports it */
    int memory;       /* MiB of a node, as /proc/meminfo has it */
    int osts;

    /* network: one port a node, each way */
    /* jitter: added to the latency, at most; by the seed */
    int64_t latency, jitter;
    double port_speed;
    int64_t shm_latency; /* between ranks of a node */
    double shm_speed;
    int64_t eager; /* larger messages wait for their receive (rendezvous) */
    int strong;    /* MPI takes packets when they arrive; else (as MPICH) in
                    * MPI calls only */

    /* processors */
    int64_t call_time; /* of an MPI call */
    int64_t yield_time;
    int64_t poll_time; /* sleep of a rank that yields, if nothing arrives */
    double copy_speed;
    int64_t pause; /* the longest preemption of every fourth rank; 0: 300 us */
    int preempt;   /* one hook in `preempt` lets others run; 0: none */
    int atomics;   /* hooks before calls and atomic operations only, not before
                  * every access to memory */
    int weak;      /* one relaxed operation in `weak` is seen before the bytes
                    * that were copied before it (order.h); 0: none */

    /* slow ranks: every `slow_every`th one takes `slow_factor` times as long */
    int slow_every, slow_factor;

    /* this rank is stopped at a time, for `stop_for`; 0 ns: no rank is */
    int stop_rank;
    int64_t stop_at, stop_for;

    /* this rank dies at a time, the job with it a little later, and the next
     * job runs on the same files; 0 ns: none does */
    int kill_rank;
    int64_t kill_at;

    int multiple; /* MPI_THREAD_MULTIPLE, else _FUNNELED */
    int scarce;   /* one thread or shared mapping in `scarce` is refused */

    int64_t until;       /* stop at this virtual time; 0: never */
    size_t stack;        /* of a rank */
    const char *profile; /* time model of the file system, NULL: no time */
    const char *faults;  /* faults that lustre-sim injects, NULL: none */
};

/* The config in force. Set once, before sched_start. */
extern struct config config;

/* A machine of moderate size and speed. */
void config_default(struct config *c);

static inline int node_of(int rank)
{
    return config.cyclic ? rank % config.nodes
                         : (int)((int64_t)rank * config.nodes / config.ranks);
}

#endif
