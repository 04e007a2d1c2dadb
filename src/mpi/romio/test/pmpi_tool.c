/* pmpi_tool.c - a profiling tool: counts calls and passes them on
 *
 * Preloaded in front of the plug-in, as Darshan and others are. It counts a few
 * MPI_File calls, and calls that ROMIO and the driver live on: of those it sees
 * the program's only.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>

static int opens, writes, closes, others;

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

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm)
{
    others++;
    return PMPI_Allreduce(from, to, n, type, op, comm);
}

int MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    others++;
    return PMPI_Iallreduce(from, to, n, type, op, comm, request);
}

int MPI_Ibcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    others++;
    return PMPI_Ibcast(buf, n, type, root, comm, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    others++;
    return PMPI_Ibarrier(comm, request);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    others++;
    return PMPI_Comm_dup(comm, out);
}

int MPI_Issend(const void *buf, int n, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    others++;
    return PMPI_Issend(buf, n, type, to, tag, comm, request);
}

int MPI_Type_get_envelope(MPI_Datatype type, int *ints, int *addrs, int *types,
                          int *combiner)
{
    others++;
    return PMPI_Type_get_envelope(type, ints, addrs, types, combiner);
}

int MPI_Finalize(void)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool: rank %d: %d opens %d write_all %d closes\n", rank, opens,
           writes, closes);
    printf("behind: rank %d: %d\n", rank, others);
    fflush(stdout);
    return PMPI_Finalize();
}
