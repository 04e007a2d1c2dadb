/* wire.h - messages of a file's collective calls: headers and bytes
 *
 * To write, a rank sends a header and then the bytes; to read, a header, and
 * the bytes come back. Headers are of at most ADL_HEADER_MAX bytes
 * (core/messages/message.h): an aggregator always has receives posted for them.
 * What is longer has a tag that its header names, and the aggregator receives
 * it when the window has a buffer: until then it waits at its sender.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WIRE_H
#define ADL_WIRE_H

#include <stdint.h>

#include "adio.h"

#include "../../core/messages/traffic.h"
#include "../file/tags.h"

struct adl_peers {
    const MPI_Comm *comm; /* of the file that has the engine */
    const int *agg_rank;  /* [aggregators] */
    int ranks;            /* of the file */
};

#endif
