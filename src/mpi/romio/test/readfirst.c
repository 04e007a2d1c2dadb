/* readfirst.c - what a collective read teaches about the call after it
 *
 * readfirst CASE FILE, on 4 ranks:
 *   holes    read and write again, three quarters of each block: what lies
 *            between belongs to another program and stays
 *   overlap  read as many bytes as the span is long, three times: the ranks of
 *            one node share some of them, and no rank wants others
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#define BLOCKS 64 /* of a rank */
#define BLOCK 100

static int rank, size;

static MPI_File open_file(const char *name)
{
    MPI_File fh;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    MPI_Info_free(&info);
    return fh;
}

/* Bytes `lo` to `hi` of every block in turn. */
static void view_part(MPI_File fh, int lo, int hi)
{
    MPI_Datatype type;

    MPI_Type_vector(BLOCKS, hi - lo, size * BLOCK, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MUST(MPI_File_set_view(fh, rank * BLOCK + lo, MPI_BYTE, type, "native",
                           MPI_INFO_NULL));
    MPI_Type_free(&type);
}

static unsigned char byte_of(int k, int salt)
{
    return (unsigned char)((k + salt) % 251);
}

/* The whole file, by one rank, while other ranks have it open. */
static void fill(const char *name, int salt)
{
    static unsigned char all[16 * BLOCKS * BLOCK];
    int n = size * BLOCKS * BLOCK;
    MPI_File fh;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        all[i] = byte_of(i, salt);
    if (rank == 0) {
        MUST(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY, MPI_INFO_NULL,
                           &fh));
        MUST(MPI_File_write_at(fh, 0, all, n, MPI_BYTE, MPI_STATUS_IGNORE));
        MUST(MPI_File_close(&fh));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_rest(MPI_File fh, int hi, int salt)
{
    unsigned char rest[BLOCKS * BLOCK];
    int n = BLOCK - hi;

    view_part(fh, hi, BLOCK);
    MUST(
        MPI_File_read_at(fh, 0, rest, BLOCKS * n, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < n; i++)
            EXPECT_EQ(rest[b * n + i],
                      byte_of((b * size + rank) * BLOCK + hi + i, salt));
}

static void holes(MPI_File fh, const char *name)
{
    enum { WANTED = BLOCK * 3 / 4 };
    char buf[BLOCKS * WANTED];

    fill(name, 0);
    view_part(fh, 0, WANTED);
    MUST(MPI_File_read_at_all(fh, 0, buf, sizeof(buf), MPI_BYTE,
                              MPI_STATUS_IGNORE));
    fill(name, 1);
    memset(buf, 'x', sizeof(buf));
    MUST(MPI_File_write_at_all(fh, 0, buf, sizeof(buf), MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_sync(fh));
    MPI_Barrier(MPI_COMM_WORLD);
    check_rest(fh, WANTED, 1);
}

/* Two ranks of one faked node, which are every second one, read the same block,
 * and no rank reads the block of one of them. */
static void overlap(MPI_File fh, const char *name)
{
    unsigned char buf[BLOCK];
    int block = rank == size - 3 ? size - 1 : rank;

    fill(name, 0);
    for (int call = 0; call < 3; call++) {
        MUST(MPI_File_read_at_all(fh, block * BLOCK, buf, BLOCK, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
        for (int i = 0; i < BLOCK; i++)
            EXPECT_EQ(buf[i], byte_of(block * BLOCK + i, 0));
    }
}

int main(int argc, char **argv)
{
    MPI_File fh;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT(argc == 3 && size <= 16);
    fh = open_file(argv[2]);
    if (strcmp(argv[1], "holes") == 0)
        holes(fh, argv[2]);
    else
        overlap(fh, argv[2]);
    MUST(MPI_File_close(&fh));
    MPI_Finalize();
    return 0;
}
