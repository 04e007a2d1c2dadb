/* fsize.h - the size of an open file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FSIZE_H
#define ADL_FSIZE_H

#include "adio.h"

/* Collective. Truncate or extend (MPI_File_set_size); rank 0 does it, the error
 * is the same on all ranks. 0 or -errno. */
int adl_fsize_set(ADIO_File fd, ADIO_Offset size);

/* Local. Ask for the size of the file. 0 or -errno. */
int adl_fsize_get(ADIO_File fd, ADIO_Offset *size);

/* Local. Allocate `size` bytes from the start of the file. -EOPNOTSUPP: the
 * file system has no call for it. 0 or -errno. */
int adl_fsize_reserve(ADIO_File fd, ADIO_Offset size);

#endif
