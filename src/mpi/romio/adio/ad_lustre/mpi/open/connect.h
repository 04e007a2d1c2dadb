/* connect.h - open the connections of collective calls before the first one
 *
 * MPI libraries connect two ranks when the first message passes between them.
 * In one job with many ranks the first collective call took 48 s for this
 * reason, the later ones 0.5 s.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CONNECT_H
#define ADL_CONNECT_H

#include "../file/file.h"

/* Collective. Make the engine, and let every rank exchange an empty message
 * with those that it will exchange data with: every node's forwarding ranks
 * with the aggregators; the nodes' leaders by a reduction. An error shows up
 * again at the first collective call. */
void adl_connect_all(ADIO_File fd);

#endif
