/* fewcalls.c - the collectives that a short file costs
 *
 *   fewcalls FILE
 *
 * Opens FILE.1, sets a view, writes 4 KiB a rank with one collective call, the
 * blocks of all ranks in turn, and closes it; then FILE.2. Rank 0 prints how
 * many collectives of MPI any rank took part in, at most, for each of these.
 * Needs count_mpi.c in front.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "count_mpi.h"
#include "expect.h"

#define BYTES 4096
#define BLOCK 64

static struct mpi_counts *counts;

/* Since the last time, the largest of all ranks; not counted itself. */
static void print_collectives(const char *what, int file)
{
    long long mine = counts->collectives, most;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MUST(
        MPI_Reduce(&mine, &most, 1, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("file %d %s: %lld\n", file, what, most);
    counts->collectives = 0;
}

int main(int argc, char **argv)
{
    char buf[BYTES] = "", name[4096];
    MPI_Datatype block, tile;
    MPI_File fh;
    int rank, size;

    MPI_Init(&argc, &argv);
    EXPECT(argc == 2);
    counts = dlsym(RTLD_DEFAULT, "mpi_counts");
    EXPECT(counts != NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * size, &tile);
    MPI_Type_commit(&tile);
    counts->collectives = 0;
    for (int file = 1; file <= 2; file++) {
        snprintf(name, sizeof(name), "%s.%d", argv[1], file);
        MUST(MPI_File_open(MPI_COMM_WORLD, name,
                           MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                           &fh));
        print_collectives("open", file);
        MUST(MPI_File_set_view(fh, (MPI_Offset)rank * BLOCK, MPI_BYTE, tile,
                               "native", MPI_INFO_NULL));
        print_collectives("view", file);
        MUST(MPI_File_write_at_all(fh, 0, buf, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        print_collectives("write", file);
        MUST(MPI_File_close(&fh));
        print_collectives("close", file);
    }
    MPI_Type_free(&block);
    MPI_Type_free(&tile);
    MPI_Finalize();
    return 0;
}
