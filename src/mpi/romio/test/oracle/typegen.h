/* typegen.h - random recipes of datatypes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_TYPEGEN_H
#define ORACLE_TYPEGEN_H

#include "../../adio/ad_lustre/core/test/random.h"
#include "recipe.h"

struct typegen {
    struct rng *rng;
    struct arena *arena;
    int any_order; /* memory: blocks in any order, negative places */
    int64_t unit;  /* gaps are multiples of it */
};

/* A tree of about `budget` leaves, at most `depth` levels above them. Bytes do
 * not overlap; without any_order they come in increasing order from 0 on. */
struct recipe *typegen_tree(struct typegen *g, struct recipe *leaf,
                            int64_t budget, int depth);

/* One of `n` equally likely numbers, 0 <= it < n. */
static inline int pick(struct rng *rng, int n)
{
    return (int)rng_in(rng, 0, n - 1);
}

/* Small numbers as likely as large ones, in [1, most]. */
int64_t pick_size(struct rng *rng, int64_t most);

#endif
