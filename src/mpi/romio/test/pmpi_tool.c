/* pmpi_tool.c - a profiling tool: counts calls and passes them on
 *
 * Preloaded in front of the plug-in, as Darshan and others are.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>

static int opens, writes, closes;

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info,
                  MPI_File *fh)
{
    opens++;
    return PMPI_File_open(comm, name, amode, info, fh);
}

int MPI_File_write_all(MPI_File fh, const void *buf, int count,
                       MPI_Datatype type, MPI_Status *status)
{
    writes++;
    return PMPI_File_write_all(fh, buf, count, type, status);
}

int MPI_File_close(MPI_File *fh)
{
    closes++;
    return PMPI_File_close(fh);
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool: rank %d: %d opens %d write_all %d closes\n", rank, opens,
           writes, closes);
    fflush(stdout);
    return PMPI_Finalize();
}
