/* team.c - the ranks that open a file together: their nodes, communicators */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "team.h"

#include <errno.h>
#include <stdlib.h>

#include "../../sys/topology.h"
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

/* What a node's leader sends to rank 0: this, then the runs. */
struct node_head {
    int nruns;
    char name[MPI_MAX_PROCESSOR_NAME];
};

/* Where each node's message begins in rank 0's buffer. */
struct parcels {
    int *bytes, *at;
    char *data;
};

/* A rank as its node's leader sees it. */
struct resident {
    int rank;
    int first_cpu, last_cpu; /* where it may run */
};

/* Collective over the node. The node's ranks, on its leader (NULL elsewhere,
 * and where there is no memory). */
static struct resident *gather_residents(MPI_Comm node, int rank)
{
    struct resident me = {.rank = rank}, *all = NULL;

    adl_topology_binding(&me.first_cpu, &me.last_cpu);
    if (rank_in(node) == 0)
        all = ADIOI_Malloc(sizeof(*all) * size_of(node));
    PMPI_Gather(&me, 3, MPI_INT, all, 3, MPI_INT, 0, node);
    return all;
}

/* Ranks that may all run on the same CPUs are nowhere in particular: then the
 * machine need not be looked at. */
static int bound_apart(const struct resident *all, int n)
{

    for (int i = 1; i < n; i++)
        if (all[i].first_cpu != all[0].first_cpu ||
            all[i].last_cpu != all[0].last_cpu)
            return 1;
    return 0;
}

/* Local, leader. Ranks and their domains (1 + domain; 0: not known) into two
 * arrays of n. */
static void split_residents(const struct resident *all, int n, int *ranks,
                            int *numa)
{
    struct adl_topology *topo =
        bound_apart(all, n) ? adl_topology_load() : NULL;

    for (int i = 0; i < n; i++) {
        ranks[i] = all[i].rank;
        numa[i] = topo ? 1 + adl_topology_domain(topo, all[i].first_cpu,
                                                 all[i].last_cpu)
                       : 0;
    }
    adl_topology_destroy(topo);
}

/* Local, leader. The node's message: head and runs. NULL: no memory. */
static struct node_head *describe_node(const struct resident *all, int n,
                                       size_t *len)
{
    int namelen;
    int *ranks = malloc(sizeof(int) * n), *numa = malloc(sizeof(int) * n);
    struct node_head *head;

    head = calloc(1, sizeof(*head) + sizeof(struct adl_run) * n);
    if (head && ranks && numa) {
        split_residents(all, n, ranks, numa);
        PMPI_Get_processor_name(head->name, &namelen);
        head->nruns =
            adl_runs_build(ranks, numa, n, (struct adl_run *)(head + 1));
    }
    free(ranks);
    free(numa);
    if (!head || head->nruns <= 0) {
        free(head);
        return NULL;
    }
    *len = sizeof(*head) + sizeof(struct adl_run) * head->nruns;
    return head;
}

/* Local, rank 0. */
static int build_map(const struct parcels *p, int count,
                     struct adl_nodemap **out)
{
    struct adl_nodemap *map = adl_nodemap_create();
    int rc = map ? 0 : -ENOMEM;

    for (int i = 0; i < count && !rc; i++) {
        struct node_head *head = (struct node_head *)(p->data + p->at[i]);

        if (p->bytes[i] == 0) {
            rc = -ENOMEM;
            break;
        }
        head->name[sizeof(head->name) - 1] = '\0';
        rc = adl_nodemap_add(map, head->name, (struct adl_run *)(head + 1),
                             head->nruns);
    }
    if (rc < 0)
        adl_nodemap_destroy(map);
    else
        *out = map;
    return rc;
}

/* Collective over the leaders. */
static int gather_nodes(MPI_Comm leaders, const void *mine, int len,
                        struct adl_nodemap **map)
{
    struct parcels p = {NULL, NULL, NULL};
    int me, count, total = 0, rc = 0;

    PMPI_Comm_rank(leaders, &me);
    PMPI_Comm_size(leaders, &count);
    if (me == 0) {
        p.bytes = ADIOI_Malloc(sizeof(int) * count);
        p.at = ADIOI_Malloc(sizeof(int) * count);
    }
    PMPI_Gather(&len, 1, MPI_INT, p.bytes, 1, MPI_INT, 0, leaders);
    for (int i = 0; me == 0 && i < count; i++) {
        p.at[i] = total;
        total += p.bytes[i];
    }
    if (me == 0)
        p.data = ADIOI_Malloc(total + 1);
    PMPI_Gatherv(mine, len, MPI_BYTE, p.data, p.bytes, p.at, MPI_BYTE, 0,
                 leaders);
    if (me == 0) {
        rc = build_map(&p, count, map);
        ADIOI_Free(p.bytes);
        ADIOI_Free(p.at);
        ADIOI_Free(p.data);
    }
    return rc;
}

/* Collective over the leaders: number the nodes and collect the map. */
static void meet_leaders(struct adl_team *t, MPI_Comm leaders,
                         const struct resident *all)
{
    struct node_head *head;
    size_t len = 0;

    t->index = rank_in(leaders);
    t->count = size_of(leaders);
    head = describe_node(all, size_of(t->node), &len);
    t->rc = gather_nodes(leaders, head, len, &t->map);
    free(head);
}

/* Collective over all: several nodes. */
static void join_leaders(struct adl_team *t, const struct resident *all)
{
    int word[2] = {0, 0};

    PMPI_Comm_split(t->comm, all ? 0 : MPI_UNDEFINED, rank_in(t->comm),
                    &t->leaders);
    if (t->leaders != MPI_COMM_NULL) {
        meet_leaders(t, t->leaders, all);
        word[0] = t->index;
        word[1] = t->count;
    }
    PMPI_Bcast(word, 2, MPI_INT, 0, t->node);
    t->index = word[0];
    t->count = word[1];
}

/* Collective. On one node there is nobody to join: a split less. */
static void explore(struct adl_team *t)
{
    int rank = rank_in(t->comm);
    struct resident *all;

    PMPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
                         &t->node);
    all = gather_residents(t->node, rank);
    t->count = 1;
    if (size_of(t->node) < size_of(t->comm))
        join_leaders(t, all);
    else if (all)
        meet_leaders(t, MPI_COMM_SELF, all);
    if (all)
        ADIOI_Free(all);
}

/* Local. A rank alone is its own node. */
static void explore_alone(struct adl_team *t)
{
    struct adl_run run = {.first = 0, .count = 1, .step = 1, .numa = 0};
    char name[MPI_MAX_PROCESSOR_NAME];
    int len;

    t->count = 1;
    t->node = t->comm;
    PMPI_Get_processor_name(name, &len);
    t->map = adl_nodemap_create();
    t->rc = t->map ? adl_nodemap_add(t->map, name, &run, 1) : -ENOMEM;
}

struct adl_team *adl_team_make(MPI_Comm comm, MPI_Group group)
{
    struct adl_team *t = ADIOI_Calloc(1, sizeof(*t));

    t->group = group;
    t->node = t->leaders = MPI_COMM_NULL;
    PMPI_Comm_dup(comm, &t->comm);
    if (size_of(comm) > 1)
        explore(t);
    else
        explore_alone(t);
    return t;
}

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
    if (t->leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&t->leaders);
    if (t->node != t->comm && t->node != MPI_COMM_NULL)
        PMPI_Comm_free(&t->node);
    PMPI_Comm_free(&t->comm);
    adl_nodemap_destroy(t->map);
    ADIOI_Free(t);
}
