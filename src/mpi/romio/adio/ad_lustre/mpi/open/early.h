/* early.h - the first agreement of an open
 *
 * The ranks reduce together what ROMIO and the driver would ask one after the
 * other: is amode the same on all ranks, has every rank read the system's
 * hints, does rank 0 see the file on Lustre, which team (file/teams.h) do all
 * ranks have. front/fstype.c begins it, where ROMIO asks for the file's file
 * system; the open that follows takes the team.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_EARLY_H
#define ADL_EARLY_H

#include "adio.h"

#include "../file/team.h"

struct adl_early {
    int amode;     /* this rank's */
    int on_lustre; /* as rank 0 sees it; the others' is set */
    int differ;    /* result: amode is not the same on all ranks */
    int hints;     /* result: all ranks have read the system's hints */
};

/* Collective. Fill in the results. Until adl_early_team or adl_early_forget, in
 * the same call of ROMIO, a team is reserved for this open. */
void adl_early_agree(MPI_Comm comm, struct adl_early *early);

/* Collective. The team of this open. Without an agreement before it there is
 * one here. The caller gives it back by adl_teams_put. */
struct adl_team *adl_early_team(MPI_Comm comm);
/* Local. The open needs no team. */
void adl_early_forget(void);

#endif
