/* inflight.h - a list of active MPI requests, each with a number
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INFLIGHT_H
#define ADL_INFLIGHT_H

#include <stdint.h>

#include "wire.h"

#define ADL_INFLIGHT 96 /* most requests at a time */

struct adl_inflight {
    struct adl_wire *wire; /* set by the owner */
    int n;
    MPI_Request request[ADL_INFLIGHT];
    int id[ADL_INFLIGHT];
};

struct adl_arrival {
    int id;
    MPI_Status status;
};

/* Begin to send or to receive bytes, a request with number `id`. `sync`: a send
 * that is complete when its receiver has begun to receive. */
void adl_inflight_send(struct adl_inflight *f, int id, const void *buf,
                       int64_t bytes, int to, int tag, int sync);
void adl_inflight_receive(struct adl_inflight *f, int id, void *buf,
                          int64_t bytes, int from, int tag);
/* Remove the completed requests. Returns their number, and their list in
 * out[ADL_INFLIGHT]. */
int adl_inflight_poll(struct adl_inflight *f, struct adl_arrival *out);
/* The number of bytes of a completed receive. */
int adl_inflight_bytes(const struct adl_arrival *a);
/* Cancel receives for which no message will come any more. */
void adl_inflight_cancel(struct adl_inflight *f);

#endif
