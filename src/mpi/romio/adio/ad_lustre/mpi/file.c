/* file.c - the state of an open file */
#include "file.h"

#include <errno.h>
#include <unistd.h>

int adl_file_sync(ADIO_File fd)
{
    int rc = 0, worst;

    /* Ranks that never wrote have nothing to flush, and may not have the file
     * open at all. */
    if (fd->is_open && fd->dirty_write) {
        rc = fsync(fd->fd_sys) ? -errno : 0;
        if (rc == 0)
            fd->dirty_write = 0;
    }
    MPI_Allreduce(&rc, &worst, 1, MPI_INT, MPI_MIN, fd->comm);
    return worst;
}
