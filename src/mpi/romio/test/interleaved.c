/* interleaved.c - blocks of all ranks in turn, written and read collectively
 *
 *   interleaved [-h KEY=VALUE]... FILE BLOCK BYTES
 *
 * Each rank has BYTES bytes in blocks of BLOCK bytes; there are no holes. The
 * file is closed in between, and what was read is compared. Prints for each
 * rank by how much its peak of memory (VmHWM) has grown since before the open,
 * after writing and after reading.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#define WARM 65536 /* bytes to every rank beforehand */

/* KiB */
static long memory_peak(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;

    EXPECT(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    fclose(f);
    EXPECT(kib > 0);
    return kib;
}

/* What MPI needs for its own connections is not the driver's. */
static void warm_up(int size)
{
    char *from = calloc((size_t)size, WARM), *to = calloc((size_t)size, WARM);

    EXPECT(from && to);
    MUST(
        MPI_Alltoall(from, WARM, MPI_BYTE, to, WARM, MPI_BYTE, MPI_COMM_WORLD));
    free(from);
    free(to);
}

static MPI_Info hints_of(int *argc, char ***argv)
{
    MPI_Info info;

    MPI_Info_create(&info);
    while (*argc > 2 && strcmp((*argv)[1], "-h") == 0) {
        char *key = (*argv)[2], *value = strchr(key, '=');

        EXPECT(value);
        *value++ = '\0';
        MPI_Info_set(info, key, value);
        *argc -= 2;
        *argv += 2;
    }
    return info;
}

static MPI_File open_view(const char *name, int mode, MPI_Info info, int block)
{
    MPI_Datatype one, tile;
    int rank, size;
    MPI_File fh;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MUST(MPI_File_open(MPI_COMM_WORLD, name, mode, info, &fh));
    MPI_Type_contiguous(block, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint)block * size, &tile);
    MPI_Type_commit(&tile);
    MUST(MPI_File_set_view(fh, (MPI_Offset)rank * block, MPI_BYTE, tile,
                           "native", MPI_INFO_NULL));
    MPI_Type_free(&one);
    MPI_Type_free(&tile);
    return fh;
}

static void fill(unsigned char *buf, int bytes, int rank)
{
    for (int i = 0; i < bytes; i++)
        buf[i] = (unsigned char)(i * 7 + i / 4096 + rank * 31);
}

static void move(MPI_File fh, int write, void *buf, int bytes)
{
    MPI_Status status;
    int count;

    if (write)
        MUST(MPI_File_write_all(fh, buf, bytes, MPI_BYTE, &status));
    else
        MUST(MPI_File_read_all(fh, buf, bytes, MPI_BYTE, &status));
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, bytes);
    MUST(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    unsigned char *buf, *got;
    int rank, size, block, bytes;
    MPI_Info info;
    long before, written;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    info = hints_of(&argc, &argv);
    EXPECT(argc == 4);
    block = atoi(argv[2]);
    bytes = atoi(argv[3]);
    EXPECT(block > 0 && bytes > 0 && bytes % block == 0);
    buf = malloc((size_t)bytes);
    got = calloc(1, (size_t)bytes);
    EXPECT(buf && got);
    fill(buf, bytes, rank);
    memset(got, 1, (size_t)bytes);
    warm_up(size);
    before = memory_peak();
    move(open_view(argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, info, block), 1,
         buf, bytes);
    written = memory_peak() - before;
    move(open_view(argv[1], MPI_MODE_RDONLY, info, block), 0, got, bytes);
    printf("rank %d: write %ld KiB, read %ld KiB\n", rank, written,
           memory_peak() - before);
    EXPECT(memcmp(buf, got, (size_t)bytes) == 0);
    MPI_Info_free(&info);
    free(buf);
    free(got);
    MPI_Finalize();
    return 0;
}
