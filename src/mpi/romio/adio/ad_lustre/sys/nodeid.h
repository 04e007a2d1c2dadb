/* nodeid.h - which node a process is on
 *
 * Processes with the same number can share memory (shmem.h). The number is made
 * from the kernel's boot id, the host name and the PID namespace.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NODEID_H
#define ADL_NODEID_H

#include <stdint.h>

/* The number of this process's node, and its host name, cut to `size`. A part
 * that the system does not provide is left out of the number. `part`: the
 * number of a node that is made up on this machine; else 0. */
void adl_nodeid(uint64_t part, uint64_t id[2], char *name, int size);

#endif
