/* open.h - opening and closing a file
 *
 * Rank 0 creates or opens the file, alone; it tells the others what came of it.
 * Then the aggregators open it, and nobody else: a rank that needs its own
 * descriptor later (independent I/O) opens it then (descriptor.h). For ROMIO
 * the file is open on all ranks from the start, so that all of them close it,
 * together, and learn of an error that only one of them met.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OPEN_H
#define ADL_OPEN_H

#include "adio.h"

/* Collective. The whole of OpenColl; needs the state that the first SetInfo
 * made. The error is the same on all ranks. 0 or -errno. */
int adl_open_coll(ADIO_File fd, int amode);

/* Collective. Close what is open; the worst error of all ranks. */
int adl_open_end(ADIO_File fd);

#endif
