/* team.c - the ranks that open a file together, and their nodes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "team.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../sys/nodeid.h"
#include "../../sys/topology.h"
#include "tags.h"
#include "../progress/progress.h"
#include "adio.h"

static int rank_in(MPI_Comm comm)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size;

    PMPI_Comm_size(comm, &size);
    return size;
}

/* ---- where each rank runs ---- */

/* For tests several nodes can be made up on one machine: the ranks of the world
 * are dealt to them in turn. MPICH does so by a variable of its own, which is
 * followed; ROMIO_LUSTRE_NODES is for any MPI and goes before. How many; 1:
 * none are made up. */
static int made_up_nodes(void)
{
    const char *own = getenv("ROMIO_LUSTRE_NODES");
    const char *text = own ? own : getenv("MPIR_CVAR_NUM_CLIQUES");
    long n = text ? strtol(text, NULL, 10) : 0;
    int world;

    PMPI_Initialized(&world); /* not in a session */
    return world && n > 1 && n < INT_MAX ? (int)n : 1;
}

static uint64_t made_up_node(void)
{
    int n = made_up_nodes();

    return n > 1 ? 1 + (uint64_t)(rank_in(MPI_COMM_WORLD) % n) : 0;
}

/* Collective. What all ranks say, on rank 0; NULL elsewhere. */
static struct adl_resident *gather_residents(MPI_Comm comm)
{
    struct adl_whereabouts here = adl_topology_own();
    struct adl_resident me, *all = NULL;

    memset(&me, 0, sizeof(me));
    adl_nodeid(made_up_node(), me.node, me.name, sizeof(me.name));
    me.numa = here.domain;
    me.near = here.near;
    me.nics = here.nics;
    if (rank_in(comm) == 0)
        all = ADIOI_Malloc(sizeof(*all) * (size_t)size_of(comm));
    PMPI_Gather(&me, sizeof(me), MPI_BYTE, all, sizeof(me), MPI_BYTE, 0, comm);
    return all;
}

/* ---- the map ---- */

/* Local. This rank's place in it. */
static void find_place(struct adl_team *t, MPI_Comm comm,
                       const struct adl_nodemap *map)
{
    int node = adl_nodemap_locate(map, rank_in(comm), &t->nodes.rank);

    if (node < 0)
        return;
    t->nodes.index = node;
    t->nodes.count = adl_nodemap_nodes(map);
    t->nodes.size = adl_nodemap_size(map, node);
    t->leader = adl_nodemap_first(map, node);
    adl_pause_ranks(made_up_nodes() > 1 ? size_of(comm) : t->nodes.size);
}

struct adl_team *adl_team_make(MPI_Comm comm, MPI_Group group)
{
    struct adl_team *t = ADIOI_Calloc(1, sizeof(*t));
    struct adl_resident *all = gather_residents(comm);
    int rc = -EAGAIN;

    t->group = group;
    t->node = MPI_COMM_NULL;
    t->nodes.count = 1;
    if (all) {
        rc = adl_nodemap_build(all, size_of(comm), &t->map);
        if (rc == 0)
            find_place(t, comm, t->map);
        ADIOI_Free(all);
    }
    t->rc = rc < 0 || size_of(comm) == 1 ? rc : -EAGAIN;
    return t;
}

void adl_team_tell(struct adl_team *t, struct adl_strbuf *sb)
{
    if (t->rc != -EAGAIN)
        return;
    adl_nodemap_pack(t->map, sb);
    t->rc = 0;
}

int adl_team_hear(struct adl_team *t, MPI_Comm comm, const void *bytes,
                  size_t len)
{
    struct adl_nodemap *map = NULL;

    if (t->rc != -EAGAIN)
        return 0;
    t->rc = adl_nodemap_unpack(bytes, len, &map);
    if (t->rc < 0)
        return t->rc;
    find_place(t, comm, map);
    if (t->nodes.rank == 0)
        t->map = map;
    else
        adl_nodemap_destroy(map);
    return 0;
}

/* ---- the node's ranks ---- */

void adl_team_tell_node(const struct adl_team *t, MPI_Comm comm, void *buf,
                        int bytes)
{
    if (t->nodes.rank > 0) {
        PMPI_Recv(buf, bytes, MPI_BYTE, t->leader, ADL_TAG_TELL, comm,
                  MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < t->nodes.size; i++) {
        int to = adl_nodemap_member(t->map, t->nodes.index, i);

        if (to != t->leader)
            PMPI_Send(buf, bytes, MPI_BYTE, to, ADL_TAG_TELL, comm);
    }
}

MPI_Comm adl_team_node_comm(struct adl_team *t, MPI_Comm comm)
{
    if (t->node == MPI_COMM_NULL)
        PMPI_Comm_split(comm, t->nodes.index, rank_in(comm), &t->node);
    return t->node;
}

/* ---- */

void adl_team_forget(struct adl_team *t)
{
    if (t->kept)
        t->kept_free(t->kept);
    t->kept = NULL;
}

void adl_team_destroy(struct adl_team *t)
{
    if (!t)
        return;
    adl_team_forget(t);
    if (t->group != MPI_GROUP_NULL)
        PMPI_Group_free(&t->group);
    if (t->node != MPI_COMM_NULL)
        PMPI_Comm_free(&t->node);
    adl_nodemap_destroy(t->map);
    ADIOI_Free(t);
}
