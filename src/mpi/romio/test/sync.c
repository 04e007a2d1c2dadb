/* sync.c - who calls fsync in MPI_File_sync
 *
 * usage: sync CASE FILE. With count_fsync.so preloaded every rank prints how
 * often fsync was called before the file was closed.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include "expect.h"

#include <dlfcn.h>

#define N 4096

static int rank, size;
static char buf[N];

static int fsyncs(void)
{
    int *count = dlsym(RTLD_DEFAULT, "fsync_count");

    return count ? *count : -1;
}

static void write_mine(MPI_File fh)
{
    MPI_Status status;
    int n;

    MUST(
        MPI_File_write_at(fh, (MPI_Offset)rank * N, buf, N, MPI_BYTE, &status));
    MUST(MPI_Get_count(&status, MPI_BYTE, &n));
    EXPECT_EQ(n, N);
}

static void case_none(MPI_File fh)
{
    MUST(MPI_File_sync(fh));
}

static void case_one(MPI_File fh)
{
    if (rank == 1)
        write_mine(fh);
    MUST(MPI_File_sync(fh));
}

static void case_all(MPI_File fh)
{
    write_mine(fh);
    MUST(MPI_File_sync(fh));
}

static void case_twice(MPI_File fh)
{
    write_mine(fh);
    MUST(MPI_File_sync(fh));
    MUST(MPI_File_sync(fh));
}

static void case_reader(MPI_File fh)
{
    MUST(MPI_File_read_at_all(fh, 0, buf, N, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_sync(fh));
}

/* Interleaved, so that aggregators write. */
static void case_collective(MPI_File fh)
{
    MPI_Datatype view;

    MUST(MPI_Type_vector(N / 64, 64, 64 * size, MPI_BYTE, &view));
    MUST(MPI_Type_commit(&view));
    MUST(MPI_File_set_view(fh, 64 * rank, MPI_BYTE, view, "native",
                           MPI_INFO_NULL));
    MUST(MPI_File_write_all(fh, buf, N, MPI_BYTE, MPI_STATUS_IGNORE));
    MUST(MPI_File_sync(fh));
    MUST(MPI_Type_free(&view));
}

static void case_size(MPI_File fh)
{
    MUST(MPI_File_set_size(fh, N));
    MUST(MPI_File_sync(fh));
    MUST(MPI_File_sync(fh));
}

static void case_reserve(MPI_File fh)
{
    MUST(MPI_File_preallocate(fh, 10 * N));
    MUST(MPI_File_sync(fh));
    MUST(MPI_File_sync(fh));
}

static void case_write(MPI_File fh)
{
    write_mine(fh);
}

static const struct {
    const char *name;
    void (*run)(MPI_File);
} cases[] = {
    {"none", case_none},     {"one", case_one},
    {"all", case_all},       {"twice", case_twice},
    {"reader", case_reader}, {"collective", case_collective},
    {"write", case_write},   {"hints", case_collective},
    {"size", case_size},     {"reserve", case_reserve},
};

static MPI_Info hints(const char *name)
{
    MPI_Info info;

    if (strcmp(name, "hints"))
        return MPI_INFO_NULL;
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "striping_unit", "65536"));
    MUST(MPI_Info_set(info, "striping_factor", "4"));
    MUST(MPI_Info_set(info, "cb_buffer_size", "500"));
    return info;
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_File fh;
    int found = 0;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 3);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    info = hints(argv[1]);
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, argv[1]))
            continue;
        cases[i].run(fh);
        found = 1;
    }
    EXPECT(found);
    printf("rank %d: fsync %d\n", rank, fsyncs());
    MUST(MPI_File_close(&fh));
    if (info != MPI_INFO_NULL)
        MUST(MPI_Info_free(&info));
    MUST(MPI_Finalize());
    return 0;
}
