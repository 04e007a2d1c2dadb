/* halo.c - arrays with ghost layers, and memory with gaps, in few calls
 *
 * halo ACTION FILE SHAPE X Y Z [KEY=VALUE...]
 *
 * ACTION is write, read or both: one collective write of the file, one
 * collective read of it, every byte of memory compared. SHAPE is
 *   array    a 3-D array cut into blocks of X x Y x Z cells of 8 bytes a rank;
 *            in memory a block has a ghost layer on every side
 *   gaps     Z rows of X cells a rank, contiguous in the file; in memory a row
 *            begins every Y cells
 *   same     as gaps; all ranks have the same place in the file, and rank 0
 *            writes
 * KEY=VALUE are hints of MPI_File_open.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdint.h>

#include "expect.h"

#define GHOST 0xeeeeeeeeeeeeeeee

struct shape {
    int size[3]; /* cells of a rank: z, y, x */
    MPI_Datatype mem, view;
    int64_t cells; /* of memory, gaps included */
    MPI_Offset at; /* in the view, in cells */
    int whose;     /* rank whose cells these are */
};

static void make_array(struct shape *s, int rank, int ranks)
{
    int dims[3] = {0}, all[3], from[3], mem[3], one[3] = {1, 1, 1};
    int place[3];

    MUST(MPI_Dims_create(ranks, 3, dims));
    place[0] = rank / (dims[1] * dims[2]);
    place[1] = rank / dims[2] % dims[1];
    place[2] = rank % dims[2];
    s->cells = 1;
    s->whose = rank;
    for (int i = 0; i < 3; i++) {
        all[i] = dims[i] * s->size[i];
        from[i] = place[i] * s->size[i];
        mem[i] = s->size[i] + 2;
        s->cells *= mem[i];
    }
    MUST(MPI_Type_create_subarray(3, all, s->size, from, MPI_ORDER_C,
                                  MPI_UINT64_T, &s->view));
    MUST(MPI_Type_create_subarray(3, mem, s->size, one, MPI_ORDER_C,
                                  MPI_UINT64_T, &s->mem));
}

static void make_gaps(struct shape *s, int rank)
{
    int rows = s->size[0], step = s->size[1], row = s->size[2];

    MUST(MPI_Type_vector(rows, row, step, MPI_UINT64_T, &s->mem));
    MUST(MPI_Type_contiguous(1, MPI_UINT64_T, &s->view));
    s->cells = (int64_t)rows * step;
    s->at = (MPI_Offset)rank * rows * row;
    s->whose = rank;
}

/* Memory as it must be after a read: ghost cells keep their value, the others
 * have the number of their place in the file. MPI itself says where they are:
 * it packs the numbers that the view selects. */
static uint64_t *make_memory(const struct shape *s)
{
    uint64_t *mem = malloc(s->cells * sizeof(*mem));
    MPI_Count bytes;
    uint64_t *packed;
    int place = 0;

    EXPECT(mem);
    for (int64_t i = 0; i < s->cells; i++)
        mem[i] = GHOST;
    MUST(MPI_Type_size_x(s->mem, &bytes));
    packed = malloc(bytes);
    EXPECT(packed);
    for (int64_t i = 0; i < bytes / 8; i++)
        packed[i] = ((uint64_t)s->whose << 40) + i;
    MUST(
        MPI_Unpack(packed, (int)bytes, &place, mem, 1, s->mem, MPI_COMM_WORLD));
    free(packed);
    return mem;
}

static MPI_Info make_info(int n, char **pair)
{
    MPI_Info info = MPI_INFO_NULL;

    if (n > 0)
        MUST(MPI_Info_create(&info));
    for (int i = 0; i < n; i++) {
        char *value = strchr(pair[i], '=');

        EXPECT(value);
        *value = 0;
        MUST(MPI_Info_set(info, pair[i], value + 1));
        *value = '=';
    }
    return info;
}

static void compare(const uint64_t *got, const uint64_t *want, int64_t cells)
{
    for (int64_t i = 0; i < cells; i++)
        if (got[i] != want[i])
            expect_failed(__FILE__, __LINE__, "cell %lld is %llx, not %llx",
                          (long long)i, (long long)got[i], (long long)want[i]);
}

static void write_shape(MPI_File fh, const struct shape *s, const uint64_t *mem,
                        int rank)
{
    MPI_Status status;
    int n, mine = s->whose == rank;

    MUST(MPI_File_write_at_all(fh, s->at, mem, mine, s->mem, &status));
    MUST(MPI_Get_count(&status, s->mem, &n));
    EXPECT_EQ(n, mine);
}

static void read_shape(MPI_File fh, const struct shape *s, const uint64_t *want)
{
    uint64_t *mem = malloc(s->cells * sizeof(*mem));
    MPI_Status status;
    int n;

    EXPECT(mem);
    for (int64_t i = 0; i < s->cells; i++)
        mem[i] = GHOST;
    MUST(MPI_File_read_at_all(fh, s->at, mem, 1, s->mem, &status));
    MUST(MPI_Get_count(&status, s->mem, &n));
    EXPECT_EQ(n, 1);
    compare(mem, want, s->cells);
    free(mem);
}

int main(int argc, char **argv)
{
    struct shape s = {.at = 0};
    int rank, ranks, writes, reads;
    uint64_t *mem;
    MPI_Info info;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    EXPECT(argc >= 7);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    writes = strcmp(argv[1], "read") != 0;
    reads = strcmp(argv[1], "write") != 0;
    for (int i = 0; i < 3; i++)
        s.size[2 - i] = atoi(argv[4 + i]);
    if (strcmp(argv[3], "gaps") == 0)
        make_gaps(&s, rank);
    else if (strcmp(argv[3], "same") == 0)
        make_gaps(&s, 0);
    else
        make_array(&s, rank, ranks);
    MUST(MPI_Type_commit(&s.mem));
    MUST(MPI_Type_commit(&s.view));
    mem = make_memory(&s);
    info = make_info(argc - 7, argv + 7);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[2],
                       MPI_MODE_RDWR | (writes ? MPI_MODE_CREATE : 0), info,
                       &fh));
    MUST(MPI_File_set_view(fh, 0, MPI_UINT64_T, s.view, "native", info));
    if (writes)
        write_shape(fh, &s, mem, rank);
    if (reads)
        read_shape(fh, &s, mem);
    MUST(MPI_File_close(&fh));
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    MPI_Type_free(&s.mem);
    MPI_Type_free(&s.view);
    free(mem);
    MPI_Finalize();
    return 0;
}
