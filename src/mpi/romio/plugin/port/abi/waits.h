/* waits.h - waiting for requests where MPI does not poll the plug-in's
 *
 * A call that waits looks at its requests in turns with a step of everything
 * that is outstanding; a call that only looks makes one step first. While
 * nothing is outstanding MPI's own call waits.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_ABI_WAITS_H
#define ROMIO_LUSTRE_ABI_WAITS_H

/* Local. The function that takes the place of MPI's `name` ("PMPI_Wait"), NULL:
 * there is none. */
void *abi_waits_find(const char *name);

#endif
