/* fsize.c - the size of an open file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fsize.h"

#include <errno.h>
#include <sys/stat.h>

#include "../../sys/calls.h"
#include "../file/failure.h"
#include "../locks/lockmode.h"
#include "../file/file.h"
#include "../file/descriptor.h"
#include "../../node/prefetch.h"

/* A new size is something that MPI_File_sync has to make durable. */
static int changed(ADIO_File fd, const char *call, int rc)
{
    fd->dirty_write = 1;
    return adl_failure_note(adl_file_of(fd), call, ADL_NO_OFFSET, rc);
}

int adl_fsize_set(ADIO_File fd, ADIO_Offset size)
{
    int rc = 0;

    adl_prefetch_wait(adl_file_of(fd)->prefetch);
    adl_lockmode_release(fd, size);
    if (adl_file_of(fd)->rank == 0) {
        rc = adl_descriptor_ready(fd, 0);
        if (!rc)
            rc = changed(fd, "ftruncate", adl_call_truncate(fd->fd_sys, size));
    }
    PMPI_Bcast(&rc, 1, MPI_INT, 0, fd->comm);
    if (rc == 0 && size == 0)
        adl_file_of(fd)->reach = 0;
    return rc;
}

/* Not by lseek: that would move the descriptor. */
int adl_fsize_get(ADIO_File fd, ADIO_Offset *size)
{
    struct stat st;
    int rc = adl_descriptor_ready(fd, 0);

    if (!rc && fstat(fd->fd_sys, &st))
        rc = -errno;
    if (!rc)
        *size = adl_lockmode_size(fd, st.st_size);
    return rc;
}

/* fallocate and not posix_fallocate: the C library's substitute writes a byte
 * into every block, unlocked. Only rank 0 comes here: under a group lock it
 * would wait for ranks that wait for it. */
int adl_fsize_reserve(ADIO_File fd, ADIO_Offset size)
{
    int rc = adl_descriptor_ready(fd, 0);

    adl_prefetch_wait(adl_file_of(fd)->prefetch);
    if (!rc && adl_file_of(fd)->locks.held)
        return size <= adl_lockmode_size(fd, 0) ? 0 : -EBUSY;
    if (!rc)
        rc = adl_call_allocate(fd->fd_sys, size);
    if (rc == -ENOSYS || rc == -EOPNOTSUPP)
        return -EOPNOTSUPP;
    return changed(fd, "fallocate", rc);
}
