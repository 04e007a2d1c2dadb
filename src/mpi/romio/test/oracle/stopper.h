/* stopper.h - a process that stops ranks for a while
 *
 * The stopper is a child of rank 0. While it is armed it sends SIGSTOP to one
 * rank after another, and SIGCONT some milliseconds later, so that a rank is
 * late at any place of any call. When it hits is a matter of chance: the seed
 * does not repeat it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_STOPPER_H
#define ORACLE_STOPPER_H

#include <stdatomic.h>
#include <sys/types.h>

/* Lies in memory that all ranks and the stopper share. */
struct stopper {
    atomic_int armed; /* written by rank 0; < 0: the stopper ends */
    int n;
    pid_t pid[16]; /* of the ranks, on this machine */
};

/* Start it, when all pids are written. Returns its pid; < 0: errno says why. */
pid_t stopper_start(struct stopper *stopper);
/* No rank is stopped any more. */
void stopper_end(struct stopper *stopper, pid_t pid);

#endif
