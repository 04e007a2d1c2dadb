/* readahead.h - what a client reads ahead: rules R1 to R8 of test/locks-2.md
 *
 * The state of one open description, in file offsets. The module only computes:
 * the caller knows what is cached and what is locked.
 *
 * The window begins at the reader's position. After the first read it grows by
 * one RPC with each read that begins where the last one ended, or that keeps a
 * constant stride. A read that misses the cache fetches up to the window's end.
 * A read that hits the cache does so only if much of the window is not fetched.
 *
 *      pos     next                    start + window
 *   ----|=======|.......................|------->
 *       fetched         not yet
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_READAHEAD_H
#define LUSTRE_SIM_READAHEAD_H

#include <stdint.h>

#define SIM_RA_WHOLE (4ULL << 20) /* files up to this are read whole */
#define SIM_RA_MAX (69ULL << 20)  /* the largest window */
/* A hit fetches if at least this much of the window is not fetched. */
#define SIM_RA_REMAIN (16ULL << 20)

struct sim_readahead {
    uint64_t rpc; /* RPC size in bytes; set before the first use */
    uint64_t last_end;
    uint64_t run;      /* bytes read in a row */
    unsigned reads;    /* in all */
    unsigned in_a_row; /* reads that followed each other */
    int grow;          /* this read makes the window larger */
    int whole;         /* a small file: all of it */
    uint64_t start, window, next;
    uint64_t stride_from, stride, stride_bytes; /* bytes of every stride */
    unsigned strides; /* strides with this distance; 2: a pattern */
};

/* The range to fetch: [from, to). If stride is not 0, only the wanted bytes of
 * every stride. */
struct sim_ahead {
    uint64_t from, to;
    uint64_t stride_from, stride, stride_bytes;
};

/* A read of [pos, pos + len), len > 0, of a file of `size` bytes begins. */
void sim_readahead_enter(struct sim_readahead *ra, uint64_t pos, uint64_t len,
                         uint64_t size);

/* The read, which ends at `end`, misses the byte at `pos`. */
void sim_readahead_miss(struct sim_readahead *ra, uint64_t pos, uint64_t end,
                        uint64_t size, struct sim_ahead *out);

/* The read at `pos` found everything. 0: nothing to fetch. */
int sim_readahead_hit(struct sim_readahead *ra, uint64_t pos, uint64_t size,
                      struct sim_ahead *out);

/* All that was planned was fetched up to `upto`. */
void sim_readahead_fetched(struct sim_readahead *ra, uint64_t upto);

#endif
