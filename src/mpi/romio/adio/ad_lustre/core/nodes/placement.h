/* placement.h - which ranks aggregate, and in which order they own objects
 *
 * A aggregators ("owners") a = 0 .. A-1 share the SC objects o = 0 .. SC-1 of a
 * file (its stripes) by this convention, which core/owner relies on:
 *
 *   A <= SC  object o belongs to aggregator o mod A: any A works, loads differ
 *            by one object at most
 *   A >= SC  object o belongs to the k aggregators o, o + SC, o + 2 SC, ... < A
 *            (k = A / SC, one more for o < A mod SC); its row r (stripe of the
 *            object) goes to the (r mod k)-th of them
 *
 * How many: cb_nodes if given, else SC x multiplier; never more than there are
 * ranks that cb_config_list allows.
 * Where: evenly over the allowed nodes (with fewer aggregators than nodes: on
 * evenly spaced nodes; consecutive objects on different nodes), within a node
 * evenly over the NUMA domains near its NICs and over ranks. With several
 * owners per object:
 *   lock mode 0     they share a node, so that one Lustre client holds the
 *                   object's locks; where no node has room for all of them,
 *                   they sit on as few nodes as possible
 *   lock mode 1, 2  they sit on different nodes: locks do not conflict, and
 *                   every client adds bandwidth
 * A stride n > 0 takes ranks 0, n, 2n, ..., then 1, n + 1, ...; a list takes
 * those ranks in that order.
 *
 * Memory: O(nodes + aggregators); with a stride or a list also a word per rank.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PLACEMENT_H
#define ADL_PLACEMENT_H

#include "../hints/hints.h"
#include "nodemap.h"
#include "../text/notes.h"

struct adl_place_ask {
    const struct adl_nodemap *nodes;
    int64_t objects;         /* SC; 0 is taken as 1 */
    int64_t multiplier;      /* owners per object */
    int64_t cb_nodes;        /* 0: automatic */
    int64_t stride;          /* <= 0: spread */
    int64_t lock_mode;       /* 0, 1, 2 */
    const char *config_list; /* NULL: *:* */
    const char *list;        /* ranks, e.g. "0,8,16-31" or "0-127:8"; NULL */
};

struct adl_placement {
    int count; /* A >= 1 */
    int *rank; /* [count], all different */
    int *node; /* [count], index in the node map */
    /* number of objects whose owners could not share a node (mode 0) */
    int split;
};

/* What the hints ask for. */
struct adl_place_ask adl_place_ask_of(const struct adl_hints *h,
                                      const struct adl_nodemap *nodes,
                                      int64_t objects);

/* Choose the aggregators. A request that cannot be met is noted. 0, -EINVAL (no
 * ranks at all), -ENOMEM. The caller destroys *out. */
int adl_place(const struct adl_place_ask *ask, struct adl_notes *notes,
              struct adl_placement **out);

/* Accepts NULL. */
void adl_placement_destroy(struct adl_placement *p);

#endif
