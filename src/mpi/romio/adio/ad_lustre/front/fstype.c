/* fstype.c - which file system a file is on, asked by one rank for all */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fstype.h"

#include <stdlib.h>

#include "../core/text/fsprefix.h"
#include "../mpi/open/early.h"
#include "../mpi/progress/known.h"
#include "../sys/lustre.h"

/* Does the name leave the file system to be found? Where the name or the
 * variable names one, ROMIO believes it. */
static int is_open_question(const char *name)
{
    return name && !adl_fsprefix_len(name) && !getenv("ROMIO_FSTYPE_FORCE");
}

/* Local. 1: this rank is the first one, and sees it on Lustre. */
static int first_sees_lustre(MPI_Comm comm, const char *name)
{
    int rank;

    PMPI_Comm_rank(comm, &rank);
    return rank == 0 && is_open_question(name) && adl_lustre_holds(name) == 1;
}

/* ROMIO's error for it. */
static int amodes_differ(void)
{
    return MPIO_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE,
                                "MPI_FILE_OPEN", __LINE__, MPI_ERR_NOT_SAME,
                                "**fileamodediff", 0);
}

/* In MPI_File_open of several ranks this makes the open's first agreement. If
 * ROMIO reduces something itself for a name, the next reduction is not the one
 * of the hints: no note of that. */
adl_fstype_known adl_fstype_resolve(MPI_Comm comm, const char *name,
                                    int *fstype, ADIOI_Fns **ops, int *error)
{
    struct adl_early early = {0};

    if (!adl_known_amode(comm, &early.amode))
        return ADIO_ResolveFileType(comm, name, fstype, ops, error);
    early.on_lustre = first_sees_lustre(comm, name);
    adl_early_agree(comm, &early);
    if (early.differ) {
        adl_early_forget();
        *error = amodes_differ();
        return (adl_fstype_known)0;
    }
    if (early.on_lustre && is_open_question(name))
        name = "lustre:";
    if (name && adl_fsprefix_len(name))
        adl_known_note(comm, MPI_MIN, early.hints);
    return ADIO_ResolveFileType(comm, name, fstype, ops, error);
}
