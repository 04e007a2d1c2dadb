/* errcode.c - MPI error codes of what failed */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "errcode.h"

#include <errno.h>

#include "failure.h"
#include "onerror.h"

/* errno -> MPI's error class and MPICH's name for it; the rest is I/O. */
static const struct {
    int number;
    int errclass;
    const char *name;
} classes[] = {
    {EACCES, MPI_ERR_ACCESS, "**fileaccess"},
    {EPERM, MPI_ERR_ACCESS, "**fileaccess"},
    {EDQUOT, MPI_ERR_QUOTA, "**filequota"},
    {EEXIST, MPI_ERR_FILE_EXISTS, "**fileexist"},
    {EISDIR, MPI_ERR_BAD_FILE, "**filenamedir"},
    {ELOOP, MPI_ERR_BAD_FILE, "**filenamedir"},
    {ENAMETOOLONG, MPI_ERR_BAD_FILE, "**filenamelong"},
    {ENOENT, MPI_ERR_NO_SUCH_FILE, "**filenoexist"},
    {ENOSPC, MPI_ERR_NO_SPACE, "**filenospace"},
    {ENOSYS, MPI_ERR_UNSUPPORTED_OPERATION, "**fileopunsupported"},
    {ENOTDIR, MPI_ERR_BAD_FILE, "**filenamedir"},
    {EROFS, MPI_ERR_READ_ONLY, "**iordonly"},
    {0, MPI_ERR_IO, "**io"},
};

/* ROMIO's own function for it leaves the file's name out of most texts. */
int adl_error_code(ADIO_File fd, const char *where, int rc)
{
    struct adl_file *f = adl_file_of(fd);
    char words[400];
    int i = 0, rank;

    if (rc == 0)
        return MPI_SUCCESS;
    while (classes[i].number && classes[i].number != -rc)
        i++;
    rank = f && f->failure.rc == rc ? f->failure.rank : -1;
    adl_failure_words(f, fd->filename, rc, words, sizeof(words));
    adl_onerror(fd, where, words, rank);
    return MPIO_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, where,
                                __LINE__, classes[i].errclass, classes[i].name,
                                "%s", words);
}

int adl_outcome_code(ADIO_File fd, const char *where,
                     const struct adl_outcome *outcome)
{
    adl_failure_agreed(adl_file_of(fd), outcome->error, outcome->rank,
                       outcome->offset);
    return adl_error_code(fd, where, outcome->error);
}
