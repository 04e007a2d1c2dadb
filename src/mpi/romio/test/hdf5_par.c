/* hdf5_par.c - a parallel HDF5 program: chunked and contiguous datasets
 *
 * usage: hdf5_par FILE. Writes with collective and independent transfers, then
 * opens the file again, reads all of it and compares.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <hdf5.h>

#define ROWS 40 /* of each rank */
#define COLS 300

static int rank, size;

static int value(hsize_t row, hsize_t col, int salt)
{
    return (int)(row * COLS + col) * 3 + salt;
}

/* Interleaved rows: rank, rank + size, ...: noncontiguous in the file. */
static hid_t my_rows(hid_t space)
{
    hsize_t start[2] = {rank, 0}, stride[2] = {size, 1};
    hsize_t count[2] = {ROWS, COLS};

    EXPECT(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count,
                               NULL) >= 0);
    return space;
}

static hid_t transfer(H5FD_mpio_xfer_t mode)
{
    hid_t plist = H5Pcreate(H5P_DATASET_XFER);

    EXPECT(H5Pset_dxpl_mpio(plist, mode) >= 0);
    return plist;
}

static void fill(int *buf, int salt)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            buf[i * COLS + j] = value(i * size + rank, j, salt);
}

static void write_set(hid_t file, const char *name, int chunked,
                      H5FD_mpio_xfer_t mode, int salt)
{
    static int buf[ROWS * COLS];
    hsize_t dims[2] = {(hsize_t)ROWS * size, COLS};
    hsize_t chunk[2] = {16, 64}, mem[2] = {ROWS, COLS};
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t memspace = H5Screate_simple(2, mem, NULL);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), set, plist = transfer(mode);

    if (chunked)
        EXPECT(H5Pset_chunk(create, 2, chunk) >= 0);
    set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, create,
                     H5P_DEFAULT);
    EXPECT(set >= 0);
    fill(buf, salt);
    EXPECT(H5Dwrite(set, H5T_NATIVE_INT, memspace, my_rows(space), plist,
                    buf) >= 0);
    H5Pclose(plist);
    H5Pclose(create);
    H5Dclose(set);
    H5Sclose(memspace);
    H5Sclose(space);
}

static void read_set(hid_t file, const char *name, H5FD_mpio_xfer_t mode,
                     int salt)
{
    static int buf[ROWS * COLS], want[ROWS * COLS];
    hsize_t mem[2] = {ROWS, COLS};
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(set), plist = transfer(mode);
    hid_t memspace = H5Screate_simple(2, mem, NULL);

    memset(buf, 0xff, sizeof(buf));
    fill(want, salt);
    EXPECT(set >= 0 && space >= 0);
    EXPECT(H5Dread(set, H5T_NATIVE_INT, memspace, my_rows(space), plist, buf) >=
           0);
    EXPECT(!memcmp(buf, want, sizeof(buf)));
    H5Pclose(plist);
    H5Sclose(memspace);
    H5Sclose(space);
    H5Dclose(set);
}

static hid_t access_list(void)
{
    hid_t plist = H5Pcreate(H5P_FILE_ACCESS);

    EXPECT(H5Pset_fapl_mpio(plist, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
    return plist;
}

static const struct {
    const char *name;
    int chunked;
    H5FD_mpio_xfer_t mode;
} sets[] = {
    {"flat-collective", 0, H5FD_MPIO_COLLECTIVE},
    {"flat-independent", 0, H5FD_MPIO_INDEPENDENT},
    {"chunked-collective", 1, H5FD_MPIO_COLLECTIVE},
    {"chunked-independent", 1, H5FD_MPIO_INDEPENDENT},
};
#define SETS (sizeof(sets) / sizeof(sets[0]))

int main(int argc, char **argv)
{
    hid_t plist, file;

    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 2);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    plist = access_list();
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, plist);
    EXPECT(file >= 0);
    for (size_t i = 0; i < SETS; i++)
        write_set(file, sets[i].name, sets[i].chunked, sets[i].mode, (int)i);
    EXPECT(H5Fclose(file) >= 0);
    file = H5Fopen(argv[1], H5F_ACC_RDONLY, plist);
    EXPECT(file >= 0);
    for (size_t i = 0; i < SETS; i++)
        for (size_t mode = 0; mode < SETS; mode++)
            read_set(file, sets[i].name, sets[mode].mode, (int)i);
    EXPECT(H5Fclose(file) >= 0);
    H5Pclose(plist);
    MUST(MPI_Finalize());
    return 0;
}
