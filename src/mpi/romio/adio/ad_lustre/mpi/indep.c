/* indep.c - independent contiguous I/O */
#include "indep.h"

#include "../sys/rw.h"
#include "open.h"

int adl_indep_read(ADIO_File fd, void *buf, MPI_Count len, ADIO_Offset offset,
                   MPI_Count *done)
{
    size_t n = 0;
    int rc = adl_open_ready(fd, 1);

    if (!rc)
        rc = adl_rw_read(fd->fd_sys, buf, len, offset, &n);
    *done = n;
    return rc;
}

int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done)
{
    size_t n = 0;
    int rc = adl_open_ready(fd, 0);

    if (!rc)
        rc = adl_rw_write(fd->fd_sys, buf, len, offset, &n);
    /* MPI_File_sync asks this; a failed write may have left bytes too. */
    fd->dirty_write = 1;
    *done = n;
    return rc;
}
