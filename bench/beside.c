/* beside.c - compute beside a nonblocking collective write
 *
 * Writes BLOCKS strided blocks a rank with MPI_File_write_at_all (how long is
 * that alone?), then computes for SECONDS beside MPI_File_iwrite_at_all of the
 * same, testing the request every few milliseconds.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 1048576

static double now(void)
{
    return MPI_Wtime();
}

/* Busy for `seconds`, calling MPI_Test every 5 ms. */
static void compute(double seconds, MPI_Request *request)
{
    double end = now() + seconds, next = now();
    volatile double x = 1;
    int flag;

    while (now() < end) {
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + 1e-9;
        if (now() >= next) {
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
            next = now() + 0.005;
        }
    }
}

static double slowest(double t)
{
    double worst;

    MPI_Allreduce(&t, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static void set_view(MPI_File fh, int rank, int size, int blocks)
{
    MPI_Datatype block, row, view;

    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * size, &row);
    MPI_Type_contiguous(blocks, row, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(fh, (MPI_Offset)rank * BLOCK, MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&view);
    MPI_Type_free(&row);
    MPI_Type_free(&block);
}

int main(int argc, char **argv)
{
    int rank, size, opt, blocks = 25;
    double seconds = 1, t, alone, together;
    MPI_Request request;
    MPI_File fh;
    char *buf;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while ((opt = getopt(argc, argv, "k:s:h")) != -1) {
        if (opt == 'k')
            blocks = atoi(optarg);
        else if (opt == 's')
            seconds = atof(optarg);
        else
            optind = argc;
    }
    if (optind + 1 != argc || blocks < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: beside [-k BLOCKS] [-s SECONDS] FILE\n");
        MPI_Finalize();
        return 2;
    }
    buf = malloc((size_t)blocks * BLOCK);
    memset(buf, rank + 1, (size_t)blocks * BLOCK);
    if (MPI_File_open(MPI_COMM_WORLD, argv[optind],
                      MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh))
        MPI_Abort(MPI_COMM_WORLD, 1);
    set_view(fh, rank, size, blocks);
    for (int i = 0; i < 2; i++) { /* the first call pays for the locks */
        MPI_Barrier(MPI_COMM_WORLD);
        t = now();
        MPI_File_write_at_all(fh, 0, buf, blocks * BLOCK, MPI_BYTE,
                              MPI_STATUS_IGNORE);
        alone = slowest(now() - t);
        MPI_File_sync(fh);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t = now();
    MPI_File_iwrite_at_all(fh, 0, buf, blocks * BLOCK, MPI_BYTE, &request);
    compute(seconds, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    together = slowest(now() - t);
    if (rank == 0)
        printf("write alone %.3f s, computation %.3f s, together %.3f s\n",
               alone, seconds, together);
    MPI_File_close(&fh);
    free(buf);
    MPI_Finalize();
    return 0;
}
