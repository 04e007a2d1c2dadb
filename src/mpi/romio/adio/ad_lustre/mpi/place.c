/* place.c - the node map, and aggregators from it */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../sys/topology.h"
#include "job.h"

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
static struct resident *gather_residents(const struct adl_file *f)
{
    const struct adl_nodes *nodes = &f->nodes;
    struct resident me = {.rank = f->rank}, *all = NULL;

    adl_topology_binding(&me.first_cpu, &me.last_cpu);
    if (nodes->rank == 0)
        all = ADIOI_Malloc(sizeof(*all) * nodes->size);
    MPI_Gather(&me, 3, MPI_INT, all, 3, MPI_INT, 0, nodes->comm);
    return all;
}

/* Ranks that may all run on the same CPUs are nowhere in particular: then the
 * machine need not be looked at. */
static int bound_apart(const struct resident *all, int n)
{
    int i;

    for (i = 1; i < n; i++)
        if (all[i].first_cpu != all[0].first_cpu ||
            all[i].last_cpu != all[0].last_cpu)
            return 1;
    return 0;
}

static const struct adl_topology *node_topology(void)
{
    struct adl_job *job = adl_job();

    if (!job)
        return NULL;
    if (!job->topology_read) {
        job->topology = adl_topology_load();
        job->topology_read = 1;
    }
    return job->topology;
}

/* Local, leader. Ranks and their domains (1 + domain; 0: not known) into two
 * arrays of n. */
static void split_residents(const struct resident *all, int n, int *ranks,
                            int *numa)
{
    const struct adl_topology *topo =
        bound_apart(all, n) ? node_topology() : NULL;
    int i;

    for (i = 0; i < n; i++) {
        ranks[i] = all[i].rank;
        numa[i] = topo ? 1 + adl_topology_domain(topo, all[i].first_cpu,
                                                 all[i].last_cpu)
                       : 0;
    }
}

/* Local, leader. The node's message: head and runs. NULL: no memory. */
static struct node_head *describe_node(const struct adl_file *f,
                                       const struct resident *all, size_t *len)
{
    int n = f->nodes.size, namelen;
    int *ranks = malloc(sizeof(int) * n), *numa = malloc(sizeof(int) * n);
    struct node_head *head;

    head = calloc(1, sizeof(*head) + sizeof(struct adl_run) * n);
    if (head && ranks && numa) {
        split_residents(all, n, ranks, numa);
        MPI_Get_processor_name(head->name, &namelen);
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
    int i, rc = map ? 0 : -ENOMEM;

    for (i = 0; i < count && !rc; i++) {
        struct node_head *head = (struct node_head *)(p->data + p->at[i]);

        if (p->bytes[i] == 0) {
            rc = -ENOMEM;
            break;
        }
        head->name[sizeof(head->name) - 1] = '\0';
        rc = adl_nodemap_add(map, head->name, (struct adl_run *)(head + 1),
                             head->nruns);
    }
    if (rc)
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
    int i, me, count, total = 0, rc = 0;

    MPI_Comm_rank(leaders, &me);
    MPI_Comm_size(leaders, &count);
    if (me == 0) {
        p.bytes = ADIOI_Malloc(sizeof(int) * count);
        p.at = ADIOI_Malloc(sizeof(int) * count);
    }
    MPI_Gather(&len, 1, MPI_INT, p.bytes, 1, MPI_INT, 0, leaders);
    for (i = 0; me == 0 && i < count; i++) {
        p.at[i] = total;
        total += p.bytes[i];
    }
    if (me == 0)
        p.data = ADIOI_Malloc(total + 1);
    MPI_Gatherv(mine, len, MPI_BYTE, p.data, p.bytes, p.at, MPI_BYTE, 0,
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
static int survey(struct adl_file *f, const struct resident *all,
                  MPI_Comm leaders, struct adl_nodemap **map)
{
    struct node_head *head;
    size_t len = 0;
    int rc;

    MPI_Comm_rank(leaders, &f->nodes.index);
    MPI_Comm_size(leaders, &f->nodes.count);
    head = describe_node(f, all, &len);
    rc = gather_nodes(leaders, head, len, map);
    free(head);
    return rc;
}

/* Local. A communicator of one rank is its own node. */
static int alone(struct adl_file *f, struct adl_nodemap **map)
{
    struct adl_run run = {.first = 0, .count = 1, .step = 1, .numa = 0};
    char name[MPI_MAX_PROCESSOR_NAME];
    int len, rc;

    f->nodes = (struct adl_nodes){.comm = f->comm, .size = 1, .count = 1};
    MPI_Get_processor_name(name, &len);
    *map = adl_nodemap_create();
    rc = *map ? adl_nodemap_add(*map, name, &run, 1) : -ENOMEM;
    if (rc) {
        adl_nodemap_destroy(*map);
        *map = NULL;
    }
    return rc;
}

int adl_place_nodes(struct adl_file *f, struct adl_nodemap **map)
{
    struct adl_nodes *nodes = &f->nodes;
    MPI_Comm leaders;
    struct resident *all;
    int rc = 0, word[2];

    *map = NULL;
    if (f->nprocs == 1)
        return alone(f, map);
    MPI_Comm_split_type(f->comm, MPI_COMM_TYPE_SHARED, f->rank, MPI_INFO_NULL,
                        &nodes->comm);
    MPI_Comm_rank(nodes->comm, &nodes->rank);
    MPI_Comm_size(nodes->comm, &nodes->size);
    all = gather_residents(f);
    MPI_Comm_split(f->comm, nodes->rank == 0 ? 0 : MPI_UNDEFINED, f->rank,
                   &leaders);
    if (leaders != MPI_COMM_NULL) {
        rc = survey(f, all, leaders, map);
        word[0] = nodes->index;
        word[1] = nodes->count;
        MPI_Comm_free(&leaders);
    }
    MPI_Bcast(word, 2, MPI_INT, 0, nodes->comm);
    nodes->index = word[0];
    nodes->count = word[1];
    if (all)
        ADIOI_Free(all);
    return rc;
}

int adl_place_take(struct adl_file *f, int count, const void *rank,
                   const void *node)
{
    struct adl_aggs *aggs = &f->aggs;
    size_t size = sizeof(int) * count;
    int i;

    free(aggs->rank);
    free(aggs->node);
    aggs->rank = malloc(size);
    aggs->node = malloc(size);
    if (!aggs->rank || !aggs->node)
        return -ENOMEM;
    memcpy(aggs->rank, rank, size);
    memcpy(aggs->node, node, size);
    aggs->count = count;
    aggs->mine = -1;
    for (i = 0; i < count; i++)
        if (aggs->rank[i] == f->rank)
            aggs->mine = i;
    return 0;
}

/* The objects that owners share: those of the widest component. */
static int widest(const struct adl_layout *layout)
{
    int i, n = adl_layout_mapped(layout) ? adl_layout_objects(layout) : 0;
    int most = 1;
    struct adl_home home;

    for (i = 0; i < n; i++) {
        adl_layout_home(layout, i, &home);
        if (home.stripe_count > most)
            most = home.stripe_count;
        i += home.stripe_count - 1 - home.object;
    }
    return most;
}

int adl_place_aggregators(struct adl_file *f, const struct adl_nodemap *map)
{
    struct adl_place_ask ask =
        adl_place_ask_of(&f->hints, map, widest(f->layout));
    struct adl_placement *p = NULL;
    int rc = adl_place(&ask, &f->notes, &p);

    if (!rc)
        rc = adl_place_take(f, p->count, p->rank, p->node);
    if (!rc)
        adl_hints_adjust(&f->hints, ADL_HINT_cb_nodes, p->count,
                         ADL_FROM_DEFAULT);
    adl_placement_destroy(p);
    return rc;
}
