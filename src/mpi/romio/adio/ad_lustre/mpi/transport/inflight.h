/* inflight.h - MPI's requests that are under way, each with a number
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INFLIGHT_H
#define ADL_INFLIGHT_H

#include <stdint.h>

#include "adio.h"

#define ADL_INFLIGHT 96 /* at a time */

struct adl_inflight {
    int n;
    uint64_t ticks; /* grows whenever one has begun or ended */
    MPI_Request request[ADL_INFLIGHT];
    int id[ADL_INFLIGHT];
};

struct adl_arrival {
    int id;
    MPI_Status status;
};

/* One more, number `id`: where its request goes. */
MPI_Request *adl_inflight_add(struct adl_inflight *f, int id);
/* Those that are done: how many; out[ADL_INFLIGHT]. */
int adl_inflight_poll(struct adl_inflight *f, struct adl_arrival *out);
/* Bytes of one that was a receive. */
int adl_inflight_bytes(const struct adl_arrival *a);
/* Cancel receives for which no message will come any more. */
void adl_inflight_cancel(struct adl_inflight *f);

#endif
