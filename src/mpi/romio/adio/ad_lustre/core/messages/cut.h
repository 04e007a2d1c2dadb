/* cut.h - the parts in which the pieces of a cell are sent, or requested
 *
 * A part has messages of its own, or it is in a block of the node's pool
 * together with parts of other ranks (node/pool.h). A part ends on a multiple
 * of the coverage's unit: all pieces of the call do, and so does a cut.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CUT_H
#define ADL_CUT_H

#include <stdint.h>

#include "../coll/terms.h"
#include "../coll/window.h"
#include "packing.h"

/* The pieces that are cut. */
struct adl_cut {
    const struct adl_terms *terms;
    const struct adl_cell *cell;
    struct adl_pattern *pattern; /* has the description of the last part */
    int64_t room;                /* bytes of a block */
    int device; /* memory of a device: it counts as more than one range */
};

/* Describe the next part. `ext` moves behind it. 1: it may have messages of its
 * own. It has at least ADL_DIRECT_MIN bytes, its description fits into a
 * header, and in a write the bytes are one range of memory. */
int adl_cut_alone(const struct adl_cut *cut, struct adl_extents *ext,
                  struct adl_pack *pack);

/* Make a part that was described from `from` on so small that it fits into a
 * block. `ext` moves behind it. */
void adl_cut_block(const struct adl_cut *cut, const struct adl_extents *from,
                   struct adl_extents *ext, struct adl_pack *pack);

/* Reading: bytes of a block that the answer to a part may need. */
int64_t adl_cut_answer(const struct adl_pack *pack);

#endif
