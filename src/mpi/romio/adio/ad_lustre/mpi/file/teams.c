/* teams.c - the teams that a job has made */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "teams.h"

#include <stddef.h>

#include "job.h"

static int is_of(const struct adl_team *t, MPI_Group group)
{
    int same;

    PMPI_Group_compare(group, t->group, &same);
    return same == MPI_IDENT;
}

/* The first team that no file uses, in the order in which they were made. A
 * team without a map of the nodes (malloc failed) is of no use to the next
 * file. */
static struct adl_team *find_idle(struct adl_job *job, MPI_Group group)
{
    struct adl_team *t = job->teams;

    while (t && (t->busy || t->rc < 0 || !is_of(t, group)))
        t = t->next;
    return t;
}

static void append_team(struct adl_job *job, struct adl_team *t)
{
    struct adl_team **end = &job->teams;

    while (*end)
        end = &(*end)->next;
    *end = t;
}

static void drop(struct adl_job *job, struct adl_team *t)
{
    struct adl_team **at = &job->teams;

    while (*at && *at != t)
        at = &(*at)->next;
    if (*at)
        *at = t->next;
    adl_team_destroy(t);
}

/* What the ranks have to agree on: ranks open different files in different
 * order, so that what one has idle another may have in use, or dropped. A new
 * team has rank 0's next number: two that are made at the same time by two
 * threads must not have the same. */
enum { OLD, NOT_OLD, NEXT, KEPT };

void adl_teams_offer(MPI_Comm comm, struct adl_team_offer *offer,
                     int64_t word[ADL_TEAM_WORDS])
{
    struct adl_job *job = adl_job();
    struct adl_team *t;
    int rank;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_group(comm, &offer->group);
    t = find_idle(job, offer->group);
    if (t)
        t->busy = 1; /* before another thread looks */
    offer->team = t;
    word[OLD] = t ? t->id : 0;
    word[NOT_OLD] = -word[OLD];
    word[NEXT] = rank == 0 ? ++job->last_team : INT64_MAX;
    word[KEPT] = t && t->kept;
}

void adl_teams_withdraw(struct adl_team_offer *offer)
{
    if (offer->team)
        offer->team->busy = 0;
    if (offer->group != MPI_GROUP_NULL)
        PMPI_Group_free(&offer->group);
    offer->team = NULL;
}

struct adl_team *adl_teams_take(MPI_Comm comm, struct adl_team_offer *offer,
                                const int64_t word[ADL_TEAM_WORDS])
{
    struct adl_job *job = adl_job();
    struct adl_team *t = offer->team;

    if (word[OLD] > 0 && word[OLD] == -word[NOT_OLD]) {
        PMPI_Group_free(&offer->group);
        if (!word[KEPT])
            adl_team_forget(t);
    } else {
        if (t)
            t->busy = 0;
        t = adl_team_make(comm, offer->group);
        t->id = word[NEXT];
        t->busy = 1;
        append_team(job, t);
    }
    t->used = ++job->teams_used;
    return t;
}

struct adl_team *adl_teams_get(MPI_Comm comm)
{
    int64_t mine[ADL_TEAM_WORDS], all[ADL_TEAM_WORDS];
    struct adl_team_offer offer;
    int size;

    PMPI_Comm_size(comm, &size);
    adl_teams_offer(comm, &offer, mine);
    if (size > 1)
        PMPI_Allreduce(mine, all, ADL_TEAM_WORDS, MPI_INT64_T, MPI_MIN, comm);
    return adl_teams_take(comm, &offer, size > 1 ? all : mine);
}

/* Only one idle team keeps the memory of its last file; only a few are kept at
 * all. */
static void tidy(struct adl_job *job, const struct adl_team *last)
{
    struct adl_team *oldest = NULL;
    int idle = 0;

    for (struct adl_team *t = job->teams; t; t = t->next) {
        if (t->busy)
            continue;
        idle++;
        if (t != last)
            adl_team_forget(t);
        if (!oldest || t->used < oldest->used)
            oldest = t;
    }
    if (idle > ADL_TEAMS_IDLE)
        drop(job, oldest);
}

void adl_teams_put(struct adl_team *team, int spoiled)
{
    struct adl_job *job = adl_job();

    if (!team)
        return;
    if (spoiled) {
        drop(job, team);
        return;
    }
    team->busy = 0;
    tidy(job, team);
}
