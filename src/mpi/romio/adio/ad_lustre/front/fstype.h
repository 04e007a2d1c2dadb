/* fstype.h - which file system a file is on, asked by one rank for all
 *
 * ROMIO asks the kernel in every rank of MPI_File_open: statfs, and lstat of a
 * file that does not exist yet. On Lustre these are requests to a server, and
 * all ranks send them at once. With the function here rank 0 asks, and the
 * other ranks get the answer in the first agreement of the open
 * (mpi/open/early.h). If it is not Lustre every rank asks, as in ROMIO: NFS may
 * be mounted on some nodes only.
 *
 * It takes the place of ADIO_ResolveFileType in ROMIO's MPI_File_open and
 * MPI_File_delete (by name, when the plug-in is linked or the fork compiled:
 * plugin/link.sh, maint/build-fork).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FSTYPE_H
#define ADL_FSTYPE_H

#include "adio.h"

/* ROMIO's function returns an int since MPICH 4.1, nothing before. */
typedef __typeof__(ADIO_ResolveFileType(MPI_COMM_NULL, NULL, NULL, NULL,
                                        NULL)) adl_fstype_known;

/* Collective. Arguments and result are those of ADIO_ResolveFileType. */
adl_fstype_known adl_fstype_resolve(MPI_Comm comm, const char *name,
                                    int *fstype, ADIOI_Fns **ops, int *error);

#endif
