/* topology.h - where in the machine a process runs: memory domain and NICs
 *
 * A domain is a NUMA node, or a package where there is only one NUMA node.
 *
 * A NIC is a port of the fast network: an OpenFabrics device, or a network
 * device with the name of one (hsn0, ib0, cxi0); on a machine without these, an
 * Ethernet port. Ports on a PCI link of less than half the speed of the fastest
 * one are for management and do not count. A NIC is near the domains that its
 * PCI slot is near.
 *
 * hwloc names domains and NICs; the driver loads hwloc when it first needs it.
 * Without hwloc both are unknown.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TOPOLOGY_H
#define ADL_TOPOLOGY_H

struct adl_topology;

/* The machine's domains. Takes milliseconds: keep the result. NULL: unknown. */
struct adl_topology *adl_topology_load(void);
void adl_topology_destroy(struct adl_topology *topo); /* accepts NULL */

/* The domain that holds CPUs `first` to `last`; -1: none does. */
int adl_topology_domain(const struct adl_topology *topo, int first, int last);

/* How many NICs the machine has, and how many of them are near a domain. */
int adl_topology_nics(const struct adl_topology *topo);
int adl_topology_near(const struct adl_topology *topo, int domain);

/* The lowest and the highest CPU that this process may run on. 0 or -errno. */
int adl_topology_binding(int *first, int *last);

/* Where a process runs. */
struct adl_whereabouts {
    int domain; /* -1: the process may run in several, or they are unknown */
    int near;   /* NICs near the domain */
    int nics;   /* of the machine; 0: unknown */
};

/* Of this process. All fields are unknown if it may run on all CPUs. Takes
 * milliseconds if the process is bound. */
struct adl_whereabouts adl_topology_own(void);

#endif
