/* stall.c - a rank that comes late to a collective call
 *
 *   stall FILE RANK SECONDS [BYTES]
 *
 * All ranks write BYTES (4 MiB if not given) each, twice, in turn with each
 * other, by blocking and by nonblocking collective calls; RANK sleeps before
 * the second of each (-1: none does). Then every rank reads its bytes.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static void write_twice(MPI_File fh, const char *buf, int n, int late,
                        int nonblocking)
{
    MPI_Request request;
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++) {
        MPI_Offset at = ((MPI_Offset)i * size + rank) * n;

        if (i == 1)
            sleep((unsigned)late);
        if (!nonblocking) {
            MUST(MPI_File_write_at_all(fh, at, buf, n, MPI_BYTE,
                                       MPI_STATUS_IGNORE));
            continue;
        }
        MUST(MPI_File_iwrite_at_all(fh, at, buf, n, MPI_BYTE, &request));
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

int main(int argc, char **argv)
{
    int rank, n, late;
    char *out, *in;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    late = rank == atoi(argv[2]) ? atoi(argv[3]) : 0;
    n = argc > 4 ? atoi(argv[4]) : 4 << 20;
    out = malloc((size_t)n);
    in = malloc((size_t)n);
    memset(out, 'a' + rank, (size_t)n);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    write_twice(fh, out, n, late, 0);
    write_twice(fh, out, n, late, 1);
    MUST(MPI_File_read_at_all(fh, (MPI_Offset)rank * n, in, n, MPI_BYTE,
                              MPI_STATUS_IGNORE));
    EXPECT_EQ(memcmp(in, out, (size_t)n), 0);
    MUST(MPI_File_close(&fh));
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
