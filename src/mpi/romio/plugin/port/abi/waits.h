/* waits.h - waiting for requests where MPI does not poll the plug-in's
 *
 * A call that waits alternates: it tests its requests, then steps everything
 * that is outstanding. A call that only tests makes one step first. While
 * nothing is outstanding MPI's own call is used.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_ABI_WAITS_H
#define ROMIO_LUSTRE_ABI_WAITS_H

/* Local. The function that takes the place of MPI's `name` ("PMPI_Wait"), NULL:
 * there is none. */
void *abi_waits_find(const char *name);

#endif
