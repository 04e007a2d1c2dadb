/* teams.h - the teams that a job has made */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEAMS_H
#define ADL_TEAMS_H

#include "team.h"

/* The number of teams that are kept while no file uses them: a program uses few
 * groups. */
#define ADL_TEAMS_IDLE 4

/* Collective. Return a team of the ranks of `comm`: a kept one, or a new one.
 * The caller uses it until adl_teams_put. A kept team costs one reduction. */
struct adl_team *adl_teams_get(MPI_Comm comm);

/* Local. Give it back; `spoiled`: no file may use it any more, because messages
 * may still be under way on its communicators. Accepts NULL. */
void adl_teams_put(struct adl_team *team, int spoiled);

#endif
