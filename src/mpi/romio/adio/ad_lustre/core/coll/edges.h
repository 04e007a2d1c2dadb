/* edges.h - do the pieces of all ranks cover a span, each byte once?
 *
 * Every file offset has a random number. A rank adds up the numbers of the ends
 * of its pieces and takes off those of their starts; the sums of all ranks are
 * added. Where one piece ends and another starts the two numbers cancel out. So
 * a sum that is the number of the span's end less that of its start says that,
 * going through the span, as many pieces start as end at every offset inside,
 * and one starts at its start: one piece, no more and no less, lies over every
 * byte. The order of ranks and pieces does not matter, nor how they are cut.
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
