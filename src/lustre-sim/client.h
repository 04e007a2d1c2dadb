/* client.h - which Lustre client node a process is on
 *
 * LUSTRE_SIM_CLIENT if set; else from the MPI rank: rank / ranks per client
 * (LUSTRE_SIM_RANKS_PER_CLIENT, default 1), or ranks dealt in blocks over
 * LUSTRE_SIM_CLIENTS nodes. A process without a rank is on client 0.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_CLIENT_H
#define LUSTRE_SIM_CLIENT_H

#include <stdint.h>

/* Always below `limit`. */
uint32_t sim_client_self(uint32_t limit);

#endif
