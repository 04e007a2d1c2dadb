/* alloc.h - choose the objects of a component
 *
 * Objects are placed round robin over the OSTs (of the pool, if one is named),
 * starting where the last allocation ended or at the requested OST. Object
 * numbers grow on each OST and are never used twice, so that no object inherits
 * the locks of another. The counters are in ROOT/.lustre-sim/alloc. Callers
 * hold the metadata lock.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_ALLOC_H
#define LUSTRE_SIM_ALLOC_H

#include "conf.h"
#include "core/layout/layout.h"

struct sim_alloc {
    int fd;
    uint32_t next; /* the next OST */
    uint64_t oid[SIM_MAX_OSTS];
};

/* Read the counters (all 0 at first) and write them back. end accepts an
 * alloc whose begin failed. */
int sim_alloc_begin(const struct sim_conf *c, struct sim_alloc *a);
int sim_alloc_end(struct sim_alloc *a);

/* The stripe count for a request: the default, all OSTs, or the requested
 * number as far as there are OSTs. */
int sim_alloc_count(const struct sim_conf *c, const struct adl_component *t);

/* -EINVAL if Lustre would refuse the stripe size, the pattern or the list of
 * OSTs. */
int sim_alloc_check(const struct sim_conf *c, const struct adl_component *t);

/* Allocate the objects of `comp`, which is a checked template. objs has room
 * for ADL_LOV_MAX_STRIPES. Stripe size, count and form become those of a file.
 */
void sim_alloc_objects(const struct sim_conf *c, struct sim_alloc *a,
                       struct adl_component *comp, struct adl_object *objs);

#endif
