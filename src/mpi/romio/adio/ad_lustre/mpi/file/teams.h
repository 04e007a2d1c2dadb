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

/* The same, with a reduction that the caller makes:
 *
 *     adl_teams_offer(comm, &offer, word);
 *     reduce the words of all ranks of `comm` to the smallest ones
 *     team = adl_teams_take(comm, &offer, word);
 */
#define ADL_TEAM_WORDS 4

struct adl_team_offer {
    struct adl_team *team; /* reserved by this rank; NULL: it has none idle */
    MPI_Group group;
};

/* adl_teams_offer: local. adl_teams_take: collective. adl_teams_withdraw:
 * local, in the place of adl_teams_take, on all ranks. */
void adl_teams_offer(MPI_Comm comm, struct adl_team_offer *offer,
                     int64_t word[ADL_TEAM_WORDS]);
struct adl_team *adl_teams_take(MPI_Comm comm, struct adl_team_offer *offer,
                                const int64_t word[ADL_TEAM_WORDS]);
void adl_teams_withdraw(struct adl_team_offer *offer);

/* Local. Give it back; `spoiled`: no file may use it any more, because messages
 * may still be under way on its communicators. Accepts NULL. */
void adl_teams_put(struct adl_team *team, int spoiled);

#endif
