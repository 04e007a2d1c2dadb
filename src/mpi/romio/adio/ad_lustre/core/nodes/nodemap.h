/* nodemap.h - which ranks run on which node
 *
 * A node's ranks are kept as runs first, first + step, ... of one NUMA domain,
 * so that 100,000 ranks placed in the usual ways (block, cyclic, bound to
 * domains in turn) need a few runs for each node instead of a word for each
 * rank:
 *
 *   node 0: ranks 0 1 2 3 4 5 6 7, even ones on domain 0, odd ones on 1
 *           runs {first 0, count 4, step 2, numa 0} {1, 4, 2, 1}
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NODEMAP_H
#define ADL_NODEMAP_H

#include <stdint.h>

#include "../text/strbuf.h"

struct adl_run {
    int first, count, step;
    int numa; /* domain; any number, the same for all ranks if it is unknown */
    int near; /* NICs near that domain */
};

struct adl_nodemap;

struct adl_nodemap *adl_nodemap_create(void);
void adl_nodemap_destroy(struct adl_nodemap *map);

/* Append a node with its runs, those of one domain next to each other. name may
 * be NULL. 0, -EINVAL (a count or rank
 * below 0, no rank at all), -ENOMEM. */
int adl_nodemap_add(struct adl_nodemap *map, const char *name,
                    const struct adl_run *runs, int nruns);

int adl_nodemap_nodes(const struct adl_nodemap *map);
int adl_nodemap_ranks(const struct adl_nodemap *map);

/* Of one node: its number of ranks, its name (NULL if not given). */
int adl_nodemap_size(const struct adl_nodemap *map, int node);
const char *adl_nodemap_name(const struct adl_nodemap *map, int node);

/* The number of the node's NICs, as its ranks reported it; 0: unknown. */
int adl_nodemap_nics(const struct adl_nodemap *map, int node);

/* Choose n different ranks (n <= size) of a node. If the node's NICs are known,
 * its NICs take turns: each takes a rank of a domain near it, or of another
 * domain when those have no rank left. Otherwise the domains take turns. Within
 * a domain the ranks are evenly spaced. */
int adl_nodemap_pick(const struct adl_nodemap *map, int node, int n,
                     int *ranks);

/* adl_nodemap_first: the lowest rank of a node. adl_nodemap_member: its i-th
 * rank, in an unspecified order. */
int adl_nodemap_first(const struct adl_nodemap *map, int node);
int adl_nodemap_member(const struct adl_nodemap *map, int node, int i);

/* The node of a rank, -1 if the map has none, and the number of lower ranks on
 * that node. */
int adl_nodemap_locate(const struct adl_nodemap *map, int rank, int *place);

/* Where a rank runs, as the rank itself reports it. */
struct adl_resident {
    /* the same on all ranks of the node, different on other nodes */
    uint64_t node[2];
    /* domain that the rank is bound to; any number if it is not bound */
    int numa;
    int near, nics; /* NICs near that domain, NICs of the node; 0: unknown */
    char name[48];  /* of the node */
};

/* Make the map of ranks 0 to n - 1 from the reports of all of them. Nodes are
 * in the order of their lowest ranks. 0 or -ENOMEM. */
int adl_nodemap_build(const struct adl_resident *who, int n,
                      struct adl_nodemap **out);

/* Write a map as bytes, without names, domains and NICs; and read it back.
 * -EINVAL: the bytes are no map. */
void adl_nodemap_pack(const struct adl_nodemap *map, struct adl_strbuf *sb);
int adl_nodemap_unpack(const void *bytes, size_t len, struct adl_nodemap **out);

/* node[r] for every rank r < nranks, -1 where the map has none. */
void adl_nodemap_expand(const struct adl_nodemap *map, int nranks, int *node);

#endif
