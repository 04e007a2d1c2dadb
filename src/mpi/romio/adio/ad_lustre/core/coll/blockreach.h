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

/* `r` holds a block of this rank, in a call `all` whose blocks do not overlap.
 * The function changes `r` to the range that this rank should lock. If all
 * blocks have the same size and the same distance, the range ends where the
 * next rank's block begins. A page that the block covers only in part is left
 * out: Lustre locks whole pages, and two ranks would ask for the same page. */
void adl_blockreach_whole(struct adl_blockreach *r,
                          const struct adl_claim *all);

/* Take the first part off the range, up to a stripe border, where each stripe
 * of it is on an object of its own: `objects` have stripes of size `stripe` in
 * turn. A longer range is one part, because a lock of it has all its stripes on
 * an object. 0: nothing is left. */
int adl_blockreach_part(struct adl_blockreach *rest, int64_t stripe,
                        int objects, struct adl_blockreach *part);

#endif
