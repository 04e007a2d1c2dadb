/* absent.c - a rank that never comes to a call of all ranks
 *
 *   absent FILE CALL RANK END
 *
 * All ranks open FILE and make one collective write, then CALL and close it:
 *   open, first (the first collective write), ifirst (it is nonblocking),
 *   second, isecond (the second), view, size, sync, close
 * RANK never makes CALL. It waits until the file END exists, then ends the job.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { BYTES = 65536 };

static int rank;
static char buf[BYTES];

static void write_all(MPI_File fh, int nonblocking)
{
    MPI_Offset at = (MPI_Offset)rank * BYTES;
    MPI_Request request;

    if (!nonblocking) {
        MUST(MPI_File_write_at_all(fh, at, buf, BYTES, MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        return;
    }
    MUST(MPI_File_iwrite_at_all(fh, at, buf, BYTES, MPI_BYTE, &request));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Is `name` the call to be made here? The absent rank does not come back. */
static int is_call(char **argv, const char *name)
{
    if (strcmp(argv[2], name) != 0)
        return 0;
    if (rank != atoi(argv[3]))
        return 1;
    while (access(argv[4], F_OK) != 0)
        usleep(50000);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_call(argv, "open");
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    is_call(argv, "first");
    write_all(fh, is_call(argv, "ifirst"));
    if (is_call(argv, "second"))
        write_all(fh, 0);
    if (is_call(argv, "isecond"))
        write_all(fh, 1);
    if (is_call(argv, "view"))
        MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native",
                               MPI_INFO_NULL));
    if (is_call(argv, "size"))
        MUST(MPI_File_set_size(fh, 100));
    if (is_call(argv, "sync"))
        MUST(MPI_File_sync(fh));
    is_call(argv, "close");
    MUST(MPI_File_close(&fh));
    MPI_Finalize();
    return 0;
}
