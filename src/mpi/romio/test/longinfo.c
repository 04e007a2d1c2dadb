/* longinfo.c - an info with the longest key and value that this MPI allows
 *
 * usage: longinfo FILE; prints every pair that MPI_File_get_info tells, "KEY
 * LENGTH VALUE", and at the end "closed".
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

static char longest_key[MPI_MAX_INFO_KEY], longest_value[MPI_MAX_INFO_VAL];

static void print_info(MPI_File fh)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    MPI_Info used;
    int n, found;

    MUST(MPI_File_get_info(fh, &used));
    MUST(MPI_Info_get_nkeys(used, &n));
    for (int i = 0; i < n; i++) {
        MUST(MPI_Info_get_nthkey(used, i, key));
        MUST(MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value, &found));
        EXPECT(found);
        printf("%s %zu %s\n", key, strlen(value), value);
    }
    MUST(MPI_Info_free(&used));
}

int main(int argc, char **argv)
{
    int rank, mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_Info info;
    MPI_File fh;

    MPI_Init(&argc, &argv);
    EXPECT(argc == 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(longest_key, 'k', sizeof(longest_key) - 1);
    memset(longest_value, 'v', sizeof(longest_value) - 1);
    MUST(MPI_Info_create(&info));
    MUST(MPI_Info_set(info, longest_key, longest_value));
    MUST(MPI_Info_set(info, "striping_factor", "2"));
    MUST(MPI_File_open(MPI_COMM_WORLD, argv[1], mode, info, &fh));
    MUST(MPI_File_set_info(fh, info));
    MUST(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    if (rank == 0)
        print_info(fh);
    MUST(MPI_File_close(&fh));
    MUST(MPI_Info_free(&info));
    if (rank == 0)
        printf("closed\n");
    MPI_Finalize();
    return 0;
}
