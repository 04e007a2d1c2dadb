/* sync.h - make what was written durable */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SYNC_H
#define ADL_SYNC_H

#include "adio.h"

/* Collective. Make what this rank wrote durable (MPI_File_sync); the error
 * is the same on all ranks. Returns 0 or -errno. */
int adl_sync(ADIO_File fd);

/* Local. What the hint romio_lustre_close_sync asks for before this rank's
 * descriptors are closed. Returns 0 or -errno. */
int adl_sync_to_close(ADIO_File fd);

#endif
