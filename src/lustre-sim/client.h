/* client.h - which Lustre client node a process is on
 *
 * LUSTRE_SIM_CLIENT if set; else from the MPI rank: ranks dealt in turn to
 * LUSTRE_SIM_CLIENTS nodes, or, in a row, LUSTRE_SIM_RANKS_PER_CLIENT of them
 * a node. With neither, the nodes that MPICH makes up are the clients (dealt in
 * turn, MPIR_CVAR_NUM_CLIQUES), or each rank is one. A process without a rank
 * is on client 0.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_CLIENT_H
#define LUSTRE_SIM_CLIENT_H

#include <stdint.h>

/* Always below `limit`. */
uint32_t sim_client_self(uint32_t limit);

#endif
