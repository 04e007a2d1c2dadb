/* client.h - which Lustre client node a process is on
 *
 * LUSTRE_SIM_CLIENT sets it. Otherwise it follows from the MPI rank: ranks are
 * dealt in turn to LUSTRE_SIM_CLIENTS nodes, or LUSTRE_SIM_RANKS_PER_CLIENT
 * consecutive ranks share a node. Without these variables the nodes that are
 * made up for the driver (ROMIO_LUSTRE_NODES) or for MPICH
 * (MPIR_CVAR_NUM_CLIQUES; ranks dealt in turn) are the clients, or else each
 * rank is one. A process without a rank is on client 0.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_CLIENT_H
#define LUSTRE_SIM_CLIENT_H

#include <stdint.h>

/* Always below `limit`. */
uint32_t sim_client_self(uint32_t limit);

#endif
