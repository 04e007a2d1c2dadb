/* askspec.h - from hints to the layout to ask for
 *
 * romio_lustre_comp_layout sets the whole layout; other striping hints are then
 * ignored. Otherwise the layout is plain, and a value that no hint sets is the
 * directory's default (of a composite default: its last component's):
 *
 *   stripe count  the OST list's length, else striping_factor, else with
 *                 striping=auto the smaller of the number of OSTs and 4 for
 *                 each NIC of the nodes; times overstriping_factor
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
    int nics; /* of a node; 0: not known */
    /* file of ROMIO's shared file pointer: one stripe, whatever the hints
     * say */
    int hidden;
};

/* The stripe count of striping=auto; 0: the number of OSTs is unknown. */
int64_t adl_askspec_stripes(int64_t osts, int nodes, int nics);

/* 1: ask for `spec`; 0: the hints set no striping; else -errno with a text. The
 * caller clears spec in any case. */
int adl_askspec(const struct adl_ask *ask, struct adl_notes *notes,
                struct adl_layout_spec *spec, struct adl_err *err);

#endif
