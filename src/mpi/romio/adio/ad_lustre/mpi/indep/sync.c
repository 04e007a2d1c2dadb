/* sync.c - make what was written durable */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "sync.h"

#include "../../sys/calls.h"
#include "../file/failure.h"
#include "../file/file.h"
#include "../locks/lockmode.h"
#include "../../node/prefetch.h"

int adl_sync_to_close(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int64_t how = f->hints.close_sync;
    int rc;

    if (fd->fd_sys < 0 || !fd->dirty_write || how == ADL_CLOSE_OFF ||
        (fd->access_mode & ADIO_DELETE_ON_CLOSE))
        return 0;
    if (how == ADL_CLOSE_SYNC)
        rc = adl_call_fsync(fd->fd_sys);
    else
        rc = adl_call_flush(fd->fd_sys);
    return adl_failure_note(f, how == ADL_CLOSE_SYNC ? "fsync" : "flush",
                            ADL_NO_OFFSET, rc);
}

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
