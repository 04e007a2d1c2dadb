/* nodemap.h - which ranks run on which node
 *
 * A node's ranks are kept as runs first, first + step, ... of one NUMA domain,
 * so that 100,000 ranks placed in the usual ways (block, cyclic, bound to
 * domains in turn) need a few runs a node and not a word a rank:
 *
 *   node 0: ranks 0 1 2 3 4 5 6 7, even ones on domain 0, odd ones on 1
 *           runs {first 0, count 4, step 2, numa 0} {1, 4, 2, 1}
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NODEMAP_H
#define ADL_NODEMAP_H

struct adl_run {
    int first, count, step;
    int numa; /* domain; any numbers, the same for all ranks if not known */
};

struct adl_nodemap;

struct adl_nodemap *adl_nodemap_create(void);
void adl_nodemap_destroy(struct adl_nodemap *map);

/* The runs of one node's ranks (any order; changed). numa: a domain for each
 * rank, or NULL. runs has room for n. Returns the number of runs, or -ENOMEM.
 */
int adl_runs_build(const int *ranks, const int *numa, int n,
                   struct adl_run *runs);

/* Append a node with its runs, those of one domain next to each other (as
 * adl_runs_build leaves them). name may be NULL. 0, -EINVAL (a count or rank
 * below 0, no rank at all), -ENOMEM. */
int adl_nodemap_add(struct adl_nodemap *map, const char *name,
                    const struct adl_run *runs, int nruns);

int adl_nodemap_nodes(const struct adl_nodemap *map);
int adl_nodemap_ranks(const struct adl_nodemap *map);

/* Of one node: its number of ranks, its name (NULL if not given). */
int adl_nodemap_size(const struct adl_nodemap *map, int node);
const char *adl_nodemap_name(const struct adl_nodemap *map, int node);

/* Choose n different ranks (n <= size) of a node: in turn from its domains, in
 * each evenly spaced. */
int adl_nodemap_pick(const struct adl_nodemap *map, int node, int n,
                     int *ranks);

/* node[r] for every rank r < nranks, -1 where the map has none. */
void adl_nodemap_expand(const struct adl_nodemap *map, int nranks, int *node);

#endif
