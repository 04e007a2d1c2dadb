/* outbox.h - what the ranks of a node write to aggregators elsewhere
 *
 * Small parts of all the node's ranks meet in the pool's blocks; here a rank
 * adds its own and, as the courier of some aggregators, sends the blocks that
 * can go. But for lazy calls a send is complete when the aggregator has taken
 * the message.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OUTBOX_H
#define ADL_OUTBOX_H

#include "../../core/messages/packing.h"
#include "../../core/coll/window.h"
#include "peers.h"
#include "../../node/pool.h"

struct adl_outbox;

/* Local. 0 or -ENOMEM. */
int adl_outbox_create(const struct adl_peers *peers, struct adl_pool *pool,
                      struct adl_outbox **out);
void adl_outbox_destroy(struct adl_outbox *box); /* accepts NULL */

/* Local. A new call. `lazy`: nobody needs to know when an aggregator has taken
 * a message, and all of them together are few enough to wait in its memory. */
void adl_outbox_begin(struct adl_outbox *box, int lazy);

/* Where a packed part goes. */
struct adl_outbox_to {
    const struct adl_cell *cell;
    int64_t call;
    int64_t window_end;
    int courier; /* rank of the node */
};

/* Local. Room for a part with `pack`'s bytes: where they go, or NULL: none yet.
 * Then adl_outbox_sealed. */
char *adl_outbox_add(struct adl_outbox *box, const struct adl_outbox_to *to,
                     const struct adl_pack *pack);
void adl_outbox_sealed(struct adl_outbox *box);

/* Local. Send what can go, see what has arrived. `placed`: the lowest position
 * of the node's ranks. 1: nothing of the node is left with this courier. */
int adl_outbox_step(struct adl_outbox *box, int64_t placed);

/* Local. Messages and bytes since the last time. */
void adl_outbox_count(struct adl_outbox *box, struct adl_traffic *sum);
/* Local. Grows whenever a message has come or gone. */
uint64_t adl_outbox_ticks(const struct adl_outbox *box);

#endif
