/* wishes.h - what the ranks of a node want from aggregators elsewhere, reading
 *
 * The counterpart of outbox.h. Small wishes of all the node's ranks for one
 * window meet in a block of the pool. Its courier asks for every byte once,
 * however many ranks want it; the answer comes into the same block, and every
 * rank picks what it asked for.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WISHES_H
#define ADL_WISHES_H

#include "outbox.h"

struct adl_wishes;

/* Local. `window`: bytes of one; `room`: bytes of a block of the pool, 0: this
 * rank is no courier. 0 or -ENOMEM. */
int adl_wishes_create(const struct adl_peers *peers, struct adl_pool *pool,
                      int64_t window, int64_t room, struct adl_wishes **out);
void adl_wishes_destroy(struct adl_wishes *w); /* accepts NULL */

/* Local. A new call; the unit of coverage. */
void adl_wishes_begin(struct adl_wishes *w, int shift);
/* Local. Can this rank have one more? */
int adl_wishes_has_room(const struct adl_wishes *w);
/* Local. Wish for `pack`, whose pieces begin at `ext`; the bytes will go into
 * `user`. 0: there is no room yet. */
int adl_wishes_add(struct adl_wishes *w, const struct adl_outbox_to *to,
                   const struct adl_pack *pack, const struct adl_extents *ext,
                   char *user);
/* Local. Pick what has come: how many bytes. */
int64_t adl_wishes_pick(struct adl_wishes *w);
/* Local, courier. Ask for what can be asked for. `wished`: the lowest position
 * of the node's ranks. 1: nothing is left. */
int adl_wishes_step(struct adl_wishes *w, int64_t wished);
/* Local. First error of the courier, 0 or -errno. */
int adl_wishes_error(const struct adl_wishes *w);

/* Local. What this rank still waits for: how many, and the lowest offset. */
int adl_wishes_pending(const struct adl_wishes *w);
int64_t adl_wishes_lowest(const struct adl_wishes *w);
void adl_wishes_count(struct adl_wishes *w, struct adl_traffic *sum);
/* Local. Grows whenever a message has come or gone. */
uint64_t adl_wishes_ticks(const struct adl_wishes *w);

#endif
