/* owner.h - which aggregator owns which stripe
 *
 * Objects of a layout are numbered one component after the other. With A
 * aggregators and SC the largest stripe count of a component there are
 * G = min(A, SC) groups; object number o belongs to group o mod G, and the
 * aggregators g, g + G, g + 2G, ... < A form group g. A group of k aggregators
 * takes the rows of its objects in turn: row r goes to the (r mod k)-th. So
 * with A <= SC every object has one owner, for any A, and owners differ by at
 * most one object a component.
 *
 * An owner's stripes inside a component, in file order, are its sequence:
 * seq = 0, 1, 2, ... counted from offset 0 of the file (a component that starts
 * later starts with a larger seq).
 *
 *   stripes  0 1 2 3 4 | 5 6 7 8 9      SC = 5, A = 2
 *   owner    0 1 0 1 0 | 0 1 0 1 0
 *   seq      0 0 1 1 2 | 3 2 4 3 5
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OWNER_H
#define ADL_OWNER_H

#include <stdint.h>

struct adl_layout;
struct adl_owner; /* immutable */

/* A stripe, clipped to its component. Fields are read-only for callers. */
struct adl_stripe {
    int64_t start, end; /* file range [start, end) */
    int64_t origin;     /* file offset where the unclipped stripe starts */
    int64_t seq;        /* place in the owner's sequence of this component */
    int64_t row;        /* stripe row = index of the stripe in its object */
    int comp;           /* component */
    int object;         /* object inside the component */
    int owner;          /* aggregator index */
    int lap, nth;       /* private: object = nth * G + lap */
};

/* Components are those of the layout's mapped mirror that have an extent,
 * numbered from 0. Offsets past the end of a layout that ends before EOF belong
 * to its last component. The result does not refer to the layout. 0, -EINVAL
 * (no mapping, or naggs < 1) or -ENOMEM. */
int adl_owner_create(const struct adl_layout *layout, int naggs,
                     struct adl_owner **out);
void adl_owner_destroy(struct adl_owner *owner); /* accepts NULL */

int adl_owner_naggs(const struct adl_owner *owner);
int adl_owner_ncomps(const struct adl_owner *owner);
/* The first byte of a component; its stripe size. */
int64_t adl_owner_start(const struct adl_owner *owner, int comp);
int64_t adl_owner_stripe_size(const struct adl_owner *owner, int comp);

/* The stripe that holds file offset `off` >= 0. It needs divisions: call it
 * once per stripe. */
void adl_owner_locate(const struct adl_owner *owner, int64_t off,
                      struct adl_stripe *stripe);
/* Step to the next stripe of the file; not past INT64_MAX. It needs a division
 * only where a component begins or a group has several members. */
void adl_owner_next(const struct adl_owner *owner, struct adl_stripe *stripe);
/* Inverse: stripe number `seq` of aggregator `agg` in component `comp`.
 * 0, or -ENOENT when it lies outside the component (empty after clipping) or
 * the aggregator has no object there. */
int adl_owner_stripe(const struct adl_owner *owner, int agg, int comp,
                     int64_t seq, struct adl_stripe *stripe);
/* The first stripe of `agg` with a byte at or after `off`. 0 or -ENOENT. */
int adl_owner_first_at(const struct adl_owner *owner, int agg, int64_t off,
                       struct adl_stripe *stripe);

#endif
