/* forward.h - a rank sends its node's blocks to aggregators elsewhere
 *
 * Every node has a forwarding rank for each aggregator on another node. This
 * rank sends the blocks of the pool (node/pool.h) that are ready. In a read it
 * requests every byte of a block once, even if several ranks want it; the
 * answer comes into the block.
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FORWARD_H
#define ADL_FORWARD_H

#include "../../core/coll/terms.h"
#include "../../node/pool.h"
#include "wire.h"

struct adl_forward;

/* `window`: bytes of a window; `room`: bytes of a block. 0 or -ENOMEM. */
int adl_forward_create(struct adl_wire *wire, struct adl_pool *pool,
                       int64_t window, int64_t room, struct adl_forward **out);
void adl_forward_destroy(struct adl_forward *f); /* accepts NULL */

/* Prepare for a new call. `small`: no rank needs to know when an aggregator has
 * received a message, and all messages of the call fit into the aggregator's
 * memory. */
void adl_forward_begin(struct adl_forward *f, const struct adl_terms *terms,
                       int small);
/* Send the blocks that are ready, and take the answers that have come. `pos`:
 * the lowest position of the node's ranks. 1: nothing is left. */
int adl_forward_step(struct adl_forward *f, int64_t pos);

#endif
