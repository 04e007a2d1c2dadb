/* errcode.h - makes MPI error codes, and prints a line about what failed
 *
 * Files return error codes by default, and many programs do not look at them.
 * The hint romio_lustre_on_error says whether a failed call also prints a line,
 * or ends the job. One line for each kind of call (open, read, write, sync,
 * set_size, close) on a file: the rank where a collective call failed prints
 * it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ERRCODE_H
#define ADL_ERRCODE_H

#include "../../core/coll/outcome.h"
#include "adio.h"

/* The one place where a -errno becomes an MPI error code (0: MPI_SUCCESS). */
int adl_error_code(ADIO_File fd, const char *where, int rc);
/* Of a collective call: also says on which rank and where in the file. */
int adl_outcome_code(ADIO_File fd, const char *where,
                     const struct adl_outcome *outcome);

#endif
