/* sessions.c - files on communicators of an MPI session
 *
 * usage: sessions world|alone FILE
 *
 * world: MPI_Init was called as well; all must work. alone: it was not. ROMIO
 * does not work there in any MPICH: MPI_File_open must return an error, and
 * everything else go on.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Comm comm_of(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "sessions.c", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* Collective. Every rank writes its number and reads its neighbour's. */
static int write_and_read(MPI_Comm comm, const char *name)
{
    int rank, size, other, got = -1;
    MPI_File fh;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    other = (rank + 1) % size;
    if (MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh))
        return 1;
    MPI_File_write_at_all(fh, rank * 4L, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(fh);
    MPI_Barrier(comm);
    MPI_File_sync(fh);
    MPI_File_read_at_all(fh, other * 4L, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&fh);
    return got != other;
}

/* The communicator still works after what was refused. */
static int refused(MPI_Comm comm, const char *name)
{
    MPI_File fh = MPI_FILE_NULL;
    int one = 1, sum = 0, size;
    int rc = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &fh);

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return rc == MPI_SUCCESS || fh != MPI_FILE_NULL || sum != size;
}

int main(int argc, char **argv)
{
    int world = argc == 3 && !strcmp(argv[1], "world"), failed;
    MPI_Session session;
    MPI_Comm comm;

    if (argc != 3 || (!world && strcmp(argv[1], "alone"))) {
        fprintf(stderr, "usage: sessions world|alone FILE\n");
        return 2;
    }
    if (world)
        MPI_Init(&argc, &argv);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    comm = comm_of(session);
    failed = world ? write_and_read(comm, argv[2]) : refused(comm, argv[2]);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (world)
        MPI_Finalize();
    return failed;
}
