/* placement.c - which ranks aggregate, and in which order they own objects */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "placement.h"
#include "balance.h"
#include "../hints/config_list.h"
#include "../text/minmax.h"
#include "../hints/ranklist.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A node that may aggregate. */
struct site {
    int entry; /* of cb_config_list, that allows it */
    int node;  /* index in the map */
    int limit; /* ranks that may aggregate there, >= 1 */
};

/* All of them, in the order of preference. */
struct sites {
    const struct adl_nodemap *map;
    int n;
    struct site *site; /* [n] */
    int64_t total;     /* sum of the limits */
};

struct adl_place_ask adl_place_ask_of(const struct adl_hints *h,
                                      const struct adl_nodemap *nodes,
                                      int64_t objects)
{
    return (struct adl_place_ask){
        .nodes = nodes,
        .objects = objects,
        .multiplier = h->cb_nodes_multiplier,
        .cb_nodes = h->cb_nodes,
        .stride = h->aggregator_placement_stride,
        .lock_mode = h->lock_mode,
        .config_list = h->cb_config_list,
        .list = h->aggregator_list,
    };
}

static int *int_array(int64_t n)
{
    return calloc((size_t)(n > 0 ? n : 1), sizeof(int));
}

/* Two arrays in one allocation: to free the first is to free both. */
static int *int_arrays(int64_t n, int64_t m, int **second)
{
    int *first = int_array(n + m);

    *second = first ? first + n : NULL;
    return first;
}

static int min_int(int64_t a, int64_t b)
{
    return (int)adl_min(a, b);
}

void adl_placement_destroy(struct adl_placement *p)
{
    if (!p)
        return;
    free(p->rank);
    free(p);
}

static struct adl_placement *placement_create(int count)
{
    struct adl_placement *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->count = count;
    p->rank = int_arrays(count, count, &p->node);
    if (p->rank)
        return p;
    free(p);
    return NULL;
}

/* ---- allowed nodes ------------------------------------------------- */

/* Hosts named first in the list come first, as in ROMIO. */
static int by_entry_and_node(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Nodes with a limit above 0. */
static void choose_nodes(struct sites *s, const struct adl_config_list *list)
{
    int nodes = adl_nodemap_nodes(s->map);

    for (int i = 0; i < nodes; i++) {
        struct site c = {.node = i};
        int limit =
            adl_config_list_limit(list, adl_nodemap_name(s->map, i), &c.entry);

        if (limit == ADL_CONFIG_NICS) /* not known: one */
            limit = (int)adl_max(1, adl_nodemap_nics(s->map, i));
        c.limit = min_int(limit, adl_nodemap_size(s->map, i));
        if (c.limit > 0)
            s->site[s->n++] = c;
        s->total += adl_max(0, c.limit);
    }
    qsort(s->site, (size_t)s->n, sizeof(*s->site), by_entry_and_node);
}

/* One attempt with one config list; s->n is 0 if it allows no rank. */
static int sites_try(struct sites *s, const char *text, struct adl_notes *notes)
{
    struct adl_config_list *list = NULL;
    int rc = adl_config_list_parse(text, notes, &list);

    if (rc < 0)
        return rc;
    choose_nodes(s, list);
    adl_config_list_destroy(list);
    return 0;
}

static int sites_init(struct sites *s, const struct adl_nodemap *map,
                      const char *config_list, struct adl_notes *notes)
{
    int rc;

    *s = (struct sites){.map = map};
    s->site = calloc((size_t)adl_nodemap_nodes(map), sizeof(*s->site));
    if (!s->site)
        return -ENOMEM;
    rc = sites_try(s, config_list ? config_list : "*:*", notes);
    if (!rc && !s->n) {
        adl_notes_add(notes,
                      "cb_config_list=%.64s allows no node of this job; "
                      "using *:*",
                      config_list);
        rc = sites_try(s, "*:*", notes);
    }
    if (rc < 0)
        free(s->site);
    return rc;
}

/* ---- spread -------------------------------------------------------- */

/* The work sheet: A aggregators for L = min(SC, A) groups. site[a] is the
 * index in sites of aggregator a = group + L x layer. */
struct sheet {
    const struct sites *sites;
    int count, groups;
    int *site;  /* [count] */
    int *share; /* [sites->n] aggregators on each site */
    int *room;  /* [sites->n] the limits, or how many groups fit */
    int split;
};

static int owners_of(const struct sheet *sh, int group)
{
    return sh->count / sh->groups + (group < sh->count % sh->groups);
}

/* Deal the slots [first, last), which are sorted by site, out in laps: one
 * from every site, then a second one from every site that has one, ... */
static int deal_laps(const int *slot_site, int first, int last, int *order)
{
    int *end, *next = int_arrays(last - first, last - first, &end);
    int n = 0, got = 0, kept;

    if (!next)
        return -ENOMEM;
    for (int i = first; i < last; i++) {
        if (i == first || slot_site[i] != slot_site[i - 1])
            next[n++] = i;
        end[n - 1] = i + 1;
    }
    for (; n > 0; n = kept)
        for (int i = kept = 0; i < n; i++) {
            order[got++] = next[i];
            next[kept] = next[i] + 1;
            end[kept] = end[i];
            kept += next[kept] < end[kept];
        }
    free(next);
    return 0;
}

/* Slots sorted by site: share[0] times site 0, ... */
static void fill_slots(const int *share, int nsites, int *slot_site)
{
    for (int i = 0; i < nsites; i++)
        for (int k = 0; k < share[i]; k++)
            *slot_site++ = i;
}

/* Owners of one group on different nodes. Number the slots by node; slot s is
 * owner of group s mod L. A node's slots are consecutive, so they belong to
 * different groups unless the node has more slots than there are groups. Then
 * renumber the groups so that consecutive ones begin on different nodes; groups
 * with one owner more (the first A mod L) stay among themselves. */
static int place_apart(struct sheet *sh)
{
    int *order, *slot = int_arrays(sh->count, sh->groups, &order);
    int extra = sh->count % sh->groups, rc;

    if (!slot)
        return -ENOMEM;
    adl_balance(sh->room, sh->sites->n, sh->count, sh->share);
    fill_slots(sh->share, sh->sites->n, slot);
    rc = deal_laps(slot, 0, extra, order);
    if (!rc)
        rc = deal_laps(slot, extra, sh->groups, order + extra);
    for (int a = 0; !rc && a < sh->count; a++)
        sh->site[a] = slot[order[a % sh->groups] + a / sh->groups * sh->groups];
    free(slot);
    return rc;
}

/* Put the owners [layer, owners) of a group on site s. */
static void assign(struct sheet *sh, int group, int layer, int owners, int s)
{
    for (; layer < owners; layer++) {
        sh->site[group + layer * sh->groups] = s;
        sh->share[s]++;
    }
}

static int free_on(const struct sheet *sh, int s)
{
    return sh->sites->site[s].limit - sh->share[s];
}

/* Whole groups onto sites that still have room for one, from `group` on;
 * returns the first group that is left. */
static int place_whole(struct sheet *sh, int group)
{
    int s = 0;

    while (s < sh->sites->n && group < sh->groups) {
        int k = owners_of(sh, group);

        if (free_on(sh, s) < k)
            s++;
        else
            assign(sh, group++, 0, k, s);
    }
    return group;
}

/* For the groups from `group` on no site has room left: fill site after site.
 * Each begins at its place of an even spacing as long as enough room remains
 * behind it. */
static void place_split(struct sheet *sh, int group)
{
    const struct sites *sites = sh->sites;
    int first = group, s = 0, layer = 0, i;
    /* slots that stay unused in the end: what may be stepped over */
    int64_t slack = sites->total - sh->count;

    for (; group < sh->groups; layer = 0, group++) {
        int64_t start =
            (int64_t)(group - first) * sites->n / (sh->groups - first);
        int k = owners_of(sh, group);

        for (; s < start && free_on(sh, s) <= slack; s++)
            slack -= free_on(sh, s);
        for (; layer < k; s += layer < k) {
            i = min_int(k - layer, free_on(sh, s));
            assign(sh, group, layer, layer + i, s);
            layer += i;
        }
        sh->split += sh->site[group] != sh->site[group + (k - 1) * sh->groups];
    }
}

/* Owners of one group on one node: share the groups out over the nodes that
 * have room for a whole one. */
static int place_together(struct sheet *sh)
{
    int n = sh->sites->n, most = owners_of(sh, 0), whole, rc = -ENOMEM;
    int *groups = int_array(n);
    int *order, *slot = int_arrays(sh->groups, sh->groups, &order);

    if (!groups || !slot)
        goto out;
    for (int g = 0; g < n; g++)
        sh->room[g] /= most;
    whole = (int)adl_balance(sh->room, n, sh->groups, groups);
    fill_slots(groups, n, slot);
    rc = deal_laps(slot, 0, whole, order);
    for (int g = 0; !rc && g < whole; g++)
        assign(sh, g, 0, owners_of(sh, g), slot[order[g]]);
    if (!rc)
        place_split(sh, place_whole(sh, whole));
out:
    free(groups);
    free(slot);
    return rc;
}

/* Choose ranks on every site and give them to its aggregators; the owners of
 * one group one after the other, so that they differ in NUMA domain. */
static int choose_ranks(const struct sheet *sh, struct adl_placement *p)
{
    const struct sites *sites = sh->sites;
    int *next, *pick = int_arrays(sh->count, sites->n, &next);
    int at = 0, rc = pick ? 0 : -ENOMEM;

    for (int s = 0; !rc && s < sites->n; at += sh->share[s++]) {
        next[s] = at;
        if (sh->share[s])
            rc = adl_nodemap_pick(sites->map, sites->site[s].node, sh->share[s],
                                  pick + at);
    }
    for (int g = 0; !rc && g < sh->groups; g++)
        for (int layer = 0; layer < owners_of(sh, g); layer++) {
            int a = g + layer * sh->groups;

            p->node[a] = sites->site[sh->site[a]].node;
            p->rank[a] = pick[next[sh->site[a]]++];
        }
    p->split = sh->split;
    free(pick);
    return rc;
}

static int place_spread(const struct sites *sites, int64_t objects,
                        int64_t lock_mode, struct adl_placement *p)
{
    struct sheet sh = {.sites = sites,
                       .count = p->count,
                       .groups = min_int(objects, p->count)};
    bool together = lock_mode == 0 && sh.count > sh.groups;
    int rc;

    sh.site = int_arrays(p->count, 2 * (int64_t)sites->n, &sh.share);
    if (!sh.site)
        return -ENOMEM;
    sh.room = sh.share + sites->n;
    for (int s = 0; s < sites->n; s++)
        sh.room[s] = sites->site[s].limit;
    rc = together ? place_together(&sh) : place_apart(&sh);
    if (!rc)
        rc = choose_ranks(&sh, p);
    free(sh.site);
    return rc;
}

/* ---- stride and list ----------------------------------------------- */

/* Every stride-th rank whose node still may. */
static int place_stride(const struct sites *sites, int64_t stride,
                        struct adl_placement *p)
{
    int nranks = adl_nodemap_ranks(sites->map), got = 0;
    int *room, *node = int_arrays(nranks, adl_nodemap_nodes(sites->map), &room);

    if (!node)
        return -ENOMEM;
    adl_nodemap_expand(sites->map, nranks, node);
    for (int i = 0; i < sites->n; i++)
        room[sites->site[i].node] = sites->site[i].limit;
    for (int64_t start = 0; start < stride && start < nranks; start++)
        for (int64_t r = start; r < nranks && got < p->count; r += stride) {
            if (node[r] < 0 || room[node[r]]-- <= 0)
                continue;
            p->rank[got] = (int)r;
            p->node[got++] = node[r];
        }
    free(node);
    return got == p->count ? 0 : -EINVAL;
}

static int place_list(const struct adl_place_ask *ask, struct adl_notes *notes,
                      struct adl_placement **out)
{
    int nranks = adl_nodemap_ranks(ask->nodes), count = -ENOMEM;
    int *rank, *node = int_arrays(nranks, nranks, &rank);

    if (node)
        count = adl_ranklist_parse(ask->list, nranks, notes, rank);
    if (count > 0)
        *out = placement_create(count);
    if (count > 0 && !*out)
        count = -ENOMEM;
    if (count > 0)
        adl_nodemap_expand(ask->nodes, nranks, node);
    for (int i = 0; i < count; i++) {
        (*out)->rank[i] = rank[i];
        (*out)->node[i] = node[rank[i]];
    }
    free(node);
    return count;
}

/* ---- place --------------------------------------------------------- */

/* How many aggregators, >= 1. */
static int count_wanted(const struct adl_place_ask *ask,
                        const struct sites *sites, struct adl_notes *notes)
{
    int64_t objects = ask->objects > 0 ? ask->objects : 1;
    int64_t times = ask->multiplier > 0 ? ask->multiplier : 1;

    if (ask->cb_nodes > sites->total)
        adl_notes_add(notes,
                      "cb_nodes=%lld: ranks and cb_config_list allow %lld",
                      (long long)ask->cb_nodes, (long long)sites->total);
    if (ask->cb_nodes > 0)
        return min_int(ask->cb_nodes, sites->total);
    if (objects > INT_MAX || times > INT_MAX)
        return (int)sites->total;
    return min_int(objects * times, sites->total);
}

static int place_counted(const struct adl_place_ask *ask,
                         const struct sites *sites, struct adl_notes *notes,
                         struct adl_placement **out)
{
    struct adl_placement *p = placement_create(count_wanted(ask, sites, notes));
    int rc;

    if (!p)
        return -ENOMEM;
    if (ask->stride > 0)
        rc = place_stride(sites, ask->stride, p);
    else
        rc = place_spread(sites, ask->objects > 0 ? ask->objects : 1,
                          ask->lock_mode, p);
    if (rc < 0)
        adl_placement_destroy(p);
    else
        *out = p;
    return rc;
}

int adl_place(const struct adl_place_ask *ask, struct adl_notes *notes,
              struct adl_placement **out)
{
    struct sites sites;
    int rc;

    if (adl_nodemap_ranks(ask->nodes) < 1)
        return -EINVAL;
    if (ask->list && *ask->list) {
        rc = place_list(ask, notes, out);
        if (rc != 0)
            return rc < 0 ? rc : 0;
    }
    rc = sites_init(&sites, ask->nodes, ask->config_list, notes);
    if (rc < 0)
        return rc;
    rc = place_counted(ask, &sites, notes, out);
    free(sites.site);
    return rc;
}
