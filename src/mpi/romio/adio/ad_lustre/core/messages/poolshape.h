/* poolshape.h - how the node's memory for messages is divided into blocks
 *
 * The arithmetic of node/pool.h alone, for callers without shared memory.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_POOLSHAPE_H
#define ADL_POOLSHAPE_H

#include <stdint.h>

#define ADL_POOL_WINDOWS 4 /* most open windows of an aggregator */
/* Blocks reserved for the rank with the lowest position. */
#define ADL_POOL_RESERVE 2

/* Room for the heads: of the pool, of a rank's queue, of a block. */
#define ADL_POOL_HEAD 128
#define ADL_POOL_QUEUE 64
#define ADL_POOL_BLOCK 80

/* The room for parts in a block of a pool of `size` bytes. */
int64_t adl_pool_room(int64_t size, int64_t window);
/* The number of blocks of such a pool. */
int adl_pool_count(int64_t size, int64_t window);
/* The bytes of all heads together, and of the whole pool. */
int64_t adl_pool_heads(int count, int naggs, int nranks);
int64_t adl_pool_memory(int64_t size, int naggs, int nranks, int64_t window);

#endif
