/* nodeid.h - which node a process is on
 *
 * Processes with the same number can share memory (shmem.h): the same kernel,
 * booted once, the same host name and the same view of processes.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NODEID_H
#define ADL_NODEID_H

#include <stdint.h>

/* The number of this process's node, and its host name, cut to `size`. What the
 * system does not tell is left out of it. `part`: nodes that somebody makes up
 * on one machine have numbers; 0 where nobody does. */
void adl_nodeid(uint64_t part, uint64_t id[2], char *name, int size);

#endif
