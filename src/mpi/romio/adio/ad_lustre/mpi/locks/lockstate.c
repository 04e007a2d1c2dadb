/* lockstate.c - what a file keeps about its Lustre locks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "lockstate.h"

#include <stdlib.h>
#include <string.h>

void adl_lockstate_init(struct adl_lockmode *lm)
{
    memset(lm, 0, sizeof(*lm));
    lm->fd = -1;
    lm->lo = INT64_MAX;
}

void adl_lockstate_fini(struct adl_lockmode *lm)
{
    adl_lockwindow_destroy(lm->window[0]);
    adl_lockwindow_destroy(lm->window[1]);
    free(lm->ask);
    adl_lockstate_init(lm);
}
