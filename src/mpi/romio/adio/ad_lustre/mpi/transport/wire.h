/* wire.h - messages of a file's collective calls: headers and bytes
 *
 * To write, a rank sends a header and then the bytes. To read, it sends a
 * header, and the aggregator sends the bytes. A header has at most
 * ADL_HEADER_MAX bytes (core/messages/message.h), and an aggregator always has
 * receives posted for headers. The bytes have a tag that their header names.
 * The aggregator receives them when the window has a buffer; until then they
 * stay at the sender. In a call of few bytes they travel in the header.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WIRE_H
#define ADL_WIRE_H

#include <stdint.h>

#include "adio.h"

#include "../../core/messages/traffic.h"
#include "../file/tags.h"

/* What a rank's sender, forwarder and receiver share. */
struct adl_wire {
    const MPI_Comm *comm;       /* of the file that uses the engine */
    const int *agg_rank;        /* [aggregators] */
    int ranks;                  /* of the file */
    struct adl_traffic traffic; /* of the call */
    uint64_t ticks;             /* grows whenever a message begins or ends */
    int rc;                     /* first error of the call, 0 or -errno */
};

/* Local. The first error counts. */
static inline void adl_wire_fail(struct adl_wire *wire, int rc)
{
    if (rc < 0 && wire->rc == 0)
        wire->rc = rc;
}

#endif
