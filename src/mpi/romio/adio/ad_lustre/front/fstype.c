/* fstype.c - which file system a file is on, asked by one rank for all */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "fstype.h"

#include <stdlib.h>

#include "../core/text/fsprefix.h"
#include "../sys/lustre.h"
#include "blocking.h"

/* Collective. 1: rank 0 sees it on Lustre. */
static int first_sees_lustre(MPI_Comm comm, const char *name)
{
    int rank, ranks, lustre = 0;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (ranks == 1)
        return 0; /* ROMIO asks as often */
    if (rank == 0)
        lustre = adl_lustre_holds(name) == 1;
    adl_blocking_Bcast(&lustre, 1, MPI_INT, 0, comm);
    return lustre;
}

/* Where the name or the variable names a file system, ROMIO believes it. */
adl_fstype_known adl_fstype_resolve(MPI_Comm comm, const char *name,
                                    int *fstype, ADIOI_Fns **ops, int *error)
{
    if (name && !adl_fsprefix_len(name) && !getenv("ROMIO_FSTYPE_FORCE") &&
        first_sees_lustre(comm, name))
        name = "lustre:";
    return ADIO_ResolveFileType(comm, name, fstype, ops, error);
}
