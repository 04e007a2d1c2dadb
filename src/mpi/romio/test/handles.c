/* handles.c - MPI_File_c2f and _f2c: many files, reuse, null
 *
 * usage: handles DIR
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#define FILES 50

static MPI_File open_one(const char *dir, int i)
{
    char path[400];
    MPI_File fh;

    snprintf(path, sizeof(path), "%s/h%d", dir, i);
    MUST(MPI_File_open(MPI_COMM_WORLD, path,
                       MPI_MODE_CREATE | MPI_MODE_RDWR |
                           MPI_MODE_DELETE_ON_CLOSE,
                       MPI_INFO_NULL, &fh));
    return fh;
}

int main(int argc, char **argv)
{
    MPI_File fh[FILES];
    MPI_Fint number[FILES];

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 2);
    EXPECT(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    for (int i = 0; i < FILES; i++) {
        fh[i] = open_one(argv[1], i);
        number[i] = MPI_File_c2f(fh[i]);
        EXPECT_EQ(MPI_File_c2f(fh[i]), number[i]);
    }
    for (int i = 0; i < FILES; i++)
        for (int j = 0; j < FILES; j++)
            EXPECT((number[i] == number[j]) == (i == j));
    for (int i = 0; i < FILES; i += 2)
        MUST(MPI_File_close(&fh[i]));
    for (int i = 1; i < FILES; i += 2)
        EXPECT(MPI_File_f2c(number[i]) == fh[i]);
    for (int i = 0; i < FILES; i += 2) {
        fh[i] = open_one(argv[1], i);
        EXPECT(MPI_File_f2c(MPI_File_c2f(fh[i])) == fh[i]);
    }
    for (int i = 0; i < FILES; i++)
        MUST(MPI_File_close(&fh[i]));
    MUST(MPI_Finalize());
    return 0;
}
