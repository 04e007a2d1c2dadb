/* file.c - the state of an open file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "teams.h"
#include "../progress/progress.h"

/* ---- the open files ---- */

static void enter_file(struct adl_file *f)
{
    struct adl_job *job = adl_job();

    f->next = job->files;
    job->files = f;
}

static void remove_file(const struct adl_file *f)
{
    struct adl_job *job = adl_job();
    struct adl_file **at = &job->files;

    while (*at && *at != f)
        at = &(*at)->next;
    if (*at)
        *at = f->next;
    adl_job_leave(job);
}

struct adl_file *adl_file_with_info(MPI_Info info)
{
    struct adl_file *f = adl_job()->files;

    while (f && f->fd->info != info)
        f = f->next;
    return f;
}

/* ---- making one ---- */

static void free_file(struct adl_file *f)
{
    if (f->report)
        f->report(f);
    if (f->engine_free)
        f->engine_free(f->engine);
    adl_teams_put(f->team, f->spoiled);
    remove_file(f);
    adl_locks_fini(&f->locks);
    free(f->aggs.rank);
    free(f->aggs.node);
    adl_owner_destroy(f->owner);
    adl_layout_destroy(f->layout);
    adl_hints_release(&f->hints);
    adl_notes_release(&f->notes);
    adl_overdue_forget(&f->overdue);
    free(f->name);
    free(f);
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    free_file(value);
    return MPI_SUCCESS;
}

/* The key is freed at once: it lives on in the attribute, until that goes. So
 * no process-wide key has to be kept, and none is left at MPI_Finalize. */
static int attach(MPI_Comm comm, struct adl_file *f)
{
    int key, rc;

    rc = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key,
                                 NULL);
    if (rc != MPI_SUCCESS)
        return -ENOMEM;
    rc = PMPI_Comm_set_attr(comm, key, f);
    PMPI_Comm_free_keyval(&key);
    return rc == MPI_SUCCESS ? 0 : -ENOMEM;
}

static void comm_failed(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    adl_progress_failed(*code);
}

/* The file's communicator has inherited the error handler of the user's. The
 * handle is freed at once, as the key above. */
static int guard_comm(MPI_Comm comm)
{
    MPI_Errhandler handler;
    int rc = PMPI_Comm_create_errhandler(comm_failed, &handler);

    if (rc != MPI_SUCCESS)
        return -ENOMEM;
    rc = PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    return rc == MPI_SUCCESS ? 0 : -ENOMEM;
}

int adl_file_create(ADIO_File fd, struct adl_file **out)
{
    struct adl_file *f = calloc(1, sizeof(*f));
    int rc = guard_comm(fd->comm);

    if (rc < 0 || !f) {
        free(f);
        return -ENOMEM;
    }
    rc = -ENOMEM;
    f->comm = fd->comm;
    f->aggs.mine = -1;
    f->retired_fd = -1;
    adl_locks_init(&f->locks);
    PMPI_Comm_rank(fd->comm, &f->rank);
    PMPI_Comm_size(fd->comm, &f->nprocs);
    f->name = strdup(fd->filename);
    if (!f->name || adl_hints_init(&f->hints))
        goto err;
    rc = attach(fd->comm, f);
    if (rc < 0) {
        adl_hints_release(&f->hints);
        goto err;
    }
    f->overdue = (struct adl_overdue_file){.comm = f->comm, .name = f->name};
    adl_overdue_know(&f->overdue);
    f->fd = fd;
    enter_file(f);
    fd->fs_ptr = *out = f;
    return 0;
err:
    free(f->name);
    free(f);
    return rc;
}

int adl_file_schedule(struct adl_file *f)
{
    if (f->owner)
        return 0;
    return adl_owner_create(f->layout, f->aggs.count, &f->owner);
}
