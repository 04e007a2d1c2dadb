/* send.h - a rank sends its pieces to aggregators on other nodes, or requests
 * them
 *
 * The pieces of a cell are sent in parts. A part of at least ADL_DIRECT_MIN
 * bytes has messages of its own: a header with the runs, then the bytes,
 * straight from the user's memory (in a write, such a part must be one range of
 * memory). In a read the bytes come straight into the user's memory, or through
 * a buffer if they are not one range there. All other parts are put into a
 * block of the pool (node/pool.h), together with parts of the node's other
 * ranks, and the aggregator's forwarding rank sends the block (forward.h). In a
 * read the answer comes into the same block, and every rank copies what it
 * asked for.
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SEND_H
#define ADL_SEND_H

#include "../../core/coll/extents.h"
#include "../../core/coll/terms.h"
#include "../../core/coll/window.h"
#include "../../node/pool.h"
#include "wire.h"

struct adl_send;

/* For a pool with blocks of `room` bytes; `window`: bytes of a window. 0 or
 * -ENOMEM. */
int adl_send_create(struct adl_wire *wire, struct adl_pool *pool,
                    int64_t window, int64_t room, struct adl_send **out);
void adl_send_destroy(struct adl_send *s); /* accepts NULL */

/* The aggregator that the pieces of a cell go to, or come from. */
struct adl_send_to {
    const struct adl_terms *terms;
    const struct adl_window *window; /* the schedule */
    const struct adl_cell *cell;
    int forwarder; /* rank of the node that sends its blocks there */
    char *user;    /* the user's buffer */
    int device;    /* device memory: MPI gets a copy in host memory */
};

/* Send the next part of the cell, or (reading) the request for it. `ext` moves
 * behind the part. 0: there is no room yet. */
int adl_send_part(struct adl_send *s, const struct adl_send_to *to,
                  struct adl_extents *ext);

/* Complete the sends that are done, and copy received bytes into the user's
 * buffer. Returns the number of these bytes. */
int64_t adl_send_step(struct adl_send *s);
/* adl_send_busy: the number of parts under way that this rank waits for. The
 * other: the lowest file offset in them, INT64_MAX: none. */
int adl_send_busy(const struct adl_send *s);
int64_t adl_send_lowest(const struct adl_send *s);

#endif
