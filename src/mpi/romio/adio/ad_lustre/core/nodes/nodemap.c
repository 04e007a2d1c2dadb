/* nodemap.c - which ranks run on which node */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "nodemap.h"
#include "balance.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char *name;
    int first_run, nruns, size;
    int nics;
};

struct adl_nodemap {
    struct node *node;
    struct adl_run *run;
    int nnodes, nruns, nranks;
    int node_cap, run_cap;
};

struct adl_nodemap *adl_nodemap_create(void)
{
    return calloc(1, sizeof(struct adl_nodemap));
}

void adl_nodemap_destroy(struct adl_nodemap *map)
{
    if (!map)
        return;
    for (int i = 0; i < map->nnodes; i++)
        free(map->node[i].name);
    free(map->node);
    free(map->run);
    free(map);
}

/* ---- build --------------------------------------------------------- */

/* `old` with room for `need` elements of `size` bytes, or NULL. */
static void *reserve_nodes(void *old, int *cap, int need, size_t size)
{
    int more = *cap ? *cap : 16;
    void *grown;

    if (need <= *cap)
        return old;
    while (more < need)
        more = more > INT_MAX / 2 ? need : more * 2;
    grown = realloc(old, (size_t)more * size);
    if (grown)
        *cap = more;
    return grown;
}

/* Room for one more node with nruns runs. */
static int make_room(struct adl_nodemap *map, int nruns)
{
    struct node *node = reserve_nodes(map->node, &map->node_cap,
                                      map->nnodes + 1, sizeof(*node));
    struct adl_run *run;

    if (!node)
        return -ENOMEM;
    map->node = node;
    run = reserve_nodes(map->run, &map->run_cap, map->nruns + nruns,
                        sizeof(*run));
    if (!run)
        return -ENOMEM;
    map->run = run;
    return 0;
}

/* Ranks in the runs, or -EINVAL. */
static int count_ranks(const struct adl_run *runs, int nruns)
{
    int64_t total = 0;

    for (int i = 0; i < nruns; i++) {
        const struct adl_run *r = &runs[i];
        int64_t last = r->first + (int64_t)(r->count - 1) * r->step;

        if (r->count < 1 || r->step < 1 || r->first < 0 || last > INT_MAX)
            return -EINVAL;
        total += r->count;
    }
    return total > 0 && total <= INT_MAX ? (int)total : -EINVAL;
}

int adl_nodemap_add(struct adl_nodemap *map, const char *name,
                    const struct adl_run *runs, int nruns)
{
    int size = count_ranks(runs, nruns);
    char *copy = NULL;

    if (size < 0 || size > INT_MAX - map->nranks)
        return -EINVAL;
    if (make_room(map, nruns))
        return -ENOMEM;
    if (name && !(copy = strdup(name)))
        return -ENOMEM;
    memcpy(map->run + map->nruns, runs, sizeof(*runs) * (size_t)nruns);
    map->node[map->nnodes++] = (struct node){copy, map->nruns, nruns, size, 0};
    map->nruns += nruns;
    map->nranks += size;
    return 0;
}

/* ---- ask ----------------------------------------------------------- */

int adl_nodemap_nodes(const struct adl_nodemap *map)
{
    return map->nnodes;
}

int adl_nodemap_ranks(const struct adl_nodemap *map)
{
    return map->nranks;
}

int adl_nodemap_size(const struct adl_nodemap *map, int node)
{
    return map->node[node].size;
}

const char *adl_nodemap_name(const struct adl_nodemap *map, int node)
{
    return map->node[node].name;
}

int adl_nodemap_nics(const struct adl_nodemap *map, int node)
{
    return map->node[node].nics;
}

/* A NUMA domain of the node at hand: runs next to each other. */
struct domain {
    const struct adl_run *run;
    int given; /* picks handed out so far */
};

static int find_domains(const struct adl_run *run, int nruns,
                        struct domain *domain, int *size)
{
    int n = 0;

    for (int i = 0; i < nruns; i++) {
        if (i == 0 || run[i].numa != run[i - 1].numa) {
            domain[n] = (struct domain){&run[i], 0};
            size[n++] = 0;
        }
        size[n - 1] += run[i].count;
    }
    return n;
}

static int nth_rank(const struct adl_run *run, int n)
{
    for (; n >= run->count; run++)
        n -= run->count;
    return run->first + n * run->step;
}

/* One pick from each domain in turn until all shares are used up. */
static void deal(struct domain *domain, const int *size, const int *share,
                 int ndomains, int n, int *ranks)
{
    int got = 0;

    while (got < n)
        for (int d = 0; d < ndomains; d++) {
            int64_t i = domain[d].given;

            if (i >= share[d])
                continue;
            ranks[got++] =
                nth_rank(domain[d].run, (int)(i * size[d] / share[d]));
            domain[d].given++;
        }
}

/* The NICs' part of n picks: each NIC has an equal part of the ranks of the
 * domain near it. Returns how many picks are left, or -ENOMEM. */
static int share_nics(const struct domain *domain, const int *size,
                      int ndomains, int n, int *share)
{
    int nics = 0, k = 0, given;
    int *limit, *got;

    for (int d = 0; d < ndomains; d++)
        nics += domain[d].run->near;
    limit = calloc(2 * (size_t)(nics + 1), sizeof(*limit));
    if (!limit)
        return -ENOMEM;
    got = limit + nics + 1;
    for (int d = 0; d < ndomains; d++)
        for (int i = 0, near = domain[d].run->near; i < near; i++)
            limit[k++] = size[d] / near + (i < size[d] % near);
    given = (int)adl_balance(limit, nics, n, got);
    k = 0;
    for (int d = 0; d < ndomains; d++)
        for (int i = share[d] = 0; i < domain[d].run->near; i++)
            share[d] += got[k++];
    free(limit);
    return n - given;
}

/* How many of n picks each domain gets. */
static int share_out(const struct domain *domain, int *size, int ndomains,
                     int n, int *share)
{
    int left = share_nics(domain, size, ndomains, n, share);
    int *far;

    if (left <= 0)
        return left;
    far = calloc(2 * (size_t)ndomains, sizeof(*far));
    if (!far)
        return -ENOMEM;
    for (int d = 0; d < ndomains; d++)
        far[d] = size[d] - share[d];
    adl_balance(far, ndomains, left, far + ndomains);
    for (int d = 0; d < ndomains; d++)
        share[d] += far[ndomains + d];
    free(far);
    return 0;
}

int adl_nodemap_pick(const struct adl_nodemap *map, int node, int n, int *ranks)
{
    const struct node *nd = &map->node[node];
    size_t most = (size_t)nd->nruns;
    struct domain *domain = malloc(most * sizeof(*domain));
    int *size = malloc(2 * most * sizeof(*size));
    int ndomains, rc = -EINVAL;

    if (!domain || !size) {
        rc = -ENOMEM;
    } else if (n <= nd->size) {
        ndomains =
            find_domains(map->run + nd->first_run, nd->nruns, domain, size);
        rc = share_out(domain, size, ndomains, n, size + most);
        if (rc == 0)
            deal(domain, size, size + most, ndomains, n, ranks);
    }
    free(domain);
    free(size);
    return rc;
}

int adl_nodemap_first(const struct adl_nodemap *map, int node)
{
    const struct node *nd = &map->node[node];
    int first = INT_MAX;

    for (int i = 0; i < nd->nruns; i++)
        if (map->run[nd->first_run + i].first < first)
            first = map->run[nd->first_run + i].first;
    return first;
}

int adl_nodemap_member(const struct adl_nodemap *map, int node, int i)
{
    return nth_rank(map->run + map->node[node].first_run, i);
}

/* How many ranks of a run are below `rank`; *in: it is one of them itself. */
static int count_below(const struct adl_run *run, int rank, int *in)
{
    int64_t ahead = (int64_t)rank - run->first;
    int64_t n = (ahead + run->step - 1) / run->step;

    if (ahead < 0)
        return 0;
    *in |= ahead % run->step == 0 && n < run->count;
    return n < run->count ? (int)n : run->count;
}

int adl_nodemap_locate(const struct adl_nodemap *map, int rank, int *place)
{
    for (int i = 0; i < map->nnodes; i++) {
        const struct node *nd = &map->node[i];
        int in = 0;

        *place = 0;
        for (int k = 0; k < nd->nruns; k++)
            *place += count_below(&map->run[nd->first_run + k], rank, &in);
        if (in)
            return i;
    }
    return -1;
}

/* ---- from what the ranks say ---- */

struct member {
    const struct adl_resident *who;
    int rank;
    int lowest; /* rank of its node */
};

static int compare_nodes(const struct adl_resident *a,
                         const struct adl_resident *b)
{
    for (int i = 0; i < 2; i++)
        if (a->node[i] != b->node[i])
            return a->node[i] < b->node[i] ? -1 : 1;
    return 0;
}

static int by_node_and_rank(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = compare_nodes(x->who, y->who);

    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_lowest_and_domain(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->lowest != y->lowest)
        return x->lowest < y->lowest ? -1 : 1;
    if (x->who->numa != y->who->numa)
        return x->who->numa < y->who->numa ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Members node by node, nodes in order of their lowest ranks; a node's ranks by
 * domain. */
static void sort_members(const struct adl_resident *who, int n,
                         struct member *member)
{
    for (int r = 0; r < n; r++)
        member[r] = (struct member){&who[r], r, r};
    qsort(member, (size_t)n, sizeof(*member), by_node_and_rank);
    for (int i = 1; i < n; i++)
        if (compare_nodes(member[i].who, member[i - 1].who) == 0)
            member[i].lowest = member[i - 1].lowest;
    qsort(member, (size_t)n, sizeof(*member), by_lowest_and_domain);
}

/* The longest run of one domain that starts at member[0]. */
static struct adl_run longest_run(const struct member *member, int n)
{
    struct adl_run run = {member[0].rank, 1, 1, member[0].who->numa,
                          member[0].who->near};

    if (n > 1 && member[1].who->numa == run.numa)
        run.step = member[1].rank - run.first;
    while (run.count < n && member[run.count].who->numa == run.numa &&
           member[run.count].rank == run.first + run.count * run.step)
        run.count++;
    if (run.count == 1)
        run.step = 1;
    return run;
}

/* Add the node of member[0]; `run` has room for its runs. How many ranks it
 * has, or -errno. */
static int add_node(struct adl_nodemap *map, const struct member *member, int n,
                    struct adl_run *run)
{
    /* the residents are in order of rank */
    const struct adl_resident *first =
        member[0].who + (member[0].lowest - member[0].rank);
    char name[sizeof(first->name) + 1] = "";
    int size = 0, nruns = 0, rc;

    while (size < n && member[size].lowest == member[0].lowest)
        size++;
    for (int i = 0; i < size; i += run[nruns++].count)
        run[nruns] = longest_run(member + i, size - i);
    memcpy(name, first->name, sizeof(first->name));
    rc = adl_nodemap_add(map, name, run, nruns);
    if (rc < 0)
        return rc;
    map->node[map->nnodes - 1].nics = first->nics;
    return size;
}

int adl_nodemap_build(const struct adl_resident *who, int n,
                      struct adl_nodemap **out)
{
    struct adl_nodemap *map = adl_nodemap_create();
    struct member *member = malloc(sizeof(*member) * (size_t)n);
    struct adl_run *run = malloc(sizeof(*run) * (size_t)n);
    int size = map && member && run ? 0 : -ENOMEM;

    if (size == 0)
        sort_members(who, n, member);
    for (int i = 0; i < n && size >= 0; i += size)
        size = add_node(map, member + i, n - i, run);
    free(member);
    free(run);
    if (size < 0)
        adl_nodemap_destroy(map);
    else
        *out = map;
    return size < 0 ? size : 0;
}

/* ---- as bytes: for every node its number of runs, then these ---- */

void adl_nodemap_pack(const struct adl_nodemap *map, struct adl_strbuf *sb)
{
    for (int i = 0; i < map->nnodes; i++) {
        const struct node *nd = &map->node[i];

        adl_strbuf_add(sb, &nd->nruns, sizeof(nd->nruns));
        adl_strbuf_add(sb, map->run + nd->first_run,
                       sizeof(struct adl_run) * (size_t)nd->nruns);
    }
}

/* Runs may lie anywhere among the bytes. */
static int unpack_node(struct adl_nodemap *map, const char *at, int nruns)
{
    struct adl_run *run = malloc(sizeof(*run) * (size_t)nruns);
    int rc = -ENOMEM;

    if (run) {
        memcpy(run, at, sizeof(*run) * (size_t)nruns);
        rc = adl_nodemap_add(map, NULL, run, nruns);
    }
    free(run);
    return rc;
}

int adl_nodemap_unpack(const void *bytes, size_t len, struct adl_nodemap **out)
{
    struct adl_nodemap *map = adl_nodemap_create();
    const char *at = bytes, *end = at + len;
    int rc = map ? 0 : -ENOMEM, nruns;

    while (rc == 0 && at < end) {
        size_t left = (size_t)(end - at) - sizeof(nruns);

        rc = -EINVAL;
        if ((size_t)(end - at) < sizeof(nruns))
            break;
        memcpy(&nruns, at, sizeof(nruns));
        if (nruns < 1 || (size_t)nruns > left / sizeof(struct adl_run))
            break;
        rc = unpack_node(map, at + sizeof(nruns), nruns);
        at += sizeof(nruns) + sizeof(struct adl_run) * (size_t)nruns;
    }
    if (rc < 0)
        adl_nodemap_destroy(map);
    else
        *out = map;
    return rc;
}

static void expand_run(const struct adl_run *run, int node, int nranks,
                       int *out)
{
    int64_t r = run->first;

    for (int i = 0; i < run->count && r < nranks; i++, r += run->step)
        out[r] = node;
}

void adl_nodemap_expand(const struct adl_nodemap *map, int nranks, int *node)
{
    for (int i = 0; i < nranks; i++)
        node[i] = -1;
    for (int i = 0; i < map->nnodes; i++)
        for (int k = 0; k < map->node[i].nruns; k++)
            expand_run(&map->run[map->node[i].first_run + k], i, nranks, node);
}
