/* plan.h - reuses the shape of the last collective call for the next one
 *
 * A call has the same shape as the call before if every rank accesses the same
 * pieces, all moved by the same distance: time steps of a simulation, or a
 * restart file that is read back. A rank then need not walk through its file
 * view again. And if the pieces of the call before covered every byte of the
 * span exactly once, so do the pieces of this call.
 *
 * Such a call is exact: a writing rank neither marks the bytes it has placed
 * nor says when it is done. An owner writes a window as soon as it has counted
 * all the window's bytes.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PLAN_H
#define ADL_PLAN_H

#include <stdint.h>

#include "claim.h"

/* What one rank accesses in the file. The first group of fields identifies the
 * shape; the second group follows from the first. */
struct adl_shape {
    int64_t view;  /* number of the file view */
    int64_t phase; /* data bytes of the view's type before the access */
    int64_t bytes;
    int64_t start; /* first file offset; of an empty access: any */

    int64_t below;  /* bytes from the lowest offset to `start`, mostly 0 */
    int64_t span;   /* from the lowest to after the highest byte */
    int64_t pieces; /* in the file */
    int64_t bits;   /* OR of offsets and lengths within the view */
    int tangled;    /* its pieces do not ascend, see extents.h */
};

/* A rank with at most this many pieces adds up its edges (edges.h) at every
 * call: that costs less than a message. */
#define ADL_PLAN_PIECES 1024

/* One rank's memory of the last call. Starts as zeros. */
struct adl_plan {
    struct adl_shape last;
    int known; /* there was a call */
    int exact; /* every byte of its span comes once; the same on all ranks */
    /* known: no byte of its span comes twice; the same on all ranks */
    int apart;
};

/* Only in a call of at most this many pieces does the driver check whether they
 * all have one size and one distance, and so do not overlap. */
#define ADL_PLAN_REGULAR 65536

/* Local. 1 if `now` is the last shape at another offset; then its second group
 * of fields is filled in. */
int adl_plan_recall(const struct adl_plan *plan, struct adl_shape *now);

/* Local. Remembers `now`, and puts into the claim what the other ranks must
 * know of it. Must be called in the order of the collective calls. */
void adl_plan_propose(struct adl_plan *plan, const struct adl_shape *now,
                      struct adl_claim *claim);

/* Local, same on all ranks. After the start agreement: 1 if the call is known
 * to be exact. `plan->apart` then says whether its pieces are known not to
 * overlap: they are exact, one a rank in the order of the ranks, or all of one
 * size at one distance. */
int adl_plan_agreed(struct adl_plan *plan, const struct adl_claim *all);

#endif
