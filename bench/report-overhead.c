/* report-overhead.c - what counting and timing cost, on small collective writes
 *
 *   report-overhead FILE WRITES SIZE
 *
 * WRITES collective writes of SIZE bytes a rank, in blocks; each block once
 * without and once with statistics and timers, in turn, in one job: the driver
 * reads the environment at every open. Prints the ratio of the two by the
 * medians and by the fastest quarter of the blocks (for a machine that others
 * use, too), the ratio of the processor time, and what a report costs at close.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define BLOCKS 100

static const char *const variables[] = {"MPICH_MPIIO_STATS",
                                        "MPICH_MPIIO_TIMERS", NULL};

static int rank, nprocs;
static char *buf;

static void ask_for(int reports)
{
    for (int i = 0; variables[i]; i++)
        setenv(variables[i], reports ? "1" : "0", 1);
}

static double slowest(double mine)
{
    double most;

    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Processor seconds so far, of all threads of all ranks. */
static double processor(void)
{
    struct rusage u;
    double mine, all;

    getrusage(RUSAGE_SELF, &u);
    mine = u.ru_utime.tv_sec + u.ru_stime.tv_sec +
           (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Seconds of `n` writes, and of the close after them. */
static double block(const char *file, int n, int size, double *closing,
                    double *busy)
{
    MPI_File fh;
    double t, cpu;

    MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &fh);
    /* the first one makes the engine */
    MPI_File_write_at_all(fh, (MPI_Offset)rank * size, buf, size, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    cpu = processor();
    t = MPI_Wtime();
    for (int i = 0; i < n; i++)
        MPI_File_write_at_all(fh, ((MPI_Offset)i * nprocs + rank) * size, buf,
                              size, MPI_BYTE, MPI_STATUS_IGNORE);
    t = slowest(MPI_Wtime() - t);
    *busy += processor() - cpu;
    *closing = MPI_Wtime();
    MPI_File_close(&fh);
    *closing = slowest(MPI_Wtime() - *closing);
    return t;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *v)
{
    qsort(v, BLOCKS, sizeof(*v), by_size);
    return (v[BLOCKS / 2 - 1] + v[BLOCKS / 2]) / 2;
}

/* Of sorted numbers. */
static double fastest(const double *v)
{
    double sum = 0;

    for (int i = 0; i < BLOCKS / 4; i++)
        sum += v[i];
    return sum / (BLOCKS / 4);
}

int main(int argc, char **argv)
{
    double t[2][BLOCKS], closing[2][BLOCKS], med[2], end[2];
    double busy[2] = {0, 0};
    int n, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    n = atoi(argv[2]) / BLOCKS;
    size = atoi(argv[3]);
    buf = calloc(1, size);
    for (int i = 0; i < 2 * BLOCKS; i++) {
        int on = (i + i / 2) % 2; /* off on on off, off on on off, ... */

        ask_for(on);
        t[on][i / 2] = block(argv[1], n, size, &closing[on][i / 2], &busy[on]);
    }
    for (int on = 0; on < 2; on++) {
        med[on] = median(t[on]);
        end[on] = median(closing[on]);
    }
    if (rank == 0)
        printf("ranks %d, writes %d of %d bytes: off %.2f us, on %.2f us a "
               "write; ratio %.4f (medians), %.4f (fastest quarter), %.4f "
               "(processor); report %.2f ms\n",
               nprocs, n * BLOCKS, size, med[0] / n * 1e6, med[1] / n * 1e6,
               med[1] / med[0], fastest(t[1]) / fastest(t[0]),
               busy[1] / busy[0], (end[1] - end[0]) * 1e3);
    free(buf);
    MPI_Finalize();
    return 0;
}
