/* job.c - what a process remembers from file to file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "job.h"

#include <stdlib.h>

#include "adio.h"
#include "team.h"

/* Two things cannot hang on something else: the key by which the state is
 * found, and the state itself after its attribute is gone. */
static int job_key = MPI_KEYVAL_INVALID;

/* In MPI_Finalize: the state, as long as it has open files. Else NULL. */
static struct adl_job *late;

/* Idle teams, or all of them. */
static void destroy_teams(struct adl_job *job, int busy_too)
{
    struct adl_team **at = &job->teams;

    while (*at) {
        struct adl_team *t = *at;

        if (t->busy && !busy_too) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        adl_team_destroy(t);
    }
}

static void destroy_job(struct adl_job *job)
{
    destroy_teams(job, 1);
    adl_notes_release(&job->seen);
    adl_hintspec_destroy(job->hints);
    ADIOI_Free(job);
}

static int delete_job(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct adl_job *job = value;

    (void)comm;
    (void)keyval;
    (void)extra;
    if (job->at_end)
        job->at_end(job);
    job->at_end = NULL;
    if (job->files) {
        late = job;
        destroy_teams(job, 0);
    } else {
        destroy_job(job);
    }
    return MPI_SUCCESS;
}

void adl_job_leave(struct adl_job *job)
{
    if (job != late || job->files)
        return;
    late = NULL;
    destroy_job(job);
}

static struct adl_job *make_job(void)
{
    struct adl_job *job = ADIOI_Calloc(1, sizeof(*job));

    PMPI_Comm_set_attr(MPI_COMM_SELF, job_key, job);
    return job;
}

struct adl_job *adl_job(void)
{
    struct adl_job *job;
    int found = 0;

    if (job_key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_job, &job_key,
                                NULL);
    PMPI_Comm_get_attr(MPI_COMM_SELF, job_key, &job, &found);
    if (found)
        return job;
    return late ? late : make_job();
}

struct adl_filesystem *adl_job_filesystem(uint64_t dev)
{
    struct adl_filesystem *fs = &adl_job()->filesystem;

    if (fs->dev != dev)
        *fs = (struct adl_filesystem){.dev = dev};
    return fs;
}

int adl_job_has_gathered(const struct adl_job *job,
                         const struct adl_inode *inode)
{
    for (int i = 0; i < ADL_JOB_GATHERED && i < job->ngathered; i++)
        if (job->gathered[i].number == inode->number &&
            job->gathered[i].dev == inode->dev)
            return 1;
    return 0;
}

void adl_job_add_gathered(struct adl_job *job, const struct adl_inode *inode)
{
    if (!adl_job_has_gathered(job, inode))
        job->gathered[job->ngathered++ % ADL_JOB_GATHERED] = *inode;
}
