/* sync.c - make what was written durable */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "sync.h"

#include "../sys/calls.h"
#include "failure.h"
#include "locks/lockmode.h"
#include "../node/prefetch.h"

int adl_sync(ADIO_File fd)
{
    int rc = 0, worst;

    adl_prefetch_wait(adl_file_of(fd)->prefetch);
    /* Ranks that never wrote have nothing to flush, and may not have the file
     * open at all. */
    if (fd->fd_sys >= 0 && fd->dirty_write) {
        rc = adl_call_fsync(fd->fd_sys);
        if (rc == 0)
            fd->dirty_write = 0;
        adl_failure_note(adl_file_of(fd), "fsync", ADL_NO_OFFSET, rc);
    }
    /* Others may want to see it now. */
    adl_lockmode_release(fd, INT64_MAX);
    PMPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, fd->comm);
    return worst;
}
