/* procs.h - which processes make up which client node
 *
 * Where clients forget (server.h), a client lives as long as one of its
 * processes; else it is a node that always exists. A process is identified by
 * its pid and start time, so that a reused pid is not taken for the old one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_PROCS_H
#define LSIM_PROCS_H

#include "shm.h"

/* Robust, for several processes, and telling a deadlock with oneself. */
int shm_init_mutex(pthread_mutex_t *m);

/* Register the calling process: 0 or -errno. OSTs not used
 * before are set up. */
int proc_register(struct lsim *ls);

/* The process ls belongs to leaves; last says whether its client goes too. */
void proc_leave(struct lsim *ls, int *last);
void proc_release(struct lsim *ls);

/* Clear away dead processes and evict clients that have none left. */
int procs_reap(struct lsim *ls);

int proc_alive(const struct shm *shm, uint32_t proc);

/* careful: look at start times and zombies too, which takes a file read. */
int client_alive(const struct shm *shm, uint32_t client, int careful);

#endif
