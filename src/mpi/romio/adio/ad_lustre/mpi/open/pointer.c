/* pointer.c - the name of the file that holds the shared file pointer */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pointer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../sys/section.h"
#include "../locks/lockmode.h"

int adl_pointer_number(const struct adl_file *f, int amode)
{
    if (f->nprocs == 1 || (amode & (ADIO_APPEND | ADIO_SEQUENTIAL)))
        return 0;
    return adl_lockmode_own_gid();
}

/* ".NAME.shfp.NUMBER" in the file's directory. */
int adl_pointer_name(ADIO_File fd, int number)
{
    const char *slash = strrchr(fd->filename, '/');
    int dir = slash ? (int)(slash - fd->filename) + 1 : 0, n;

    if (number == 0)
        return 0;
    fd->shared_fp_fname = ADIOI_Malloc(PATH_MAX);
    n = snprintf(fd->shared_fp_fname, PATH_MAX, "%.*s.%s.shfp.%d", dir,
                 fd->filename, fd->filename + dir, number);
    adl_file_of(fd)->named = adl_section_call();
    if (n < PATH_MAX)
        return 0;
    return -ENAMETOOLONG;
}

void adl_pointer_forget(ADIO_File fd)
{
    if (adl_pointer_is_named(fd))
        ADIOI_Free(fd->shared_fp_fname);
    adl_file_of(fd)->named = 0;
}

int adl_pointer_is_named(ADIO_File fd)
{
    const struct adl_file *f = adl_file_of(fd);

    return f && f->named && f->named == adl_section_call();
}
