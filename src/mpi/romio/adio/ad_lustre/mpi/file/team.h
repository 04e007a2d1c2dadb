/* team.h - the ranks that open a file together, and their nodes
 *
 * A team is made once for a group of ranks and kept for the rest of the job,
 * because programs open many files on the same communicator. A team serves one
 * file at a time: the engine that it keeps has room for the calls of one file.
 *
 * One gather brings to rank 0 where every rank runs (sys/nodeid.h). Rank 0
 * makes the map and sends it to all ranks together with its other results of
 * the open (broadcast.h). There is no communicator of a node's ranks or of the
 * nodes' first ranks: making one takes longer than the rest of an open. The
 * ranks send messages on the file's communicator instead.
 *
 * Only rank 0 ever has an array with an entry for each rank. A node's first
 * rank keeps the map, as runs of ranks (core/nodes/nodemap.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEAM_H
#define ADL_TEAM_H

#include <stdint.h>

#include "adio.h"

#include "../../core/nodes/nodemap.h"

struct adl_engine;

/* The nodes that the ranks run on, in the order of their lowest ranks. All but
 * `count` is this rank's own. */
struct adl_nodes {
    int rank;  /* this rank among its node's ranks; 0 is the leader */
    int size;  /* number of ranks on this node */
    int index; /* this rank's node, 0 <= index < count */
    int count; /* number of nodes */
};

struct adl_team {
    MPI_Group group; /* its ranks */
    MPI_Comm node;   /* ranks of this node; COMM_NULL: not made yet */
    struct adl_nodes nodes;
    int leader; /* this node's first rank, among all */
    int rc;     /* (own) -errno: there is no map; -EAGAIN: not yet */
    /* Leaders only, with names and domains on rank 0. */
    struct adl_nodemap *map;

    /* ---- of the store, see teams.h ---- */
    struct adl_team *next;
    int64_t id;
    int busy;
    long used; /* when it was last used: the oldest team goes first */
    /* What the last file left for the next one, or NULL. */
    struct adl_engine *kept;
    void (*kept_free)(struct adl_engine *kept);
};

/* Collective. Make the team of the ranks of `comm`; it takes over `group`, the
 * group of these ranks. Until adl_team_hear only rank 0 has the map and knows
 * its own place in it. */
struct adl_team *adl_team_make(MPI_Comm comm, MPI_Group group);
/* adl_team_tell: local, on rank 0. Append the map for the other ranks to `sb`,
 * or nothing if they have it. adl_team_hear: local, on the other ranks. Read
 * the map. 0 or -errno (own). */
void adl_team_tell(struct adl_team *team, struct adl_strbuf *sb);
int adl_team_hear(struct adl_team *team, MPI_Comm comm, const void *bytes,
                  size_t len);

/* `comm` below has the ranks of the team: the open file's. */

/* Collective over the ranks of a node: a broadcast of its leader's bytes. */
void adl_team_tell_node(const struct adl_team *team, MPI_Comm comm, void *buf,
                        int bytes);

/* Collective over all ranks. Make a communicator of the node's ranks, in their
 * order. */
MPI_Comm adl_team_node_comm(struct adl_team *team, MPI_Comm comm);

/* Local. Free what the last file left. */
void adl_team_forget(struct adl_team *team);

/* Local. Accepts NULL. */
void adl_team_destroy(struct adl_team *team);

#endif
