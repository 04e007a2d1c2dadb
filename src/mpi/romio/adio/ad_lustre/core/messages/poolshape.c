/* poolshape.c - how the node's memory for messages is divided into blocks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "poolshape.h"

#define PAGE 4096
#define BLOCK_MIN (16 << 10)
#define BLOCK_MAX ((1 << 20) + (128 << 10)) /* a stripe and its description */
#define BLOCKS 56                           /* that a pool has at the least */

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* As many blocks as there are aggregators need not be: the ranks go through the
 * file in order, and a block that is full or that others wait for is sent. They
 * are large, so that what a node has for a window is one message; but no larger
 * than that can be, nor than what is sent well in one piece. */
int64_t adl_pool_room(int64_t size, int64_t window)
{
    int64_t room = size / BLOCKS;
    int64_t most = window + window / 4 + PAGE;

    room = room < BLOCK_MAX ? room : BLOCK_MAX;
    room = room < most ? room : most;
    room = room > BLOCK_MIN ? room : BLOCK_MIN;
    return round_up(room, PAGE);
}

int adl_pool_count(int64_t size, int64_t window)
{
    int64_t n = size / adl_pool_room(size, window);

    return n < 2 * ADL_POOL_RESERVE ? 2 * ADL_POOL_RESERVE : (int)n;
}

int64_t adl_pool_heads(int count, int naggs, int nranks)
{
    return round_up(ADL_POOL_HEAD + (int64_t)nranks * ADL_POOL_QUEUE +
                        round_up((int64_t)naggs * ADL_POOL_WINDOWS * 4, 64) +
                        (int64_t)count * ADL_POOL_BLOCK,
                    PAGE);
}

int64_t adl_pool_memory(int64_t size, int naggs, int nranks, int64_t window)
{
    int count = adl_pool_count(size, window);

    return adl_pool_heads(count, naggs, nranks) +
           count * adl_pool_room(size, window);
}
