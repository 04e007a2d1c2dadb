/* edges.c - accesses at and past the largest file offset
 *
 * usage: edges FILE. Every call there is an error of MPI_ERR_IO on every rank
 * that asks for it (of a collective call: on all), and the file works on.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <stdint.h>

static int rank, size;
static char buf[64];

static void expect_refused(int code)
{
    EXPECT_EQ(class_of(code), MPI_ERR_IO);
}

static void expect_count(const MPI_Status *status, int want)
{
    int n = -1;

    MUST(MPI_Get_count(status, MPI_BYTE, &n));
    EXPECT_EQ(n, want);
}

/* The last byte below 2^63 - 1 is the last that there may be. */
static void independent(MPI_File fh)
{
    MPI_Status status;

    memset(&status, 0, sizeof(status));
    expect_refused(
        MPI_File_write_at(fh, INT64_MAX - 10, buf, 64, MPI_BYTE, &status));
    expect_count(&status, 0);
    expect_refused(
        MPI_File_read_at(fh, INT64_MAX - 10, buf, 64, MPI_BYTE, &status));
    expect_count(&status, 0);
}

static void collective(MPI_File fh)
{
    MPI_Offset off = rank == 1 ? INT64_MAX - 10 : 64 * rank;
    MPI_Status status;

    memset(&status, 0, sizeof(status));
    expect_refused(MPI_File_write_at_all(fh, off, buf, 64, MPI_BYTE, &status));
    expect_count(&status, 0);
    expect_refused(MPI_File_read_at_all(fh, off, buf, 64, MPI_BYTE, &status));
    expect_count(&status, 0);
}

static void nonblocking(MPI_File fh)
{
    MPI_Offset off = rank == 1 ? INT64_MAX - 10 : 64 * rank;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_File_iwrite_at_all(fh, off, buf, 64, MPI_BYTE, &request);

    expect_refused(code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Whatever was refused, the ordinary goes on. */
static void ordinary(MPI_File fh)
{
    char got[64];

    MUST(MPI_File_write_at_all(fh, 64 * rank, buf, 64, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_read_at_all(fh, 64 * rank, got, 64, MPI_BYTE,
                              MPI_STATUS_IGNORE));
    EXPECT(memcmp(buf, got, 64) == 0);
}

static void all_ways(MPI_File fh)
{
    independent(fh);
    ordinary(fh);
    collective(fh);
    ordinary(fh);
    nonblocking(fh);
    ordinary(fh);
}

static void strided_view(MPI_File fh, MPI_Offset disp)
{
    MPI_Datatype view;

    MUST(MPI_Type_vector(4, 16, 16 * size, MPI_BYTE, &view));
    MUST(MPI_Type_commit(&view));
    MUST(MPI_File_set_view(fh, disp, MPI_BYTE, view, "native", MPI_INFO_NULL));
    MUST(MPI_Type_free(&view));
}

/* A file pointer stays where a refused access found it. */
static void pointer(MPI_File fh)
{
    MPI_Offset at;

    MUST(MPI_File_set_view(fh, INT64_MAX - 100, MPI_BYTE, MPI_BYTE, "native",
                           MPI_INFO_NULL));
    MUST(MPI_File_seek(fh, 90, MPI_SEEK_SET));
    expect_refused(
        MPI_File_write_all(fh, buf, 64, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_get_position(fh, &at));
    EXPECT_EQ(at, 90);
}

int main(int argc, char **argv)
{
    MPI_File fh;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 2);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    memset(buf, 'a' + rank, sizeof(buf));
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    all_ways(fh);
    strided_view(fh, 16 * rank);
    all_ways(fh);
    pointer(fh);
    MUST(MPI_File_close(&fh));
    MUST(MPI_Finalize());
    return 0;
}
