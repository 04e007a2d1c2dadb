/* procs.h - which processes make up which client node
 *
 * If clients forget (server.h), a client exists as long as one of its
 * processes; otherwise it is a node that always exists. A process is identified
 * by its pid and start time, so that a reused pid is not taken for the old one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_PROCS_H
#define LSIM_PROCS_H

#include "shm.h"

/* Initialise a mutex that is robust, shared by processes, and detects a
 * deadlock of a thread with itself. */
int shm_init_mutex(pthread_mutex_t *m);

/* Register the calling process: 0 or -errno. OSTs not used
 * before are set up. */
int proc_register(struct lsim *ls);

/* The process of ls leaves. *last: 1 if its client ends with it. */
void proc_leave(struct lsim *ls, int *last);
void proc_release(struct lsim *ls);

/* Clear away dead processes and evict clients that have none left. */
int procs_reap(struct lsim *ls);

int proc_alive(const struct shm *shm, uint32_t proc);

/* The caller is about to wait for a lock: so long, in ns, does its holder write
 * back. A simulated machine must not take such a wait for a hang. */
void proc_waits(uint64_t ns);

/* Is a process of the client alive? careful: also check start times and
 * zombies, which reads a file. */
int client_alive(const struct shm *shm, uint32_t client, int careful);

#endif
