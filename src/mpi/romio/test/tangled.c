/* tangled.c - views whose pieces do not ascend in the file
 *
 * tangled FILE [KEY=VALUE...]: a filetype of two cells, STEP apart, repeated
 * every EXTENT cells, so that offsets go back; such a view may overlap itself
 * where the file is only read. Some ranks have a plain view. Every way to read
 * must give the cells of the view in its order; writes through a view that goes
 * back without overlapping must reach their cells.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdint.h>

#include "expect.h"

#define CELLS 40000 /* of the file */
#define MOST 3000   /* of a request */

struct view {
    int64_t disp, step, extent;
};

static int64_t place_of(const struct view *v, int64_t k)
{
    return v->disp + k / 2 * v->extent + k % 2 * v->step;
}

static void set_view(MPI_File fh, const struct view *v)
{
    MPI_Datatype two, tile;

    MUST(MPI_Type_vector(2, 1, (int)v->step, MPI_UINT64_T, &two));
    MUST(MPI_Type_create_resized(two, 0, v->extent * 8, &tile));
    MUST(MPI_Type_commit(&tile));
    MUST(MPI_File_set_view(fh, v->disp * 8, MPI_UINT64_T, tile, "native",
                           MPI_INFO_NULL));
    MPI_Type_free(&two);
    MPI_Type_free(&tile);
}

static void check_cells(const uint64_t *got, const struct view *v, int64_t from,
                        int n)
{
    for (int i = 0; i < n; i++)
        if ((int64_t)got[i] != place_of(v, from + i))
            expect_failed(__FILE__, __LINE__,
                          "cell %lld of the view is %lld, not %lld",
                          (long long)from + i, (long long)got[i],
                          (long long)place_of(v, from + i));
}

static void read_collectively(MPI_File fh, const struct view *v, int64_t from,
                              int n)
{
    static uint64_t got[MOST];
    MPI_Request request;
    MPI_Status status;
    int count;

    memset(got, 0xff, sizeof(got));
    MUST(MPI_File_read_at_all(fh, from, got, n, MPI_UINT64_T, &status));
    MUST(MPI_Get_count(&status, MPI_UINT64_T, &count));
    EXPECT_EQ(count, n);
    check_cells(got, v, from, n);
    memset(got, 0xff, sizeof(got));
    MUST(MPI_File_iread_at_all(fh, from, got, n, MPI_UINT64_T, &request));
    MUST(MPI_Wait(&request, &status));
    check_cells(got, v, from, n);
}

static void read_alone(MPI_File fh, const struct view *v, int64_t from, int n)
{
    static uint64_t got[MOST];
    MPI_Status status;
    int count;

    memset(got, 0xff, sizeof(got));
    MUST(MPI_File_read_at(fh, from, got, n, MPI_UINT64_T, &status));
    MUST(MPI_Get_count(&status, MPI_UINT64_T, &count));
    EXPECT_EQ(count, n);
    check_cells(got, v, from, n);
}

static void fill_file(MPI_File fh, int rank, int size)
{
    int n = CELLS / size, from = rank * n;
    uint64_t *cell;

    if (rank == size - 1)
        n = CELLS - from;
    cell = malloc(n * sizeof(*cell));
    EXPECT(cell);
    for (int i = 0; i < n; i++)
        cell[i] = from + i;
    MUST(MPI_File_set_view(fh, 0, MPI_UINT64_T, MPI_UINT64_T, "native",
                           MPI_INFO_NULL));
    MUST(MPI_File_write_at_all(fh, from, cell, n, MPI_UINT64_T,
                               MPI_STATUS_IGNORE));
    free(cell);
}

/* Cells 0, 100, 1, 101, ...: every rank has 200 cells, none twice. */
static void write_backwards(MPI_File fh, int rank)
{
    struct view v = {.disp = rank * 200, .step = 100, .extent = 1};
    uint64_t cell[200];

    for (int i = 0; i < 200; i++)
        cell[i] = place_of(&v, i);
    set_view(fh, &v);
    MUST(MPI_File_write_at_all(fh, 0, cell, 100, MPI_UINT64_T,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_write_at_all(fh, 100, cell + 100, 100, MPI_UINT64_T,
                               MPI_STATUS_IGNORE));
    set_view(fh, &v);
    read_collectively(fh, &v, 0, 200);
}

static void read_views(MPI_File fh, int rank, int alone)
{
    /* ascending, going back, overlapping itself; not all ranks alike */
    struct view views[] = {{rank * 7, 10, 20},
                           {rank * 7, 100, 50},
                           {rank * 7, 100, 8},
                           {rank * 7, 4000, 1}};
    int n = sizeof(views) / sizeof(views[0]);

    for (int i = 0; i < 2 * n; i++) {
        const struct view *v = &views[i < n ? i : (i + rank) % n];
        int cells = 2 * (rank % 3 ? 300 : 700) + rank % 2;

        set_view(fh, v);
        read_collectively(fh, v, rank % 2, cells);
        read_collectively(fh, v, 1, rank == 1 ? 0 : cells);
        if (alone)
            read_alone(fh, v, 1, cells);
    }
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_File fh;
    int rank, size, alone = 1;

    MPI_Init(&argc, &argv);
    EXPECT(argc >= 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MUST(MPI_Info_create(&info));
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        EXPECT(value);
        *value = 0;
        MUST(MPI_Info_set(info, argv[i], value + 1));
        alone &= strcmp(argv[i], "romio_no_indep_rw") != 0;
    }
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE,
                       info, &fh));
    fill_file(fh, rank, size);
    read_views(fh, rank, alone);
    write_backwards(fh, rank);
    read_views(fh, rank, alone);
    MUST(MPI_File_close(&fh));
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
