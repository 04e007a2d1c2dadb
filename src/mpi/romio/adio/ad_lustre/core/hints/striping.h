/* striping.h - the striping hints that the layout of a file comes to */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_STRIPING_H
#define ADL_STRIPING_H

#include "../layout/layout.h"
#include "../text/notes.h"
#include "hints.h"

/* How a file came by its layout. */
struct adl_creation {
    int existed;    /* it was there before */
    int asked;      /* a layout was asked for, `text` */
    int refused;    /* -errno: the file system did not want it */
    char text[256]; /* as lfs setstripe would be told */
};

/* A layout for a file that has none, so that the rest of the driver needs no
 * special case: stripes of striping_unit (1 MiB), dealt to striping_factor (or
 * as many as there are nodes) aggregators. 0 or -ENOMEM. */
int adl_striping_made_up(const struct adl_hints *h, int nodes,
                         struct adl_layout **out);
/* Put such a one into the striping hints: only what was asked for, and taken
 * for the domains, is in force. */
void adl_striping_take_made_up(struct adl_hints *h,
                               const struct adl_layout *layout);

/* Put the layout of the file `name` into them; note a refusal, and where the
 * file system did something else than it was asked. */
void adl_striping_take(struct adl_hints *h, const struct adl_layout *layout,
                       const struct adl_creation *how, const char *name,
                       struct adl_notes *notes);

#endif
