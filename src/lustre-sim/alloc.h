/* alloc.h - choose the objects of a component
 *
 * Round robin over the OSTs (of the pool, if one is named), starting where
 * the last allocation ended or at the OST asked for. Object numbers count up
 * per OST and are never given twice, so an object's lock history is its own.
 * The counters are in ROOT/.lustre-sim/alloc; call under the metadata lock.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LUSTRE_SIM_ALLOC_H
#define LUSTRE_SIM_ALLOC_H

#include "conf.h"
#include "core/layout/layout.h"

struct sim_alloc {
    int fd;
    uint32_t next; /* OST that comes next */
    uint64_t oid[SIM_MAX_OSTS];
};

/* Read the counters (all 0 at first) and write them back. end accepts an
 * alloc whose begin failed. */
int sim_alloc_begin(const struct sim_conf *c, struct sim_alloc *a);
int sim_alloc_end(struct sim_alloc *a);

/* What a request's stripe count comes to: default, all, clamped. */
int sim_alloc_count(const struct sim_conf *c, const struct adl_component *t);

/* -EINVAL where Lustre refuses: stripe size, pattern, OSTs named. */
int sim_alloc_check(const struct sim_conf *c, const struct adl_component *t);

/* Give `comp`, so far a checked template, its objects: objs has room for
 * ADL_LOV_MAX_STRIPES. Changes size, count and form to what files have. */
void sim_alloc_objects(const struct sim_conf *c, struct sim_alloc *a,
                       struct adl_component *comp, struct adl_object *objs);

#endif
