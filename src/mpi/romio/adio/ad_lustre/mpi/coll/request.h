/* request.h - collective calls that return at once
 *
 * A generalised request around a call (call.h), which is a task of the process
 * (progress.h) until it is done: stepped whenever the process tests or waits in
 * this driver, and where there is a way, also while it does not.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REQUEST_H
#define ADL_REQUEST_H

#include "../file/access.h"

/* Collective in order, but does not wait for other ranks. Takes over what `acc`
 * refers to (also on error). The request completes like any other. 0 or
 * -errno. */
int adl_request_start(ADIO_File fd, struct adl_access *acc, int write,
                      MPI_Request *request);

#endif
