/* failure.c - where an error came from, for its text */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "failure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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

void adl_failure_agreed(struct adl_file *f, int rc, int rank, int64_t offset)
{
    adl_failure_note(f, "I/O", offset, rc);
    if (rc < 0) {
        f->failure.rank = rank;
        f->failure.offset = offset < 0 ? ADL_NO_OFFSET : offset;
    }
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

void adl_failure_words(struct adl_file *f, const char *file, int rc, char *buf,
                       int size)
{
    const struct adl_failure none = {0};
    struct adl_failure note = f ? f->failure : none;
    int at = snprintf(buf, size, "%s (errno %d): %s", strerror(-rc), -rc, file);

    if (f)
        f->failure = none;
    if (note.rc != rc || at >= size)
        return;
    at +=
        snprintf(buf + at, size - at, ": %s on rank %d", note.call, note.rank);
    if (note.offset != ADL_NO_OFFSET && at < size)
        snprintf(buf + at, size - at, " at offset %lld",
                 (long long)note.offset);
}
