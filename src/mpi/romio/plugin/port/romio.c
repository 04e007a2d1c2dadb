/* romio.c - what ROMIO expects of MPICH and other MPIs do not have */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>

int MPIR_Status_set_bytes(MPI_Status *status, MPI_Datatype type,
                          MPI_Count bytes);

/* MPICH's own, which ROMIO calls. */
int MPIR_Status_set_bytes(MPI_Status *status, MPI_Datatype type,
                          MPI_Count bytes)
{
    (void)type;
    if (status != MPI_STATUS_IGNORE)
        PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
    return MPI_SUCCESS;
}

/* ROMIO leaves 0 in the handle of a file that could not be opened; the null
 * handle of other MPIs is another one. */
#define PUBLIC __attribute__((visibility("default")))
int romio_PMPI_File_open(MPI_Comm, const char *, int, MPI_Info, MPI_File *);

PUBLIC int PMPI_File_open(MPI_Comm comm, const char *name, int mode,
                          MPI_Info info, MPI_File *fh)
{
    int rc = romio_PMPI_File_open(comm, name, mode, info, fh);

    if (rc != MPI_SUCCESS)
        *fh = MPI_FILE_NULL;
    return rc;
}
int MPI_File_open(MPI_Comm, const char *, int, MPI_Info, MPI_File *)
    __attribute__((weak, alias("PMPI_File_open"), visibility("default")));
