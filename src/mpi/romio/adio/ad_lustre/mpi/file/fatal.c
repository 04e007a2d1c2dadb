/* fatal.c - end the job at the first failed system read or write, if asked */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fatal.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Launchers have been seen to kill a job before they had passed on what it said
 * last. */
static void let_it_be_read(void)
{
    const struct timespec t = {.tv_nsec = 200000000};

    nanosleep(&t, NULL);
}

static _Noreturn void end_job(const char *name, const char *what, int rc)
{
    int world;

    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    fprintf(stderr, "romio-lustre: %s: rank %d cannot %s: %s: aborting\n", name,
            world, what, strerror(-rc));
    let_it_be_read();
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

_Noreturn void adl_fatal_open(ADIO_File fd, int rc)
{
    end_job(fd->filename, "open it", rc);
}

_Noreturn void adl_fatal_call(ADIO_File fd, int rc)
{
    end_job(fd->filename, "take part in a nonblocking call", rc);
}

_Noreturn void adl_fatal_message(int rc)
{
    end_job("a collective call", "keep a message", rc);
}

_Noreturn void adl_fatal_asked(struct adl_file *f, const char *call)
{
    fprintf(stderr,
            "romio-lustre: %s: %s failed and romio_lustre_on_error is abort: "
            "aborting\n",
            f->name, call);
    let_it_be_read();
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

int adl_fatal(struct adl_file *f, const char *what, int rc)
{
    int world;

    adl_failure_note(f, what, ADL_NO_OFFSET, rc);
    if (rc >= 0 || f->hints.abort_on_rw_error != ADL_ENABLE)
        return rc;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    fprintf(stderr,
            "romio-lustre: %s: %s failed on rank %d: %s; abort_on_rw_error is "
            "set: aborting\n",
            f->name, what, world, strerror(-rc));
    let_it_be_read();
    PMPI_Abort(MPI_COMM_WORLD, 1);
    return rc;
}
