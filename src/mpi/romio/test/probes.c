/* probes.c - is it asked at every open whether lockahead works
 *
 * With count_ladvise.so. Owners of one object on different nodes make the
 * driver lock ahead by itself: two files are opened, then a third is written
 * while lockahead fails, then a fourth is opened. Rank 0 prints a line for
 * each: the lock mode in force, and how often rank 0 asked so far.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>

#include "expect.h"

enum { BYTES = 1 << 20 };

static int rank;
static int *count, *refuse;

static void show(MPI_File fh)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found;

    MUST(MPI_File_get_info(fh, &info));
    MUST(MPI_Info_get(info, "cray_cb_write_lock_mode", MPI_MAX_INFO_VAL, value,
                      &found));
    MUST(MPI_Info_free(&info));
    if (rank == 0)
        printf("mode %s, asked %d\n", value, *count);
}

static void use(const char *dir, int number, MPI_Info info, int writes)
{
    static char buf[BYTES];
    char name[600];
    MPI_File fh;

    snprintf(name, sizeof(name), "%s/%d", dir, number);
    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &fh));
    show(fh);
    if (writes) {
        *refuse = EOPNOTSUPP;
        MUST(MPI_File_write_at_all(fh, (MPI_Offset)rank * BYTES, buf, BYTES,
                                   MPI_BYTE, MPI_STATUS_IGNORE));
        *refuse = *count = 0;
    }
    MUST(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    MPI_Info info;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 2);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    count = dlsym(RTLD_DEFAULT, "ladvise_count");
    refuse = dlsym(RTLD_DEFAULT, "ladvise_errno");
    EXPECT(count && refuse);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, "striping_factor", "2"));
    MUST(MPI_Info_set(info, "striping_unit", "1048576"));
    MUST(MPI_Info_set(info, "cray_cb_nodes_multiplier", "2"));
    for (int i = 0; i < 4; i++)
        use(argv[1], i, info, i == 2);
    MUST(MPI_Info_free(&info));
    MUST(MPI_Finalize());
    return 0;
}
