/* job.c - what a process remembers from file to file */
#include "job.h"

#include <mpi.h>
#include <stdlib.h>

/* The one thing that cannot hang on something else: the key to find it by. */
static int job_key = MPI_KEYVAL_INVALID;

static int delete_job(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct adl_job *job = value;

    (void)comm;
    (void)keyval;
    (void)extra;
    adl_notes_release(&job->seen);
    adl_hintspec_destroy(job->hints);
    adl_topology_destroy(job->topology);
    free(job);
    return MPI_SUCCESS;
}

static struct adl_job *make_job(void)
{
    struct adl_job *job = calloc(1, sizeof(*job));

    if (job && MPI_Comm_set_attr(MPI_COMM_SELF, job_key, job) != MPI_SUCCESS) {
        free(job);
        job = NULL;
    }
    return job;
}

struct adl_job *adl_job(void)
{
    struct adl_job *job;
    int found = 0;

    if (job_key == MPI_KEYVAL_INVALID &&
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_job, &job_key,
                               NULL) != MPI_SUCCESS)
        return NULL;
    MPI_Comm_get_attr(MPI_COMM_SELF, job_key, &job, &found);
    return found ? job : make_job();
}
