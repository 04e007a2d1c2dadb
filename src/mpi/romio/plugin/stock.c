/* stock.c - keeps stock ROMIO's Lustre driver off other file systems
 *
 * That driver divides by the stripe count, which a file there does not have.
 * Linked into libromio_stock.so only, with --wrap.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "adio.h"

#include "../adio/ad_lustre/sys/lustre.h"

void __real_ADIOI_LUSTRE_Open(ADIO_File fd, int *error_code);
void __wrap_ADIOI_LUSTRE_Open(ADIO_File fd, int *error_code);

/* The file may be to be made: its directory tells. */
static int is_on_lustre(const char *path)
{
    char dir[PATH_MAX];
    char *slash;

    snprintf(dir, sizeof(dir), "%s", path);
    slash = strrchr(dir, '/');
    if (slash)
        slash[slash == dir] = 0;
    return adl_lustre_is_path(slash ? dir : ".");
}

void __wrap_ADIOI_LUSTRE_Open(ADIO_File fd, int *error_code)
{
    int rank;

    if (is_on_lustre(fd->filename)) {
        __real_ADIOI_LUSTRE_Open(fd, error_code);
        return;
    }
    PMPI_Comm_rank(fd->comm, &rank);
    if (rank == 0)
        fprintf(stderr,
                "romio-lustre: %s is not on Lustre: stock ROMIO's Lustre "
                "driver cannot be used there\n",
                fd->filename);
    fd->fd_sys = -1;
    *error_code =
        ADIOI_Err_create_code("ADIOI_LUSTRE_Open", fd->filename, EOPNOTSUPP);
}
