/* layout_private.h - inside of a layout, for the layout*.c files only */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYOUT_PRIVATE_H
#define ADL_LAYOUT_PRIVATE_H

#include "layout.h"

/* A stretch of the file with one way of mapping: a component of the mapped
 * mirror together with the extension behind it. Segments cover [0, EOF). */
struct segment {
    struct adl_stripes stripes; /* size and count resolved */
    int first;                  /* dense number of object 0 */
    int comp;
};

struct adl_layout {
    struct adl_layout_head head;
    struct adl_layout_defaults def; /* what open values were resolved with */
    int ncomps;
    int nsegs;
    int nobjects; /* of all segments */
    struct adl_component *comps;
    struct segment *segs;
    struct adl_object *objects; /* of all components */
    struct adl_lov_foreign foreign;
    void *value; /* foreign value */
};

/* Room for ncomps components and nobjects objects, all 0; NULL: no memory. */
struct adl_layout *adl_layout_alloc(int ncomps, int nobjects);

/* Check the components, then fill in the segments. */
int adl_layout_finish(struct adl_layout *layout,
                      const struct adl_layout_defaults *def,
                      struct adl_err *err);

#endif
