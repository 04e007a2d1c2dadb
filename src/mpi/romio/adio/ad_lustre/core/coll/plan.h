/* plan.h - what a collective call has taught about the next one
 *
 * A call has the shape of the one before when every rank accesses what it
 * accessed then, all of it moved by the same distance: time steps of a
 * simulation, a restart that is read back. Then
 * the rank need not look through its view again to say what it asks for; and if
 * the call before had every byte of its span once, so has this one.
 *
 * A call of which that is known is exact: nobody marks what he covers (writing)
 * or says when he has no more, and owners move whole stretches as soon as as
 * many bytes have come or gone as they are long.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PLAN_H
#define ADL_PLAN_H

#include <stdint.h>

#include "claim.h"

/* What one rank accesses in the file. The first group tells shapes apart, the
 * second follows from it. */
struct adl_shape {
    int64_t view;  /* number of the file view */
    int64_t phase; /* data bytes of the view's type before the access */
    int64_t bytes;
    int64_t start; /* first file offset; of an empty access: any */

    int64_t span;   /* from the first to after the last byte */
    int64_t pieces; /* in the file */
    int64_t bits;   /* OR of offsets and lengths within the view */
};

/* A shape of so many pieces is looked through for its edges (edges.h) at every
 * call, which costs less than a message. */
#define ADL_PLAN_PIECES 1024

/* One rank's memory of the last call. Starts as zeros. */
struct adl_plan {
    struct adl_shape last;
    int known; /* there was a call */
    int exact; /* every byte of its span once; the same on all ranks */
};

/* Local. Is `now` the last shape, moved? Then complete it and say 1. */
int adl_plan_recall(const struct adl_plan *plan, struct adl_shape *now);

/* Local. Remember `now` and put it into the claim, as far as others have to
 * know. In the order of the calls. */
void adl_plan_propose(struct adl_plan *plan, const struct adl_shape *now,
                      struct adl_claim *claim);

/* Local, same on all ranks. After the start agreement: 1 if the call is known
 * to be exact. */
int adl_plan_agreed(struct adl_plan *plan, const struct adl_claim *all);

#endif
