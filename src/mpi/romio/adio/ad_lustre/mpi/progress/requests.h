/* requests.h - errors of nonblocking calls reach their file's error handler
 *
 * MPI knows no error of a generalized request but one of its callbacks, which
 * it raises on MPI_COMM_WORLD: the job ends, though the file's errors are to be
 * returned. So the callbacks always succeed, and one leaves a note: that for
 * the status, which MPI calls in the thread that completes the request, always
 * (the one that frees it may come in another: since 4.1 whoever drops the last
 * reference, the thread that has finished the I/O perhaps). MPI_Wait,
 * MPI_Test and the like stand in front of MPI's own (requests.c); after MPI's
 * have completed a request with a note they call the error handler of the file
 * and return the error, or MPI_ERR_IN_STATUS with the error in the status.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REQUESTS_H
#define ADL_REQUESTS_H

#include "../../core/coll/outcome.h"
#include "adio.h"

/* Local, from the query callback of a request whose call on `fd` failed. Marks
 * the status, if there is somebody to look at it. */
void adl_requests_note(ADIO_File fd, const struct adl_outcome *outcome,
                       MPI_Status *status);

#endif
