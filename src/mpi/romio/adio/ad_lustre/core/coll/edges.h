/* edges.h - do the pieces of all ranks cover a span, each byte once?
 *
 * Every file offset has a random number. A rank adds the numbers of the ends of
 * its pieces and subtracts the numbers of their starts; then the sums of all
 * ranks are added. Where one piece ends and another starts, the two numbers
 * cancel. If the total is the number of the span's end minus the number of its
 * start, then at every offset inside the span as many pieces start as end, and
 * one piece starts at the span's start: exactly one piece covers every byte.
 * The order of ranks and pieces does not matter.
 *
 * The probability that other pieces have the same sum is 1 in 2^64.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_EDGES_H
#define ADL_EDGES_H

#include <stdint.h>

/* The number of an offset: a permutation of 64 bits in which every bit of the
 * result depends on every bit of the offset. */
static inline uint64_t adl_edge(int64_t off)
{
    uint64_t x = (uint64_t)off + UINT64_C(0x5851f42d4c957f2d);

    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 29)) * UINT64_C(0x9fb21c651e98df25);
    return x ^ (x >> 32);
}

/* What the piece [start, end) adds to the sum. */
static inline uint64_t adl_edges_of(int64_t start, int64_t end)
{
    return adl_edge(end) - adl_edge(start);
}

#endif
