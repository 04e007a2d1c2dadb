/* surveys.c - the surveys that a job has made */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "surveys.h"

#include <stddef.h>

#include "job.h"

static struct adl_survey *find(struct adl_job *job, MPI_Group group)
{
    int i, same;

    for (i = 0; i < ADL_JOB_SURVEYS; i++) {
        struct adl_survey *s = job->survey[i];

        if (!s)
            continue;
        PMPI_Group_compare(group, s->group, &same);
        if (same == MPI_IDENT)
            return s;
    }
    return NULL;
}

/* In the place of the one that was not used for the longest time. */
static void store(struct adl_job *job, struct adl_survey *s)
{
    int i, oldest = 0;

    for (i = 0; i < ADL_JOB_SURVEYS; i++) {
        if (!job->survey[i]) {
            oldest = i;
            break;
        }
        if (job->survey[i]->used < job->survey[oldest]->used)
            oldest = i;
    }
    adl_survey_destroy(job->survey[oldest]);
    job->survey[oldest] = s;
}

/* Collective. Ranks open different files in different order: what one still
 * has, another may have dropped. */
static int all_have(MPI_Comm comm, const struct adl_survey *s)
{
    int mine = s != NULL, all = mine, size;

    PMPI_Comm_size(comm, &size);
    if (size > 1)
        PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

static void drop(struct adl_job *job, struct adl_survey *s)
{
    int i;

    for (i = 0; s && i < ADL_JOB_SURVEYS; i++)
        if (job->survey[i] == s)
            job->survey[i] = NULL;
    adl_survey_destroy(s);
}

struct adl_survey *adl_surveys_get(MPI_Comm comm)
{
    struct adl_job *job = adl_job();
    struct adl_survey *s;
    MPI_Group group;

    PMPI_Comm_group(comm, &group);
    s = find(job, group);
    if (all_have(comm, s)) {
        PMPI_Group_free(&group);
    } else {
        drop(job, s);
        s = adl_survey_make(comm, group);
        store(job, s);
    }
    s->used = ++job->surveys;
    return s;
}
