/* unheard.c - a program that looks at no error code
 *
 *   unheard HANDLER FILE OP...
 *
 * HANDLER is return, fatal or own: the error handler of the file. OPs: coll
 * (collective write), read, ind=RANK (independent write), nb (nonblocking
 * collective write), sync, resize, close, again (open the file "absent").
 * Prints "end" when it gets there.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static int buf[16384];

static void own_handler(MPI_File *fh, int *code, ...)
{
    (void)fh;
    (void)code;
}

static void do_op(MPI_File *fh, const char *op)
{
    MPI_Offset at = (MPI_Offset)rank * (MPI_Offset)sizeof(buf);
    MPI_Request request;
    MPI_File other;

    if (!strcmp(op, "coll"))
        MPI_File_write_at_all(*fh, at, buf, 16384, MPI_INT, MPI_STATUS_IGNORE);
    else if (!strcmp(op, "read"))
        MPI_File_read_at_all(*fh, at, buf, 16384, MPI_INT, MPI_STATUS_IGNORE);
    else if (!strncmp(op, "ind=", 4) && atoi(op + 4) == rank)
        MPI_File_write_at(*fh, at, buf, 16384, MPI_INT, MPI_STATUS_IGNORE);
    else if (!strcmp(op, "sync"))
        MPI_File_sync(*fh);
    else if (!strcmp(op, "resize"))
        MPI_File_set_size(*fh, 100);
    else if (!strcmp(op, "close"))
        MPI_File_close(fh);
    else if (!strcmp(op, "again"))
        MPI_File_open(MPI_COMM_WORLD, "absent", MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &other);
    else if (!strcmp(op, "nb")) {
        MPI_File_iwrite_at_all(*fh, at, buf, 16384, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    if (!strcmp(argv[1], "fatal"))
        MPI_File_set_errhandler(fh, MPI_ERRORS_ARE_FATAL);
    if (!strcmp(argv[1], "own")) {
        MPI_File_create_errhandler(own_handler, &handler);
        MPI_File_set_errhandler(fh, handler);
    }
    for (int i = 3; i < argc; i++)
        do_op(&fh, argv[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("end\n");
    MPI_Finalize();
    return 0;
}
