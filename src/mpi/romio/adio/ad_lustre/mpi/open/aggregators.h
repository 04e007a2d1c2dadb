/* aggregators.h - chooses the aggregators from the node map */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_AGGREGATORS_H
#define ADL_AGGREGATORS_H

#include "../../core/nodes/placement.h"
#include "../file/file.h"

/* Local, rank 0. Choose the aggregators: f->aggs, and the hint cb_nodes. 0 or
 * -errno. */
int adl_aggregators_place(struct adl_file *f, const struct adl_nodemap *map);

/* Local. Put a placement into f->aggs: arrays of `count` int, of any alignment.
 * 0 or -ENOMEM. */
int adl_aggregators_take(struct adl_file *f, int count, const void *rank,
                         const void *node);

#endif
