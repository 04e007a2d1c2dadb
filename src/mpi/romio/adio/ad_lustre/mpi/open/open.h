/* open.h - opening and closing a file
 *
 * Rank 0 creates or opens the file first and broadcasts the result. Then the
 * aggregators open it. Any other rank opens the file when it first reads or
 * writes it itself (descriptor.h). For ROMIO the file is open on all ranks from
 * the start, so that all ranks close it together and all learn of an error on
 * one of them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OPEN_H
#define ADL_OPEN_H

#include "adio.h"

/* Collective. The whole of OpenColl; needs the state that the first SetInfo
 * made. The error is the same on all ranks. 0 or -errno. */
int adl_open_coll(ADIO_File fd, int amode);

/* Collective. Close what is open. Returns the worst error of all ranks. */
int adl_open_end(ADIO_File fd);

#endif
