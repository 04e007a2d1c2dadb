/* local.h - bytes between a rank and the aggregators of its own node
 *
 * Their windows are in the node's shared memory (node/segment.h): a rank copies
 * into them and marks what it has copied, or copies out of them what it reads.
 * All functions are local, and the window of the cell is admitted, or ready
 * (node/windows.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCAL_H
#define ADL_LOCAL_H

#include "../../node/windows.h"
#include "../file/access.h"

struct adl_local {
    ADIO_File fd;
    struct adl_access *acc;
    int64_t bytes; /* reading: that came into the user's buffer */
    int rc;        /* first error, -errno */
    int64_t rc_offset;
};

/* Copy the pieces of `ext` that lie in the cell into the window or out of it;
 * mark that they are wanted. `ext` moves behind them. */
void adl_local_put(struct adl_local *l, const struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext);
void adl_local_get(struct adl_local *l, const struct adl_sink *sink,
                   const struct adl_cell *cell, struct adl_extents *ext);
void adl_local_ask(const struct adl_sink *sink, const struct adl_cell *cell,
                   struct adl_extents *ext);

#endif
