/* blockreach.h - how far the lock of a rank's own block should reach */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BLOCKREACH_H
#define ADL_BLOCKREACH_H

#include <stdint.h>

#include "claim.h"

/* [start, end) of the file; start >= end: nothing. */
struct adl_blockreach {
    int64_t start, end;
};

/* `r` is a block of this rank, in a call `all` whose blocks lie apart. To the
 * next rank's block, where all blocks have one size and one distance; only the
 * pages that the block has to itself, where it ends inside one: a lock is on
 * whole pages, and two ranks would ask for the same. */
void adl_blockreach_whole(struct adl_blockreach *r,
                          const struct adl_claim *all);

#endif
