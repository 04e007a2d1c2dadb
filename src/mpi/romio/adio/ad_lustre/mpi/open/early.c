/* early.c - the first agreement of an open */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "early.h"

#include "../../sys/section.h"
#include "../file/teams.h"
#include "adio_extern.h"

enum { AMODE, NOT_AMODE, HINTS, LUSTRE, TEAM, WORDS = TEAM + ADL_TEAM_WORDS };

/* What the open that this thread is in has agreed on. */
static __thread struct {
    long call; /* of ROMIO; 0: nothing */
    MPI_Comm comm;
    struct adl_team_offer offer;
    int64_t word[ADL_TEAM_WORDS];
} agreed;

void adl_early_forget(void)
{
    if (agreed.call)
        adl_teams_withdraw(&agreed.offer);
    agreed.call = 0;
}

void adl_early_agree(MPI_Comm comm, struct adl_early *early)
{
    int64_t mine[WORDS], all[WORDS];
    int rank;

    adl_early_forget(); /* of an open that failed on its way */
    PMPI_Comm_rank(comm, &rank);
    mine[AMODE] = early->amode;
    mine[NOT_AMODE] = -mine[AMODE];
    mine[HINTS] = ADIOI_syshints != MPI_INFO_NULL;
    mine[LUSTRE] = rank == 0 ? early->on_lustre : 1;
    adl_teams_offer(comm, &agreed.offer, &mine[TEAM]);
    agreed.call = adl_section_call();
    agreed.comm = comm;
    PMPI_Allreduce(mine, all, WORDS, MPI_INT64_T, MPI_MIN, comm);
    for (int i = 0; i < ADL_TEAM_WORDS; i++)
        agreed.word[i] = all[TEAM + i];
    early->differ = all[AMODE] != -all[NOT_AMODE];
    early->hints = (int)all[HINTS];
    early->on_lustre = (int)all[LUSTRE];
}

struct adl_team *adl_early_team(MPI_Comm comm)
{
    int valid =
        agreed.call && agreed.call == adl_section_call() && agreed.comm == comm;

    if (!valid)
        return adl_teams_get(comm);
    agreed.call = 0;
    return adl_teams_take(comm, &agreed.offer, agreed.word);
}
