/* descriptor.c - one rank's descriptors of a file */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../sys/calls.h"
#include "failure.h"

int adl_descriptor_flags(int amode)
{
    if (amode & ADIO_RDWR)
        return O_RDWR;
    return amode & ADIO_WRONLY ? O_WRONLY : O_RDONLY;
}

/* O_DIRECT wants aligned memory, offset and length, so it has a descriptor of
 * its own beside the ordinary one. If that open fails, I/O is not direct. */
void adl_descriptor_direct(ADIO_File fd, int flags)
{
    const struct adl_file *f = adl_file_of(fd);

    fd->fd_direct = -1;
    fd->direct_read = f->hints.direct_read && flags != O_WRONLY;
    fd->direct_write = f->hints.direct_write && flags != O_RDONLY;
    if (f->hints.direct_read || f->hints.direct_write)
        fd->fd_direct = adl_call_open(fd->filename, flags | O_DIRECT, 0);
    if (fd->fd_direct < 0) {
        fd->fd_direct = -1;
        fd->direct_read = fd->direct_write = 0;
    }
}

/* Under a group lock another descriptor cannot read the file, and with
 * romio_ds_write=enable or ds_in_coll=enable a write has to read. */
int adl_descriptor_reads_soon(const struct adl_file *f)
{
    return f->hints.ds_write == ADL_ENABLE ||
           f->hints.ds_in_coll == ADL_ENABLE || f->hints.lock_mode == 1;
}

int adl_descriptor_open(ADIO_File fd)
{
    struct adl_file *f = adl_file_of(fd);
    int rc = -EACCES, flags = adl_descriptor_flags(fd->access_mode);

    if (flags == O_WRONLY && adl_descriptor_reads_soon(f))
        rc = adl_call_open(fd->filename, O_RDWR, 0);
    f->readable = rc >= 0 || flags != O_WRONLY;
    if (rc < 0)
        rc = adl_call_open(fd->filename, flags, 0);
    fd->fd_sys = rc < 0 ? -1 : rc;
    if (rc < 0)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    adl_descriptor_direct(fd, flags);
    return 0;
}

/* fcntl locks are the process's and go with the first descriptor of the file
 * that is closed, and a read-modify-write asks for this inside its lock: the
 * write-only descriptor stays open. */
static int make_readable(ADIO_File fd, struct adl_file *f)
{
    int rc = adl_call_open(fd->filename, O_RDWR, 0);

    if (rc < 0)
        return adl_failure_note(f, "open", ADL_NO_OFFSET, rc);
    f->retired_fd = fd->fd_sys;
    fd->fd_sys = rc;
    f->readable = 1;
    return 0;
}

int adl_descriptor_ready(ADIO_File fd, int for_reading)
{
    struct adl_file *f = adl_file_of(fd);
    int rc = 0;

    if (fd->fd_sys < 0)
        rc = adl_descriptor_open(fd);
    if (!rc && for_reading && !f->readable)
        rc = make_readable(fd, f);
    return rc;
}

int adl_descriptor_renew(ADIO_File fd)
{
    int flags = fcntl(fd->fd_sys, F_GETFL) & O_ACCMODE, again, rc;

    again = adl_call_open(fd->filename, flags, 0);
    if (again < 0)
        return again;
    rc = dup3(again, fd->fd_sys, O_CLOEXEC) < 0 ? -errno : 0;
    close(again);
    return rc;
}
