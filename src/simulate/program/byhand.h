/* byhand.h - a collective call by hand: messages in a group of ranks, pwrite
 *
 * What users write when MPI-IO is too slow (MPICH's issue 7935). The ranks
 * whose boxes follow each other in the fastest dimensions of a lattice form one
 * group. It has enough ranks for its bytes to lie in stretches of a stripe or
 * more. Each rank of the group gets an equal share of the group's bytes, in
 * file order, and writes it:
 *
 *   pieces of the group  | 0 | 1 | 2 | 0 | 1 | 2 | 0 | 1 | 2 |    (whose)
 *   shares               [   0       |   1       |   2       ]    (who writes)
 *
 * Which bytes go where follows from the pattern. No rank asks another one, as
 * in a program that plans once and writes often. In patterns that are no
 * lattice all ranks are one group.
 *
 * This is a yardstick, not a library: an error ends the program.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_BYHAND_H
#define SIMULATE_BYHAND_H

#include "program.h"

struct byhand;

/* Collective. Rank 0 creates the file, if it does not exist. */
struct byhand *byhand_open(const struct job *job, int rank, const char *path);

/* Collective. `data`: the bytes of this rank's pieces of the call, which are
 * written or filled. */
void byhand_call(struct byhand *h, int call, int write, unsigned char *data);

/* Local. */
void byhand_sync(struct byhand *h);
void byhand_close(struct byhand *h); /* accepts NULL */

#endif
