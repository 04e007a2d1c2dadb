/* topology.h - which memory domain of the machine a process runs in
 *
 * A domain is a NUMA node, or a package where there is but one NUMA node. hwloc
 * knows them; it is loaded when first asked for and not needed: without it, or
 * on a machine with one domain, nothing is known.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TOPOLOGY_H
#define ADL_TOPOLOGY_H

struct adl_topology;

/* The machine's. Takes milliseconds: keep it. NULL: nothing is known. */
struct adl_topology *adl_topology_load(void);
void adl_topology_destroy(struct adl_topology *topo); /* accepts NULL */

/* The domain that holds CPUs `first` to `last`; -1: none does. */
int adl_topology_domain(const struct adl_topology *topo, int first, int last);

/* The lowest and the highest CPU that this process may run on. 0 or -errno. */
int adl_topology_binding(int *first, int *last);

/* The domain that this process is bound to; -1: to none, it may run on all the
 * machine's CPUs or nothing is known. Takes milliseconds where it is bound. */
int adl_topology_own(void);

#endif
