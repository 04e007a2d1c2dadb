/* pool.h - the node's memory for messages to aggregators elsewhere
 *
 * One pool a node, in the segment, of a fixed size whatever the number of
 * aggregators, ranks and nodes. It is cut into blocks. Ranks of the node put
 * their parts (core/messages/message.h) of one window into one block; a rank of
 * the node, the aggregator's courier, sends it when nobody of the node can have
 * more for that window, when it is full, or when others wait for a block.
 *
 *   free -> open (parts are added) -> closed -> taken (being sent) -> free
 *
 * Who finds no block waits. The last blocks are kept for the rank that is
 * behind all others of the node: its data is what everybody waits for in the
 * end.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_POOL_H
#define ADL_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "../core/messages/poolshape.h"
#include "segment.h"

/* Of a pool whose size nobody chose, at the least. */
#define ADL_POOL_DEFAULT (64 << 20)

struct adl_pool;

/* What a rank of the node wants to send. */
struct adl_pool_part {
    int agg;
    int64_t call;
    int64_t window;
    int64_t start;      /* file offset of its first byte */
    int64_t window_end; /* nobody who is past it has more for the window */
    size_t size;        /* bytes in the message */
    int64_t answer;     /* reading: bytes that will come back for it */
};

/* A block that its courier has taken. */
struct adl_pool_block {
    int index;
    int agg;
    int64_t window;
    char *bytes;
    size_t size;
};

/* Local, but collective in effect: the node's rank 0 lays it out; others may
 * use it after the segment's creation has ended for all. 0 or -ENOMEM. */
int adl_pool_create(struct adl_segment *seg, int64_t size, int naggs,
                    int64_t window, struct adl_pool **out);
void adl_pool_destroy(struct adl_pool *pool); /* accepts NULL */

/* Local. Could a part be added now? A cheap look, not a promise; if not, this
 * rank counts as one that waits. */
int adl_pool_has_room(const struct adl_pool *pool, int64_t start);
/* Local. Room for a part in a block of its window: where it goes, and the
 * block's number; NULL: none is free, try again later. After the bytes are
 * there: adl_pool_filled. `courier`: the rank of the node that will send it. */
char *adl_pool_add(struct adl_pool *pool, const struct adl_pool_part *part,
                   int courier, int *block);
void adl_pool_filled(struct adl_pool *pool, int block, size_t size);

/* Local, courier. The next block of this rank that can go; `placed`: the lowest
 * position of the node's ranks. 1, or 0: none. `last`: the courier can send
 * only one more. That one must be what everybody may be waiting for, and no
 * rank of the node may come with less later: else sends that nobody takes yet
 * would keep it back for ever. */
int adl_pool_take(struct adl_pool *pool, int64_t placed, int last,
                  struct adl_pool_block *out);
/* Local, courier. Its bytes are where they belong. */
void adl_pool_free(struct adl_pool *pool, int block);
/* Local. Does this rank have blocks to send? */
int adl_pool_queued(const struct adl_pool *pool);

/* Local. The lowest file offset in any block of the node, or in any that has
 * not been taken yet; ADL_POS_END: none. */
int64_t adl_pool_lowest(const struct adl_pool *pool);
int64_t adl_pool_lowest_queued(const struct adl_pool *pool);

/* Reading: a block of wishes becomes the answer to them. Local, courier: the
 * bytes have come, `got` of them, behind `head` bytes of the block. */
void adl_pool_answered(struct adl_pool *pool, int block, int64_t head,
                       int64_t got);
/* Local: 1 if so, and where they are. Then, for every part that was added:
 * adl_pool_picked; the last one frees the block. */
int adl_pool_answer(const struct adl_pool *pool, int block,
                    const char **message, const char **bytes, int64_t *got);
void adl_pool_picked(struct adl_pool *pool, int block);
/* Local. This rank cannot go on until its blocks have been sent. */
void adl_pool_hurry(struct adl_pool *pool);
/* Local. Does somebody wait for a block? */
int adl_pool_short(const struct adl_pool *pool);
/* Local. The bell that rings when a block is free. */
struct adl_bell *adl_pool_bell(struct adl_pool *pool);
/* Local. The most bytes of blocks that were in use at a time. */
int64_t adl_pool_peak(const struct adl_pool *pool);

#endif
