/* team.c - the ranks that open a file together, and their nodes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../sys/nodeid.h"
#include "../../sys/topology.h"
#include "../messages/peers.h"
#include "adio.h"
#include "bcast.h"

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

/* ---- where everybody runs ---- */

/* MPICH can make up several nodes on one machine, for tests: it deals the ranks
 * of the world to them in turn. Then so do we. */
static uint64_t made_up_node(void)
{
    const char *text = getenv("MPIR_CVAR_NUM_CLIQUES");
    long n = text ? strtol(text, NULL, 10) : 0;
    int world;

    PMPI_Initialized(&world); /* not in a session */
    return world && n > 1 ? 1 + (uint64_t)rank_in(MPI_COMM_WORLD) % (uint64_t)n
                          : 0;
}

/* Collective. What all ranks say, on rank 0; NULL elsewhere. */
static struct adl_resident *gather_residents(MPI_Comm comm)
{
    struct adl_resident me, *all = NULL;

    memset(&me, 0, sizeof(me));
    adl_nodeid(made_up_node(), me.node, me.name, sizeof(me.name));
    adl_topology_binding(&me.first_cpu, &me.last_cpu);
    if (rank_in(comm) == 0)
        all = ADIOI_Malloc(sizeof(*all) * (size_t)size_of(comm));
    PMPI_Gather(&me, sizeof(me), MPI_BYTE, all, sizeof(me), MPI_BYTE, 0, comm);
    return all;
}

/* Collective, where ranks of a node are bound to different CPUs: everybody's
 * memory domain (1 + its number, 0: not known), on rank 0. */
static int *gather_domains(MPI_Comm comm)
{
    struct adl_topology *topo = adl_topology_load();
    int first, last, mine = 0, *all = NULL;

    if (topo && adl_topology_binding(&first, &last) == 0)
        mine = 1 + adl_topology_domain(topo, first, last);
    adl_topology_destroy(topo);
    if (rank_in(comm) == 0)
        all = ADIOI_Malloc(sizeof(*all) * (size_t)size_of(comm));
    PMPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    return all;
}

/* ---- the map ---- */

/* Local. This rank's place in it. */
static void find_place(struct adl_team *t, MPI_Comm comm,
                       const struct adl_nodemap *map)
{
    int node = adl_nodemap_locate(map, rank_in(comm), &t->rank);

    if (node < 0)
        return;
    t->index = node;
    t->size = adl_nodemap_size(map, node);
    t->leader = adl_nodemap_first(map, node);
}

/* Local, others than rank 0. */
static void take_map(struct adl_team *t, MPI_Comm comm,
                     const struct adl_strbuf *sb)
{
    struct adl_nodemap *map = NULL;

    t->rc = adl_nodemap_unpack(sb->text, sb->len, &map);
    if (t->rc < 0)
        return;
    find_place(t, comm, map);
    if (t->rank == 0)
        t->map = map;
    else
        adl_nodemap_destroy(map);
}

/* Collective, if ranks are bound: rank 0's map gets the domains. */
static void add_domains(struct adl_team *t, MPI_Comm comm,
                        const struct adl_resident *all)
{
    int *numa = gather_domains(comm), bound;
    struct adl_nodemap *map;

    if (!numa)
        return;
    if (adl_nodemap_build(all, numa, size_of(comm), &map, &bound) == 0) {
        adl_nodemap_destroy(t->map);
        t->map = map;
    }
    ADIOI_Free(numa);
}

/* Local, rank 0. The word that goes before the map: -errno, there is none, or
 * how many nodes there are, twice, and 1 if it has to know the domains. Who has
 * no memory for the map itself knows at least what all have to do. */
static int make_map(struct adl_team *t, const struct adl_resident *all,
                    int nranks, struct adl_strbuf *sb)
{
    int bound, rc = adl_nodemap_build(all, NULL, nranks, &t->map, &bound);

    if (rc < 0)
        return rc;
    adl_nodemap_pack(t->map, sb);
    return 2 * adl_nodemap_nodes(t->map) + bound;
}

/* Collective. */
static void explore(struct adl_team *t, MPI_Comm comm)
{
    struct adl_resident *all = gather_residents(comm);
    struct adl_strbuf sb = ADL_STRBUF_INIT;
    int word = 0;

    if (all)
        word = make_map(t, all, size_of(comm), &sb);
    adl_bcast_bytes(comm, &word, &sb);
    t->rc = word < 0 ? word : sb.err;
    if (word > 0)
        t->count = word / 2;
    if (t->rc == 0 && !all)
        take_map(t, comm, &sb);
    else if (t->rc == 0)
        find_place(t, comm, t->map);
    if (word > 0 && word % 2)
        add_domains(t, comm, all);
    adl_strbuf_release(&sb);
    if (all)
        ADIOI_Free(all);
}

struct adl_team *adl_team_make(MPI_Comm comm, MPI_Group group)
{
    struct adl_team *t = ADIOI_Calloc(1, sizeof(*t));

    t->group = group;
    t->comm = t->node = MPI_COMM_NULL;
    t->count = 1;
    explore(t, comm);
    if (t->count > 1)
        PMPI_Comm_dup(comm, &t->comm);
    return t;
}

/* ---- the node's ranks ---- */

void adl_team_tell_node(const struct adl_team *t, MPI_Comm comm, void *buf,
                        int bytes)
{
    if (t->rank > 0) {
        PMPI_Recv(buf, bytes, MPI_BYTE, t->leader, ADL_TAG_TELL, comm,
                  MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 0; i < t->size; i++) {
        int to = adl_nodemap_member(t->map, t->index, i);

        if (to != t->leader)
            PMPI_Send(buf, bytes, MPI_BYTE, to, ADL_TAG_TELL, comm);
    }
}

MPI_Comm adl_team_node_comm(struct adl_team *t, MPI_Comm comm)
{
    if (t->node == MPI_COMM_NULL)
        PMPI_Comm_split(comm, t->index, rank_in(comm), &t->node);
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
    if (t->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&t->comm);
    adl_nodemap_destroy(t->map);
    ADIOI_Free(t);
}
