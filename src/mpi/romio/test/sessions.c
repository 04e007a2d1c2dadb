/* sessions.c - a file on a communicator of an MPI session
 *
 * usage: sessions FILE          without MPI_Init: the open has to fail
 *        sessions --init FILE   with it: write and read
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 4096 };

static MPI_Comm comm_of(MPI_Session session)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL,
                               MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* 1: what each rank wrote comes back. */
static int write_and_read(MPI_File fh, int rank)
{
    char mine[BYTES], got[BYTES] = {0};
    MPI_Offset at = (MPI_Offset)rank * BYTES;

    memset(mine, 'a' + rank, BYTES);
    return MPI_File_write_at_all(fh, at, mine, BYTES, MPI_BYTE,
                                 MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           MPI_File_read_at_all(fh, at, got, BYTES, MPI_BYTE,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           memcmp(mine, got, BYTES) == 0;
}

static void use(MPI_Comm comm, const char *name)
{
    char text[MPI_MAX_ERROR_STRING];
    int code, length, rank, good = 0;
    MPI_File fh;

    MPI_Comm_rank(comm, &rank);
    code = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &fh);
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        printf("open: %s\n", text);
        return;
    }
    good = write_and_read(fh, rank);
    if (MPI_File_close(&fh) == MPI_SUCCESS && good)
        printf("data right\n");
}

int main(int argc, char **argv)
{
    int init = argc == 3 && strcmp(argv[1], "--init") == 0;
    MPI_Session session;
    MPI_Comm comm;

    if (argc != 2 + init)
        return 2;
    if (init)
        MPI_Init(NULL, NULL);
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session))
        return 1;
    comm = comm_of(session);
    use(comm, argv[argc - 1]);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (init)
        MPI_Finalize();
    return 0;
}
