/* large.c - MPI_File calls with more than INT_MAX elements
 *
 * usage: large FILE CASE...; prints "ok CASE"
 *
 * Rank 0 moves 2^31 + 10 bytes in one call, other ranks 10. Its buffer is one
 * stretch of memory mapped again and again, so that it costs 16 MiB: what is
 * written repeats itself with that period, and what is read too. A case is
 * NAME or NAME.strided: through a view of blocks with gaps. An MPI before
 * version 4 has no such calls; there a call moves one element of a large type.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "expect.h"

#define PERIOD ((size_t)16 << 20)
#define LARGE (((MPI_Count)1 << 31) + 10)

static int rank, nprocs;
static MPI_Count count;
static char *buf, *pattern;

#if MPI_VERSION >= 4
#define CALL(name) MPI_File_##name##_c
#define HOW_MUCH count, MPI_BYTE
static void make_type(void)
{
}

static void free_type(void)
{
}
#else
#define CALL(name) MPI_File_##name
#define HOW_MUCH 1, large_type
static MPI_Datatype large_type;

/* `count` bytes: twice 2^30 and the rest. */
static void make_type(void)
{
    enum { HALF = 1 << 30 };
    int large = count >= 2 * (MPI_Count)HALF;
    int len[2] = {large ? 2 : 0,
                  (int)(count - (large ? 2 : 0) * (MPI_Count)HALF)};
    MPI_Aint at[2] = {0, large ? 2 * (MPI_Aint)HALF : 0};
    MPI_Datatype part[2] = {MPI_DATATYPE_NULL, MPI_BYTE};

    MUST(MPI_Type_contiguous(HALF, MPI_BYTE, &part[0]));
    MUST(MPI_Type_create_struct(2, len, at, part, &large_type));
    MUST(MPI_Type_commit(&large_type));
    MUST(MPI_Type_free(&part[0]));
}

static void free_type(void)
{
    MUST(MPI_Type_free(&large_type));
}
#endif

/* One period of memory, over and over. */
static char *map_buffer(void)
{
    size_t size = ((size_t)LARGE / PERIOD + 1) * PERIOD;
    int fd = memfd_create("large", 0);
    char *base;

    EXPECT(fd >= 0 && ftruncate(fd, PERIOD) == 0);
    base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(base != MAP_FAILED);
    for (size_t at = 0; at < size; at += PERIOD)
        EXPECT(mmap(base + at, PERIOD, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, fd, 0) == base + at);
    close(fd);
    return base;
}

static void fill(void)
{
    for (size_t i = 0; i < PERIOD; i++)
        pattern[i] = (char)(i * 2654435761u >> 13) + (char)rank;
    memcpy(buf, pattern, PERIOD);
}

/* Rank 0's bytes first, or one block in two is rank 0's. */
static void set_view(MPI_File fh, int strided)
{
    MPI_Datatype block, type;

    if (!strided) {
        MUST(MPI_File_set_view(fh, rank ? LARGE + (rank - 1) * 10 : 0, MPI_BYTE,
                               MPI_BYTE, "native", MPI_INFO_NULL));
        return;
    }
    MUST(MPI_Type_contiguous(1 << 20, MPI_BYTE, &block));
    MUST(MPI_Type_create_resized(block, 0, (MPI_Aint)nprocs << 20, &type));
    MUST(MPI_Type_commit(&type));
    MUST(MPI_File_set_view(fh, (MPI_Offset)rank << 20, MPI_BYTE, type, "native",
                           MPI_INFO_NULL));
    MUST(MPI_Type_free(&type));
    MUST(MPI_Type_free(&block));
}

static void must_count(const MPI_Status *status)
{
    MPI_Count bytes = -1;

    MUST(MPI_Get_elements_x(status, MPI_BYTE, &bytes));
    EXPECT_EQ(bytes, count);
#if MPI_VERSION >= 4
    MUST(MPI_Get_count_c(status, MPI_BYTE, &bytes));
    EXPECT_EQ(bytes, count);
#endif
}

static void must_match(void)
{
    size_t n = (size_t)count < PERIOD ? (size_t)count : PERIOD;

    EXPECT(memcmp(buf, pattern, n) == 0);
    memset(buf, 0, PERIOD);
}

enum {
    WRITE_AT_ALL,
    WRITE_ALL,
    WRITE_AT,
    WRITE,
    IWRITE_AT_ALL,
    IWRITE_ALL,
    IWRITE_AT,
    IWRITE,
    WRITE_SHARED,
    IWRITE_SHARED,
    WRITE_ORDERED,
    WRITE_AT_ALL_BEGIN,
    WRITE_ALL_BEGIN,
    WRITE_ORDERED_BEGIN,
    KINDS
};

static const char *const names[KINDS] = {
    "at_all",  "all",          "at",          "individual",   "iat_all",
    "iall",    "iat",          "iindividual", "shared",       "ishared",
    "ordered", "at_all_begin", "all_begin",   "ordered_begin"};

#define MOVE(verb)                                                    \
    static void do_##verb(MPI_File fh, int kind, MPI_Status *status)  \
    {                                                                 \
        MPI_Request req = MPI_REQUEST_NULL;                           \
                                                                      \
        switch (kind) {                                               \
        case WRITE_AT_ALL:                                            \
            MUST(CALL(verb##_at_all)(fh, 0, buf, HOW_MUCH, status));  \
            break;                                                    \
        case WRITE_ALL:                                               \
            MUST(CALL(verb##_all)(fh, buf, HOW_MUCH, status));        \
            break;                                                    \
        case WRITE_AT:                                                \
            MUST(CALL(verb##_at)(fh, 0, buf, HOW_MUCH, status));      \
            break;                                                    \
        case WRITE:                                                   \
            MUST(CALL(verb)(fh, buf, HOW_MUCH, status));              \
            break;                                                    \
        case IWRITE_AT_ALL:                                           \
            MUST(CALL(i##verb##_at_all)(fh, 0, buf, HOW_MUCH, &req)); \
            break;                                                    \
        case IWRITE_ALL:                                              \
            MUST(CALL(i##verb##_all)(fh, buf, HOW_MUCH, &req));       \
            break;                                                    \
        case IWRITE_AT:                                               \
            MUST(CALL(i##verb##_at)(fh, 0, buf, HOW_MUCH, &req));     \
            break;                                                    \
        case IWRITE:                                                  \
            MUST(CALL(i##verb)(fh, buf, HOW_MUCH, &req));             \
            break;                                                    \
        case WRITE_SHARED:                                            \
            MUST(CALL(verb##_shared)(fh, buf, HOW_MUCH, status));     \
            break;                                                    \
        case IWRITE_SHARED:                                           \
            MUST(CALL(i##verb##_shared)(fh, buf, HOW_MUCH, &req));    \
            break;                                                    \
        case WRITE_ORDERED:                                           \
            MUST(CALL(verb##_ordered)(fh, buf, HOW_MUCH, status));    \
            break;                                                    \
        case WRITE_AT_ALL_BEGIN:                                      \
            MUST(CALL(verb##_at_all_begin)(fh, 0, buf, HOW_MUCH));    \
            MUST(MPI_File_##verb##_at_all_end(fh, buf, status));      \
            break;                                                    \
        case WRITE_ALL_BEGIN:                                         \
            MUST(CALL(verb##_all_begin)(fh, buf, HOW_MUCH));          \
            MUST(MPI_File_##verb##_all_end(fh, buf, status));         \
            break;                                                    \
        case WRITE_ORDERED_BEGIN:                                     \
            MUST(CALL(verb##_ordered_begin)(fh, buf, HOW_MUCH));      \
            MUST(MPI_File_##verb##_ordered_end(fh, buf, status));     \
            break;                                                    \
        }                                                             \
        if (req != MPI_REQUEST_NULL)                                  \
            MUST(MPI_Wait(&req, status));                             \
    }
MOVE(write)
MOVE(read)

static int uses_shared(int kind)
{
    return kind == WRITE_SHARED || kind == IWRITE_SHARED ||
           kind == WRITE_ORDERED || kind == WRITE_ORDERED_BEGIN;
}

/* The shared pointer needs one view for all; ranks come in order or the other
 * ranks have nothing. */
static void run(const char *file, int kind, int strided)
{
    MPI_Status status;
    MPI_Offset size;
    MPI_File fh;

    count = rank == 0 ? LARGE : uses_shared(kind) ? 0 : 10;
    MUST(MPI_File_open(MPI_COMM_WORLD, file,
                       MPI_MODE_CREATE | MPI_MODE_RDWR |
                           MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &fh));
    if (!uses_shared(kind))
        set_view(fh, strided);
    fill();
    make_type();
    do_write(fh, kind, &status);
    must_count(&status);
    memset(buf, 0, PERIOD);
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(MPI_File_get_size(fh, &size));
    EXPECT(size >= LARGE);
    if (uses_shared(kind))
        MUST(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    else
        MUST(MPI_File_seek(fh, 0, MPI_SEEK_SET));
    do_read(fh, kind, &status);
    must_count(&status);
    must_match();
    free_type();
    MUST(MPI_File_close(&fh));
}

static int find(const char *name, int *strided)
{
    size_t len = strcspn(name, ".");

    *strided = strcmp(name + len, ".strided") == 0;
    for (int k = 0; k < KINDS; k++)
        if (strlen(names[k]) == len && strncmp(names[k], name, len) == 0)
            return k;
    return -1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-L") == 0) {
        for (int k = 0; k < KINDS; k++)
            printf("%s\n", names[k]);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    buf = map_buffer();
    pattern = malloc(PERIOD);
    EXPECT(pattern && argc > 2);
    for (int i = 2; i < argc; i++) {
        int strided, kind = find(argv[i], &strided);

        EXPECT(kind >= 0);
        run(argv[1], kind, strided);
        if (rank == 0)
            printf("ok %s\n", argv[i]);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
