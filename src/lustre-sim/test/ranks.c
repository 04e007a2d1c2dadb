/* ranks.c - MPI ranks write a file in turn: ranks FILE BLOCK COUNT */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks, fd, bad = 0;
    long block, count;
    char *buf;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    block = atol(argv[2]);
    count = atol(argv[3]);
    buf = malloc(block);
    memset(buf, 'A' + rank % 26, block);
    fd = open(argv[1], O_CREAT | O_RDWR, 0644);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < count; i++)
        if (pwrite(fd, buf, block, (i * ranks + rank) * block) != block)
            bad = 1;
    if (close(fd) != 0)
        bad = 1;
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    free(buf);
    MPI_Finalize();
    return bad;
}
