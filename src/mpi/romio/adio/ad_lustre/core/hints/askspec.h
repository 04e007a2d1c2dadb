/* askspec.h - from hints to the layout to ask for
 *
 * romio_lustre_comp_layout says everything and stands alone. Otherwise the
 * layout is plain, and what no hint says is the directory's (of a composite
 * default: its last component's):
 *
 *   stripe count  the OST list's length, else striping_factor, else with
 *                 striping=auto the smaller of the number of OSTs and 4 for
 *                 each node; times overstriping_factor
 *   stripe size   striping_unit
 *   first OST     start_iodevice (not with a list)
 *   pool          romio_lustre_pool
 *
 * striping_factor counts OSTs: with overstriping_factor k each gets k stripes.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ASKSPEC_H
#define ADL_ASKSPEC_H

#include "hints.h"
#include "../layout/layspec.h"

struct adl_ask {
    const struct adl_hints *hints;
    const struct adl_layout *inherited; /* or NULL: not known */
    int osts;                           /* 0: not known */
    int nodes;
    int hidden; /* one stripe, whatever the hints say */
};

/* 1: `spec` is to be asked for, 0: the hints ask for nothing, else -errno with
 * a text. The caller clears spec in any case. */
int adl_askspec(const struct adl_ask *ask, struct adl_notes *notes,
                struct adl_layout_spec *spec, struct adl_err *err);

#endif
