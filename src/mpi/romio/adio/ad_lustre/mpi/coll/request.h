/* request.h - collective calls that return at once
 *
 * A generalised request stands for a call (call.h). The call is a task of the
 * process (progress.h) until it is done. It advances whenever the process tests
 * or waits in this driver; progress.h says when it also advances outside.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_REQUEST_H
#define ADL_REQUEST_H

#include "../file/access.h"

/* Local, but in the same order on all ranks; does not wait for other ranks.
 * From here on the request owns the memory that `acc` refers to, also after an
 * error. 0 or -errno. */
int adl_request_start(ADIO_File fd, struct adl_access *acc, int write,
                      MPI_Request *request);

#endif
