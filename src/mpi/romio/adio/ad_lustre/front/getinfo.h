/* getinfo.h - the hints of a file, when the program asks for them
 *
 * MPI_File_get_info returns a copy of fd->info. The function here takes the
 * place of ROMIO's MPI_Info_dup (by name, as in blocking.h), and has the hints
 * put into fd->info first (mpi/file/info.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_GETINFO_H
#define ADL_GETINFO_H

#include "adio.h"

int adl_instead_Info_dup(MPI_Info info, MPI_Info *out);

#endif
