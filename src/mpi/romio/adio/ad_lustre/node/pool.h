/* pool.h - the node's memory for messages to aggregators elsewhere
 *
 * Each node has one pool, in its segment. Its size does not depend on the
 * numbers of aggregators, ranks and nodes. It is divided into blocks. The ranks
 * of the node put their parts (core/messages/message.h) of one window into one
 * block. The aggregator's forwarding rank, a rank of this node, sends the block
 * when no rank of the node can have more for that window, when the block is
 * full, or when ranks wait for a block.
 *
 *   free -> open (parts are added) -> closed -> taken (being sent) -> free
 *
 * A rank that finds no free block waits. The last blocks are reserved for the
 * rank with the lowest position on the node, because the aggregators need its
 * bytes first. The ranks publish their positions: `placed` in a write, `asked`
 * in a read. A rank must publish its position after every part, also inside a
 * cell. Otherwise the rank with the lowest position would not be recognised as
 * such, and would wait for ever.
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
    int64_t answer;     /* reading: bytes of the answer to it */
};

/* A block that its forwarder has taken. */
struct adl_pool_block {
    int index;
    int agg;
    int64_t window;
    char *bytes;
    size_t size;
};

/* Local on each rank of the node. The node's rank 0 initialises the shared
 * part; the other ranks may use the pool when all ranks have created the
 * segment. 0 or -ENOMEM. */
int adl_pool_create(struct adl_segment *seg, int64_t size, int naggs,
                    int64_t window, struct adl_pool **out);
void adl_pool_destroy(struct adl_pool *pool); /* accepts NULL */

/* Local, at the start of a call. `reading`: the parts are read requests. */
void adl_pool_begin(struct adl_pool *pool, int reading);
/* Local. Is there room for a part that begins at `start`? Cheap; the answer may
 * be outdated when it is used. If there is none, this rank counts as waiting.
 */
int adl_pool_has_room(const struct adl_pool *pool, int64_t start);
/* Local. Find room for a part in a block of its window. Returns the place for
 * its bytes, and the block's number; NULL: no block is free, try again later.
 * Call adl_pool_filled when the bytes are in place. `forwarder`: the rank of
 * the node that will send the block.
 */
char *adl_pool_add(struct adl_pool *pool, const struct adl_pool_part *part,
                   int forwarder, int *block);
void adl_pool_filled(struct adl_pool *pool, int block, size_t size);

/* Local, forwarding rank. Take the next block that can be sent. 1, or 0: none.
 * `placed`: the lowest position of the node's ranks. `last`: this rank can send
 * only one more message. Then only the block with the lowest offset is taken,
 * and only if no rank of the node can add a lower one later. Otherwise messages
 * that no aggregator receives yet could occupy all sends, and the message that
 * every rank waits for would never be sent. */
int adl_pool_take(struct adl_pool *pool, int64_t placed, int last,
                  struct adl_pool_block *out);
/* Local, forwarding rank. The block's bytes were sent (writing), or all ranks
 * have copied the answer (reading). */
void adl_pool_free(struct adl_pool *pool, int block);
/* Local. Does this rank have blocks to send? */
int adl_pool_queued(const struct adl_pool *pool);

/* Local. The lowest file offset in any block of the node, or in any that is
 * `queued`, not taken yet; ADL_POS_END: none. */
int64_t adl_pool_lowest(const struct adl_pool *pool, int queued);

/* Reading: a block of requests becomes the answer to them. Local, forwarding
 * rank: `got` bytes of the answer are in the block, after its first `head`
 * bytes.
 */
void adl_pool_answered(struct adl_pool *pool, int block, int64_t head,
                       int64_t got);
/* Local. 1: the answer has come; returns where it is. A rank then calls
 * adl_pool_picked for every part that it added. The last such call frees the
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
