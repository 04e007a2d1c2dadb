/* failure.c - where an error came from, for its text */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "failure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../progress/progress.h"
#include "file.h"

int adl_failure_note(struct adl_file *f, const char *call, int64_t offset,
                     int rc)
{
    struct adl_failure *note = &f->failure;

    if (rc >= 0 || (note->rc == rc && offset == ADL_NO_OFFSET))
        return rc;
    note->rc = rc;
    note->rank = f->rank;
    note->offset = offset;
    snprintf(note->call, sizeof(note->call), "%s", call);
    return rc;
}

int adl_failure_rw(struct adl_file *f, const char *call, int64_t offset, int rc)
{
    int world;

    adl_failure_note(f, call, offset, rc);
    if (rc < 0 && f->hints.abort_on_rw_error == ADL_ENABLE) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &world);
        adl_progress_abort("%s: %s failed on rank %d: %s; abort_on_rw_error is "
                           "set",
                           f->name, call, world, strerror(-rc));
    }
    return rc;
}

int adl_failure_share(struct adl_file *f, int rc)
{
    int mine = f->failure.rc == rc ? f->rank : INT_MAX, first;

    if (rc >= 0 || f->nprocs == 1)
        return rc;
    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, f->comm);
    if (first != INT_MAX)
        PMPI_Bcast(&f->failure, sizeof(f->failure), MPI_BYTE, first, f->comm);
    return rc;
}

_Noreturn void adl_failure_cannot(const char *name, const char *what, int rc)
{
    int world;

    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    adl_progress_abort("%s: rank %d cannot %s: %s", name, world, what,
                       strerror(-rc));
}
