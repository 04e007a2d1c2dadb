/* layask.h - questions about a layout that only tools ask */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYASK_H
#define ADL_LAYASK_H

#include "../mpi/romio/adio/ad_lustre/core/layout/layout.h"

#include <errno.h>

/* ADL_LCME_FL_INIT, or a plain layout with objects (or on an MDT). */
static inline int adl_layask_instantiated(const struct adl_layout *layout,
                                          int i)
{
    const struct adl_component *c = adl_layout_component(layout, i);

    if (adl_layout_head(layout)->composite)
        return !!(c->flags & ADL_LCME_FL_INIT);
    return c->nobjects > 0 || (c->pattern & 0xffff) == ADL_LOV_PATTERN_MDT;
}

/* The inverse of adl_layout_locate: first file offset of a row of an object, by
 * dense number. -ERANGE: that row does not lie in the object's component. */
static inline int adl_layask_offset(const struct adl_layout *layout, int number,
                                    int64_t row, int64_t *offset)
{
    const struct adl_stripes *s;
    int i = 0, first;
    int64_t origin;

    if (number < 0 || number >= adl_layout_objects(layout) || row < 0)
        return -ERANGE;
    do
        s = adl_layout_striping(layout, i++, &first);
    while (number >= first + s->count);
    if (adl_stripes_origin(s, row, number - first, &origin) ||
        origin >= s->end || origin <= s->start - s->size)
        return -ERANGE;
    *offset = adl_stripes_begin(s, origin);
    return 0;
}

/* The offset inside the object. */
static inline int64_t adl_layask_object_off(const struct adl_layout *layout,
                                            const struct adl_place *place)
{
    struct adl_home home;

    adl_layout_home(layout, place->number, &home);
    return place->row * home.stripe_size + place->off % home.stripe_size;
}

#endif
