/* team.h - the ranks that open a file together: their nodes, communicators
 *
 * Made once for a group of ranks and kept for the job: programs open file after
 * file on the same communicator, and splitting it takes longer than all the
 * rest of an open. A team serves one file at a time, so that nobody else's
 * messages are on its communicators.
 *
 * No rank but 0 ever has an array with an entry a rank: a node's leader knows
 * its own node's ranks, rank 0 the nodes as runs of ranks (core/nodemap).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEAM_H
#define ADL_TEAM_H

#include <stdint.h>

#include <mpi.h>

#include "../../core/nodemap.h"

struct adl_team {
    MPI_Group group;         /* whose it is */
    MPI_Comm comm;           /* all ranks */
    MPI_Comm node;           /* ranks of this node, in order */
    MPI_Comm leaders;        /* the nodes' first ranks, in order of nodes;
                              * COMM_NULL: one node, or not one of them */
    int index;               /* of this node */
    int count;               /* of nodes */
    int rc;                  /* rank 0: -errno, there is no map */
    struct adl_nodemap *map; /* rank 0 only */

    /* ---- of the store, see teams.h ---- */
    struct adl_team *next;
    int64_t id;
    int busy;
    long used; /* for the oldest to go */
    /* What the last file left for the next one, or NULL. */
    void *kept;
    void (*kept_free)(void *kept);
};

/* Collective. The team of the ranks of `comm`; takes over `group`, theirs. */
struct adl_team *adl_team_make(MPI_Comm comm, MPI_Group group);

/* Local. Free what the last file left. */
void adl_team_forget(struct adl_team *team);

/* Local. Accepts NULL. */
void adl_team_destroy(struct adl_team *team);

#endif
