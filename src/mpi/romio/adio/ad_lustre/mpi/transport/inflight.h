/* inflight.h - a list of active MPI requests, each with a number
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INFLIGHT_H
#define ADL_INFLIGHT_H

#include <stdint.h>

#include "adio.h"

#define ADL_INFLIGHT 96 /* most requests at a time */

struct adl_inflight {
    int n;
    uint64_t ticks; /* grows whenever a request begins or ends */
    MPI_Request request[ADL_INFLIGHT];
    int id[ADL_INFLIGHT];
};

struct adl_arrival {
    int id;
    MPI_Status status;
};

/* Add a request with number `id`. Returns the place where the caller stores it.
 */
MPI_Request *adl_inflight_add(struct adl_inflight *f, int id);
/* Remove the completed requests. Returns their number, and their list in
 * out[ADL_INFLIGHT]. */
int adl_inflight_poll(struct adl_inflight *f, struct adl_arrival *out);
/* The number of bytes of a completed receive. */
int adl_inflight_bytes(const struct adl_arrival *a);
/* Cancel receives for which no message will come any more. */
void adl_inflight_cancel(struct adl_inflight *f);

#endif
