/* requests.h - errors of nonblocking calls reach their file's error handler
 *
 * A generalized request can report an error only by a callback that fails, and
 * MPI raises that error on MPI_COMM_WORLD: the job ends, although errors of a
 * file are to be returned. So the callbacks always succeed, and the query
 * callback leaves a note. MPI always calls it in the thread that completes the
 * request. (Since 4.1 the free callback may run in the thread that drops the
 * last reference, for example the one that has finished the I/O.) The driver
 * replaces MPI_Wait, MPI_Test and their forms (front/requests.c): these call
 * MPI's own, then, for completed requests with notes, the error handler of each
 * file, and return the error, or MPI_ERR_IN_STATUS with the errors in the
 * statuses.
 *
 * They also know whether the program waits or only tests. MPI does not say that
 * to the callback that polls a request.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REQUESTS_H
#define ADL_REQUESTS_H

#include <stdint.h>

#include "adio.h"

/* Local, from the query callback of a request whose call on `fd` failed with
 * this error code. Marks the status, if a call will read it. */
void adl_requests_note(ADIO_File fd, int code, MPI_Status *status);

/* Local, from a callback. A number for the MPI_Wait or similar call that this
 * thread is in; 0: none, and the thread must not sleep. */
int64_t adl_requests_waiting(void);

#endif
