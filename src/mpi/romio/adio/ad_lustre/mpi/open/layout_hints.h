/* layout_hints.h - from the layout a file has to the hints in force */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LAYOUT_HINTS_H
#define ADL_LAYOUT_HINTS_H

#include "../file.h"

/* What came of creating or opening a file. */
struct adl_outcome {
    int existed;    /* it was there before */
    int asked;      /* a layout was asked for, `text` */
    int refused;    /* -errno: the file system did not want it */
    char text[256]; /* as lfs setstripe would be told */
};

/* Local, rank 0. A layout for a file that has none, so that the rest of the
 * driver needs no special case: stripes of striping_unit (1 MiB), dealt to
 * striping_factor (or as many as there are nodes) aggregators. Noted. 0 or
 * -ENOMEM. */
int adl_layout_hints_made_up(struct adl_file *f);

/* Local, rank 0. Put f->layout into the striping hints; note a refusal, and
 * where the file system did something else than it was asked. */
void adl_layout_hints_take(struct adl_file *f, const struct adl_outcome *out);

#endif
