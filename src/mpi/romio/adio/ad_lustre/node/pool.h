/* pool.h - the node's memory for messages to aggregators elsewhere
 *
 * One pool a node, in the segment, of a fixed size whatever the number of
 * aggregators, ranks and nodes. It is cut into blocks. Ranks of the node put
 * their parts (core/messages/message.h) of one window into one block. A rank of
 * the node, the aggregator's forwarding rank, sends it when no rank of the node
 * can have more for that window, when it is full, or when others wait for a
 * block.
 *
 *   free -> open (parts are added) -> closed -> taken (being sent) -> free
 *
 * A rank that finds no block waits. The last blocks are kept for the rank that
 * is behind all others of the node: the aggregators wait for its bytes in the
 * end. That rank is found by the positions that the ranks publish: `placed` in
 * a write, `asked` in a read. A rank must publish its position after every
 * part, also inside a cell: a rank whose published position is older than its
 * next part would itself count as one that is ahead, and wait for ever.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_POOL_H
#define ADL_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "../core/messages/poolshape.h"
#include "segment.h"

/* Least size of a pool whose size no hint sets. */
#define ADL_POOL_DEFAULT (64 << 20)

struct adl_pool;

/* What a rank of the node wants to send. */
struct adl_pool_part {
    int agg;
    int64_t call;
    int64_t window;
    int64_t start;      /* file offset of its first byte */
    int64_t window_end; /* a rank past it has no more for the window */
    size_t size;        /* bytes in the message */
    int64_t answer;     /* reading: bytes that will come back for it */
};

/* A block that its forwarder has taken. */
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

/* Local, at the start of a call. `reading`: the parts are read requests. */
void adl_pool_begin(struct adl_pool *pool, int reading);
/* Local. Could a part be added now? The answer is cheap and may be outdated at
 * once. If it is no, this rank counts as one that waits. */
int adl_pool_has_room(const struct adl_pool *pool, int64_t start);
/* Local. Find room for a part in a block of its window. Returns the place for
 * its bytes, and the block's number; NULL: no block is free, try again later.
 * Call adl_pool_filled when the bytes are in place. `forwarder`: the rank of
 * the node that will send the block.
 */
char *adl_pool_add(struct adl_pool *pool, const struct adl_pool_part *part,
                   int forwarder, int *block);
void adl_pool_filled(struct adl_pool *pool, int block, size_t size);

/* Local, forwarding rank. The next block that this rank can send; `placed`: the
 * lowest position of the node's ranks. 1, or 0: none. `last`: this rank can
 * send only one more message. That message must be the one with the lowest
 * offset, and no rank of the node may add a lower one later. Otherwise messages
 * that no aggregator receives yet could use up all sends, and the one that
 * every rank waits for would never go. */
int adl_pool_take(struct adl_pool *pool, int64_t placed, int last,
                  struct adl_pool_block *out);
/* Local, forwarding rank. The block's bytes were sent (writing), or all ranks
 * have copied the answer (reading). */
void adl_pool_free(struct adl_pool *pool, int block);
/* Local. Does this rank have blocks to send? */
int adl_pool_queued(const struct adl_pool *pool);

/* Local. The lowest file offset in any block of the node, or in any that has
 * not been taken yet; ADL_POS_END: none. */
int64_t adl_pool_lowest(const struct adl_pool *pool);
int64_t adl_pool_lowest_queued(const struct adl_pool *pool);

/* Reading: a block of requests becomes the answer to them. Local, forwarding
 * rank: the bytes have come, `got` of them, behind `head` bytes of the block.
 */
void adl_pool_answered(struct adl_pool *pool, int block, int64_t head,
                       int64_t got);
/* Local. 1 if the answer has come, and where it is. A rank then calls
 * adl_pool_picked for every part that it added; the last such call frees the
 * block. */
int adl_pool_answer(const struct adl_pool *pool, int block,
                    const char **message, const char **bytes, int64_t *got);
void adl_pool_picked(struct adl_pool *pool, int block);
/* Local. This rank cannot go on until its blocks have been sent. */
void adl_pool_hurry(struct adl_pool *pool);
/* Local. Does a rank wait for a block? */
int adl_pool_short(const struct adl_pool *pool);
/* Local. The bell that rings when a block is free. */
struct adl_bell *adl_pool_bell(struct adl_pool *pool);
/* Local. The largest number of bytes of blocks in use so far. */
int64_t adl_pool_peak(const struct adl_pool *pool);

#endif
