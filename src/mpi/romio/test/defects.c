/* defects.c - what stock ad_lustre gets wrong, a case each
 *
 * defects CASE FILE, on 4 ranks unless said otherwise:
 *   holes     write_all with holes into a new file: the holes stay zero
 *   gaps      the same, not checked
 *   foreign   the same over bytes that another job wrote: they stay
 *   error     write_all, whose error class is printed by every rank
 *   setview   set_view with striping_unit in its info: the layout stays
 *   blocks    write_all of a strided pattern, 4 MiB a rank
 *   eof       read_all past the end of the file tells what was there
 *   sieve     rank 0 sieves, the others write into the holes meanwhile
 *   big       (2 ranks) rank 1 sends over 2 GiB to rank 0 from a noncontiguous
 *             buffer
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <fcntl.h>
#include <unistd.h>

#include "expect.h"

static int rank, size;

static MPI_File open_with(const char *name, MPI_Info info)
{
    MPI_File fh;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    return fh;
}

static const char *path_of(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon ? colon + 1 : name;
}

/* `n` blocks of `len` bytes, one every `step` bytes, from `first` on */
static void view_blocks(MPI_File fh, MPI_Offset first, int n, int len, int step)
{
    MPI_Datatype type;

    MPI_Type_vector(n, len, step, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MUST(MPI_File_set_view(fh, first, MPI_BYTE, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
}

#define HOLES 64  /* blocks of a rank */
#define PIECE 100 /* bytes of a block; a hole of as many follows */

/* Ranks in turn, each block followed by a hole that no rank writes. */
static void write_with_holes(MPI_File fh)
{
    char buf[HOLES * PIECE];
    int step = 2 * PIECE * size;

    memset(buf, 'a' + rank, sizeof(buf));
    view_blocks(fh, rank * 2 * PIECE, HOLES, PIECE, step);
    MUST(MPI_File_write_all(fh, buf, sizeof(buf), MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
}

static void check_holes(const char *path, char hole)
{
    int fd = open(path, O_RDONLY);
    char got[2 * PIECE];

    EXPECT(fd >= 0);
    for (int i = 0; i < HOLES * size; i++) {
        EXPECT(pread(fd, got, PIECE, (off_t)i * 2 * PIECE) == PIECE);
        for (int k = 0; k < PIECE; k++)
            EXPECT_EQ(got[k], 'a' + i % size);
        if (i == HOLES * size - 1)
            break; /* the file ends with the last block */
        EXPECT(pread(fd, got, PIECE, (off_t)i * 2 * PIECE + PIECE) == PIECE);
        for (int k = 0; k < PIECE; k++)
            EXPECT_EQ(got[k], hole);
    }
    EXPECT_EQ(lseek(fd, 0, SEEK_END), (2 * HOLES * size - 1) * PIECE);
    close(fd);
}

static void gaps(const char *name)
{
    write_with_holes(open_with(name, MPI_INFO_NULL));
}

static void holes(const char *name)
{
    write_with_holes(open_with(name, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check_holes(path_of(name), 0);
}

/* What is between was written after the open: no copy of it is known here. */
static void foreign(const char *name)
{
    MPI_File fh = open_with(name, MPI_INFO_NULL);
    char all[(2 * HOLES * 16 - 1) * PIECE];
    size_t len = (2 * HOLES * size - 1) * PIECE;
    int fd;

    memset(all, '.', sizeof(all));
    if (rank == 0) {
        fd = open(path_of(name), O_WRONLY);
        EXPECT(fd >= 0 && pwrite(fd, all, len, 0) == (ssize_t)len);
        close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    write_with_holes(fh);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        check_holes(path_of(name), '.');
}

static int write_blocks(MPI_File fh, MPI_Status *status)
{
    enum { COUNT = 64, BLOCK = 65536 };
    char *buf = malloc((size_t)COUNT * BLOCK);
    int rc;

    memset(buf, 'A' + rank, (size_t)COUNT * BLOCK);
    view_blocks(fh, (MPI_Offset)rank * BLOCK, COUNT, BLOCK, BLOCK * size);
    rc = MPI_File_write_all(fh, buf, COUNT * BLOCK, MPI_BYTE, status);
    free(buf);
    return rc;
}

static void blocks(const char *name)
{
    MPI_File fh = open_with(name, MPI_INFO_NULL);
    MPI_Status status;
    int n;

    MUST(write_blocks(fh, &status));
    MPI_Get_count(&status, MPI_BYTE, &n);
    EXPECT_EQ(n, 64 * 65536);
    MUST(MPI_File_close(&fh));
}

static void error(const char *name)
{
    MPI_File fh = open_with(name, MPI_INFO_NULL);
    MPI_Status status;
    int class = class_of(write_blocks(fh, &status)), count = -1;

    MPI_Get_count(&status, MPI_BYTE, &count);
    printf("rank %d: %s, %d bytes\n", rank,
           class == MPI_SUCCESS        ? "no error"
           : class == MPI_ERR_IO       ? "IO"
           : class == MPI_ERR_NO_SPACE ? "NO_SPACE"
                                       : "another error",
           count);
    MPI_File_close(&fh);
}

static void setview(const char *name)
{
    MPI_Info info, now;
    MPI_File fh;
    char text[64] = "";
    int flag;

    MPI_Info_create(&info);
    MPI_Info_set(info, "striping_unit", "262144");
    fh = open_with(name, info);
    MPI_Info_set(info, "striping_unit", "65536");
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    MUST(MPI_File_get_info(fh, &now));
    MPI_Info_get(now, "striping_unit", sizeof(text) - 1, text, &flag);
    if (rank == 0)
        printf("striping_unit %s\n", text);
    MPI_Info_free(&info);
    MPI_Info_free(&now);
    MUST(write_blocks(fh, MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
}

/* The file has 1000 bytes: rank 1 finds 400 of 600, later ones nothing. */
static void eof(const char *name)
{
    MPI_File fh = open_with(name, MPI_INFO_NULL);
    char buf[1000];
    MPI_Status status;
    int n, want = rank == 0 ? 600 : rank == 1 ? 400 : 0;

    memset(buf, 'x', sizeof(buf));
    MUST(MPI_File_write_at_all(fh, 0, buf, rank ? 0 : 1000, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_sync(fh));
    MUST(MPI_File_read_at_all(fh, rank * 600, buf, 600, MPI_BYTE, &status));
    MPI_Get_count(&status, MPI_BYTE, &n);
    EXPECT_EQ(n, want);
    view_blocks(fh, rank * 10, 60, 10, 10 * size);
    MUST(MPI_File_read_all(fh, buf, 600, MPI_BYTE, &status));
    MPI_Get_count(&status, MPI_BYTE, &n);
    EXPECT_EQ(n, 1000 / size);
    MUST(MPI_File_close(&fh));
}

/* Blocks of rank 0 with holes of as many bytes, in which the others write one
 * block each, again and again. */
static void sieve(const char *name)
{
    enum { ROUNDS = 300 };
    char blocks[HOLES * PIECE], hole[PIECE], got[2 * HOLES * PIECE];
    MPI_Info info;
    MPI_File fh;

    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_write", "enable");
    fh = open_with(name, info);
    if (rank == 0)
        view_blocks(fh, 0, HOLES, PIECE, 2 * PIECE);
    else
        view_blocks(fh, 0, 1, 1, 1);
    for (int round = 1; round <= ROUNDS; round++) {
        memset(blocks, round % 100, sizeof(blocks));
        memset(hole, round % 100 + rank, sizeof(hole));
        if (rank == 0)
            MUST(MPI_File_write_at(fh, 0, blocks, sizeof(blocks), MPI_BYTE,
                                   MPI_STATUS_IGNORE));
        else
            MUST(MPI_File_write_at(fh, (2 * rank - 1) * PIECE, hole, PIECE,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0) {
            MUST(MPI_File_read_at(fh, 0, got, 2 * rank * PIECE, MPI_BYTE,
                                  MPI_STATUS_IGNORE));
            EXPECT_EQ(got[2 * rank * PIECE - 1], round % 100 + rank);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MUST(MPI_File_close(&fh));
    MPI_Info_free(&info);
}

/* The blocks overlap in memory, which a write may: 2200 MiB from 1 MiB. */
static void big(const char *name)
{
    enum { MIB = 1 << 20, COUNT = 2200, STEP = 24 };
    char *buf = malloc(MIB + COUNT * STEP), got[64];
    MPI_Datatype type;
    MPI_Status status;
    MPI_Count bytes;
    MPI_Info info;
    MPI_File fh;
    int fd;

    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_aggregator_list", "0");
    MPI_Info_set(info, "romio_cb_write", "enable");
    fh = open_with(name, info);
    for (int i = 0; i < MIB + COUNT * STEP; i++)
        buf[i] = (char)(i * 7 + i / 251);
    MPI_Type_create_hvector(COUNT, MIB, STEP, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MUST(MPI_File_write_at_all(fh, 0, buf, rank == 1, type, &status));
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    EXPECT_EQ(bytes, rank == 1 ? (MPI_Count)COUNT * MIB : 0);
    MUST(MPI_File_close(&fh));
    if (rank == 0) {
        fd = open(path_of(name), O_RDONLY);
        EXPECT_EQ(lseek(fd, 0, SEEK_END), (off_t)COUNT * MIB);
        for (int k = 0; k < COUNT; k++) {
            off_t at = (k * 7919) % (MIB - (int)sizeof(got));

            EXPECT(pread(fd, got, sizeof(got), (off_t)k * MIB + at) ==
                   (ssize_t)sizeof(got));
            EXPECT(memcmp(got, buf + k * STEP + at, sizeof(got)) == 0);
        }
        close(fd);
    }
    MPI_Type_free(&type);
    MPI_Info_free(&info);
    free(buf);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *);
    } cases[] = {{"holes", holes}, {"gaps", gaps},       {"foreign", foreign},
                 {"error", error}, {"setview", setview}, {"blocks", blocks},
                 {"eof", eof},     {"sieve", sieve},     {"big", big}};
    int found = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT(argc == 3 && size <= 16);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(argv[2]);
            found = 1;
        }
    EXPECT(found);
    MPI_Finalize();
    return 0;
}
