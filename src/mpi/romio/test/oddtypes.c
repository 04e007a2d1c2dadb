/* oddtypes.c - datatypes that ROMIO takes wrongly, or not at all
 *
 * usage: oddtypes FILE. Memory below the buffer (a lower bound below 0), and
 * types made by MPI 4's constructors with large counts, in all kinds of calls.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

enum { PIECE = 24, BELOW = 72 };

static int rank, nprocs;
static char memory[256], want[PIECE];
static char *const buf = memory + 100;

static MPI_Datatype below(int large)
{
    int length = PIECE;
    MPI_Aint place = -BELOW;
    MPI_Count lengths = PIECE, places = -BELOW;
    MPI_Datatype type;

    if (large)
        MUST(MPI_Type_create_hindexed_c(1, &lengths, &places, MPI_BYTE, &type));
    else
        MUST(MPI_Type_create_hindexed(1, &length, &place, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    return type;
}

/* Three parts of a piece, the ranks in turn. */
static MPI_Datatype interleaved(int large)
{
    MPI_Datatype type;

    if (large)
        MUST(MPI_Type_vector_c(3, PIECE / 3, (MPI_Count)PIECE / 3 * nprocs,
                               MPI_BYTE, &type));
    else
        MUST(
            MPI_Type_vector(3, PIECE / 3, PIECE / 3 * nprocs, MPI_BYTE, &type));
    MUST(MPI_Type_commit(&type));
    return type;
}

enum { ALONE, TOGETHER, LATER, LATER_TOGETHER, HOWS };

static void put(MPI_File fh, int how, MPI_Datatype type)
{
    MPI_Request req;

    if (how == ALONE)
        MUST(MPI_File_write_at(fh, 0, buf, 1, type, MPI_STATUS_IGNORE));
    else if (how == TOGETHER)
        MUST(MPI_File_write_at_all(fh, 0, buf, 1, type, MPI_STATUS_IGNORE));
    else if (how == LATER)
        MUST(MPI_File_iwrite_at(fh, 0, buf, 1, type, &req));
    else
        MUST(MPI_File_iwrite_at_all(fh, 0, buf, 1, type, &req));
    if (how >= LATER)
        MUST(MPI_Wait(&req, MPI_STATUS_IGNORE));
}

static void get(MPI_File fh, int how, MPI_Datatype type)
{
    MPI_Request req;

    if (how == ALONE)
        MUST(MPI_File_read_at(fh, 0, buf, 1, type, MPI_STATUS_IGNORE));
    else if (how == TOGETHER)
        MUST(MPI_File_read_at_all(fh, 0, buf, 1, type, MPI_STATUS_IGNORE));
    else if (how == LATER)
        MUST(MPI_File_iread_at(fh, 0, buf, 1, type, &req));
    else
        MUST(MPI_File_iread_at_all(fh, 0, buf, 1, type, &req));
    if (how >= LATER)
        MUST(MPI_Wait(&req, MPI_STATUS_IGNORE));
}

static void fill(int seed)
{
    memset(memory, 0x55, sizeof(memory));
    for (int i = 0; i < PIECE; i++)
        want[i] = (char)(seed * 31 + rank * PIECE + i);
    memcpy(buf - BELOW, want, PIECE);
}

/* Written through the type, found by plain calls, and read again. */
static void check(MPI_File fh, int how, int large)
{
    MPI_Datatype type = below(large);
    char plain[PIECE];

    fill(how + HOWS * large);
    put(fh, how, type);
    MUST(
        MPI_File_read_at_all(fh, 0, plain, PIECE, MPI_BYTE, MPI_STATUS_IGNORE));
    if (memcmp(plain, want, PIECE))
        expect_failed(__FILE__, __LINE__, "write %d, large counts: %d", how,
                      large);
    memset(memory, 0x55, sizeof(memory));
    get(fh, how, type);
    if (memcmp(buf - BELOW, want, PIECE))
        expect_failed(__FILE__, __LINE__, "read %d, large counts: %d", how,
                      large);
    for (int i = 0; i < (int)sizeof(memory); i++)
        if (memory + i < buf - BELOW || memory + i >= buf - BELOW + PIECE)
            EXPECT_EQ(memory[i], 0x55);
    MUST(MPI_Type_free(&type));
}

static void check_view(MPI_File fh)
{
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    MPI_Count size;
    MPI_Offset disp;

    MUST(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    EXPECT_EQ(disp, rank * PIECE / 3);
    MUST(MPI_Type_size_x(filetype, &size));
    EXPECT_EQ(size, PIECE);
    MUST(MPI_Type_free(&filetype));
}

static void run(MPI_File fh, int strided, int large)
{
    MPI_Datatype type = interleaved(large);

    MUST(MPI_File_set_view(fh, strided ? rank * PIECE / 3 : rank * PIECE,
                           MPI_BYTE, strided ? type : MPI_BYTE, "native",
                           MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
    if (strided)
        check_view(fh);
    for (int how = 0; how < HOWS; how++)
        for (int memory_large = 0; memory_large < 2; memory_large++)
            check(fh, how, memory_large);
}

int main(int argc, char **argv)
{
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       MPI_INFO_NULL, &fh));
    for (int strided = 0; strided < 2; strided++)
        for (int large = 0; large < 2; large++)
            run(fh, strided, large);
    MUST(MPI_File_close(&fh));
    MPI_Finalize();
    return 0;
}
