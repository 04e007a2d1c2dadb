/* fsize.c - the size of an open file */
#include "fsize.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "open.h"

int adl_fsize_set(ADIO_File fd, ADIO_Offset size)
{
    int rc = 0;

    adl_lockmode_release(fd, size);
    if (adl_file_of(fd)->rank == 0) {
        rc = adl_open_ready(fd, 0);
        if (!rc && ftruncate(fd->fd_sys, size))
            rc = -errno;
    }
    PMPI_Bcast(&rc, 1, MPI_INT, 0, fd->comm);
    return rc;
}

/* Not by lseek: that would move the descriptor. */
int adl_fsize_get(ADIO_File fd, ADIO_Offset *size)
{
    struct stat st;
    int rc = adl_open_ready(fd, 0);

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
    int rc = adl_open_ready(fd, 0);

    if (!rc && adl_file_of(fd)->locks.held)
        return size <= adl_lockmode_size(fd, 0) ? 0 : -EBUSY;
    if (!rc && fallocate(fd->fd_sys, 0, 0, size))
        rc = -errno;
    return rc == -ENOSYS ? -EOPNOTSUPP : rc;
}
