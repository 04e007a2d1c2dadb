/* striping.h - sets the striping hints to the layout that a file has */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_STRIPING_H
#define ADL_STRIPING_H

#include "../layout/layout.h"
#include "../text/notes.h"
#include "hints.h"

/* How a file got its layout. */
struct adl_creation {
    int existed;    /* the file existed before */
    int asked;      /* a layout was asked for, `text` */
    int refused;    /* -errno: the file system refused it */
    char text[256]; /* in the options of lfs setstripe */
};

/* A layout for a file that has none, so that the rest of the driver needs no
 * special case: stripes of striping_unit (1 MiB), dealt to striping_factor (or
 * as many as there are nodes) aggregators. 0 or -ENOMEM. */
int adl_striping_made_up(const struct adl_hints *h, int nodes,
                         struct adl_layout **out);
/* Set the striping hints to such a layout: only hints that were requested and
 * used for the layout are in force. */
void adl_striping_take_made_up(struct adl_hints *h,
                               const struct adl_layout *layout);

/* Set the striping hints to the layout of the file `name`. Note a layout that
 * the file system refused or changed. */
void adl_striping_take(struct adl_hints *h, const struct adl_layout *layout,
                       const struct adl_creation *how, const char *name,
                       struct adl_notes *notes);

#endif
