/* scarce.c - collective calls where memory is scarce
 *
 * usage: scarce FILE CB_BUFFER_SIZE
 *
 * Every rank writes and reads pieces in turn with the others. Either all is
 * right, or all ranks get the same error class; rank 0 prints which.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

enum { PIECE = 65536, PIECES = 16, BYTES = PIECE * PIECES };

static int rank, size;
static char mine[BYTES], got[BYTES];

static MPI_Datatype make_view(void)
{
    MPI_Datatype view;

    MUST(MPI_Type_vector(PIECES, PIECE, PIECE * size, MPI_BYTE, &view));
    MUST(MPI_Type_commit(&view));
    return view;
}

/* The class that all ranks have, MPI_SUCCESS too. */
static int common_class(int code)
{
    int class = code == MPI_SUCCESS ? MPI_SUCCESS : class_of(code);
    int least, most;

    MUST(MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    MUST(MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    EXPECT_EQ(least, most);
    return class;
}

/* Returns the class that the calls had. */
static int use(MPI_File fh)
{
    MPI_Datatype view = make_view();
    int class;

    MUST(MPI_File_set_view(fh, (MPI_Offset)rank * PIECE, MPI_BYTE, view,
                           "native", MPI_INFO_NULL));
    class = common_class(
        MPI_File_write_at_all(fh, 0, mine, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_EQ(common_class(MPI_File_read_at_all(fh, 0, got, BYTES, MPI_BYTE,
                                                MPI_STATUS_IGNORE)),
              class);
    if (class == MPI_SUCCESS)
        EXPECT(memcmp(mine, got, BYTES) == 0);
    MUST(MPI_Type_free(&view));
    return class;
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_File fh;
    int class;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 3);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    for (int i = 0; i < BYTES; i++)
        mine[i] = (char)(i * 7 + i / 250 + rank);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "cb_buffer_size", argv[2]));
    MUST(MPI_Info_set(info, "striping_factor", "4"));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    class = use(fh);
    if (rank == 0)
        printf("%s\n", class == MPI_SUCCESS ? "right" : "the same error");
    MUST(MPI_File_close(&fh));
    MUST(MPI_Info_free(&info));
    MUST(MPI_Finalize());
    return 0;
}
