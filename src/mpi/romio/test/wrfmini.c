/* wrfmini.c - the output of a weather model in miniature, as PnetCDF makes it
 *
 * A file has a header that rank 0 writes on its own, then records; a record
 * holds a number of variables, 2-D fields of different height, each written by
 * one collective call in which the ranks have a block decomposition. Two
 * restart files (wrfout_d01_N) and two history files (auxhist2_d01_N) are
 * written in a directory, and compared.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER 8192
#define NX 256 /* floats of a row */

struct shape {
    const char *stem;
    int nvars;
    const int *ny; /* rows of each variable */
    int records;
};

static const int restart_ny[] = {512, 128, 256, 512, 64, 256};
static const int history_ny[] = {128, 64, 128};
static const struct shape shapes[] = {
    {"wrfout_d01_", 6, restart_ny, 3},
    {"auxhist2_d01_", 3, history_ny, 4},
};

static int rank, size, grid[2];

static void must(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int len;

    if (rc == MPI_SUCCESS)
        return;
    MPI_Error_string(rc, text, &len);
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int64_t record_size(const struct shape *s)
{
    int64_t bytes = 0;

    for (int v = 0; v < s->nvars; v++)
        bytes += (int64_t)s->ny[v] * NX * sizeof(float);
    return bytes;
}

static float value_at(int64_t index)
{
    return (float)((index * 2654435761u) >> 8 & 0xffffff);
}

static void fill(float *buf, int64_t first, int y0, int rows, int x0, int cols)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++)
            buf[y * cols + x] =
                value_at(first + (int64_t)(y0 + y) * NX + x0 + x);
}

/* One variable of one record, at file offset `off`. */
static void write_var(MPI_File fh, int64_t off, int ny)
{
    int full[2] = {ny, NX}, part[2] = {ny / grid[0], NX / grid[1]};
    int at[2] = {rank / grid[1] * part[0], rank % grid[1] * part[1]};
    float *buf = malloc(sizeof(float) * part[0] * part[1]);
    MPI_Datatype block;

    fill(buf, (off - HEADER) / (int64_t)sizeof(float), at[0], part[0], at[1],
         part[1]);
    MPI_Type_create_subarray(2, full, part, at, MPI_ORDER_C, MPI_FLOAT, &block);
    MPI_Type_commit(&block);
    must(MPI_File_set_view(fh, off, MPI_FLOAT, block, "native", MPI_INFO_NULL),
         "set_view");
    must(MPI_File_write_all(fh, buf, part[0] * part[1], MPI_FLOAT,
                            MPI_STATUS_IGNORE),
         "write_all");
    MPI_Type_free(&block);
    free(buf);
}

static void write_header(MPI_File fh, int records)
{
    char header[HEADER];

    must(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
         "set_view");
    memset(header, 'A' + records, sizeof(header));
    if (rank == 0)
        must(MPI_File_write_at(fh, 0, header, HEADER, MPI_BYTE,
                               MPI_STATUS_IGNORE),
             "header");
}

static void write_file(const struct shape *s, const char *name)
{
    MPI_File fh;

    must(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh),
         name);
    for (int r = 0; r < s->records; r++) {
        int64_t off = HEADER + r * record_size(s);

        for (int v = 0; v < s->nvars; v++) {
            write_var(fh, off, s->ny[v]);
            off += (int64_t)s->ny[v] * NX * sizeof(float);
        }
        write_header(fh, r + 1);
    }
    must(MPI_File_close(&fh), "close");
}

static void compare_file(const struct shape *s, const char *name)
{
    int64_t words = s->records * record_size(s) / sizeof(float);
    float *buf = malloc(words * sizeof(float));
    char header[HEADER];
    int fd = open(name, O_RDONLY), wrong = fd < 0;

    wrong |=
        pread(fd, header, HEADER, 0) != HEADER || header[0] != 'A' + s->records;
    wrong |= pread(fd, buf, words * sizeof(float), HEADER) !=
             (ssize_t)(words * sizeof(float));
    for (int64_t i = 0; i < words && !wrong; i++)
        wrong = buf[i] != value_at(i);
    close(fd);
    free(buf);
    if (wrong) {
        fprintf(stderr, "%s is wrong\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    char name[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, grid);
    for (int step = 1; step <= 2; step++)
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof(name), "%s/%s%d", argc > 1 ? argv[1] : ".",
                     shapes[k].stem, step);
            if (argc > 2)
                compare_file(&shapes[k], name);
            else
                write_file(&shapes[k], name);
        }
    MPI_Finalize();
    return 0;
}
