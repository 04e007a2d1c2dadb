/* blocklock.h - a rank's locks for blocks that it writes itself
 *
 * In a collective call whose blocks no two ranks share (core/coll/choice.h)
 * many clients write to one object. By default the server grants the first of
 * them a lock on the whole object, calls it back for the second, and so on.
 * Here every rank first asks for exactly its own block:
 *
 *   object  |  rank 0  |  rank 1  |  rank 2  |     no lock reaches over
 *            [        )[         )[         )      another rank's block
 *
 * If all gaps between the blocks have one size, the calls that follow usually
 * fill them. Then the lock reaches to the next rank's block, and the later
 * calls need no lock.
 *
 *   call 1  |AA      |BB      |CC      |
 *            [      ) [      ) [      )
 *
 * A refused lock costs time only: the write then gets its own lock.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BLOCKLOCK_H
#define ADL_BLOCKLOCK_H

#include "../file/access.h"

/* Local, when the start agreement of a write begins: what this rank knows of
 * locks goes into its claim. */
void adl_blocklock_claim(ADIO_File fd, const struct adl_access *acc,
                         struct adl_claim *claim);

/* Local, before this rank writes `acc`, its part of the call `all`. */
void adl_blocklock_take(ADIO_File fd, const struct adl_access *acc,
                        const struct adl_claim *all);

/* Local. The file was truncated or its locks were given back: forget what this
 * rank has locked. */
void adl_blocklock_forget(struct adl_file *f);

#endif
