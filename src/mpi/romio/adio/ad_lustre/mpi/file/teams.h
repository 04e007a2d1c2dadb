/* teams.h - the teams that a job has made */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEAMS_H
#define ADL_TEAMS_H

#include "team.h"

/* Teams that are kept while no file has them: a program uses few groups. */
#define ADL_TEAMS_IDLE 4

/* Collective. A team of the ranks of `comm`, from the job's store or new; the
 * caller has it until adl_teams_put. One reduction where it is in store. */
struct adl_team *adl_teams_get(MPI_Comm comm);

/* Local. Give it back; `spoiled`: no file may use it any more, because messages
 * may still be under way on its communicators. Accepts NULL. */
void adl_teams_put(struct adl_team *team, int spoiled);

#endif
