/* hdf5_meta.c - HDF5 metadata of many kinds, written and read together or not
 *
 * usage: hdf5_meta write|check|serial together|alone FILE
 *
 * write: groups with attributes and growing chunked datasets, some removed and
 * renamed again; check reads and compares all of it; serial does so without
 * MPI-IO, on one rank. With `together` metadata is collective.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <hdf5.h>

enum { GROUPS = 24, REMOVED = 5, MOVED = 7, ROWS = 60, GROW = 3 };

static int rank, size, together;

static hid_t access_list(int parallel)
{
    hid_t plist = H5Pcreate(H5P_FILE_ACCESS);
    hbool_t set;

    if (!parallel)
        return plist;
    EXPECT(H5Pset_fapl_mpio(plist, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
    EXPECT(H5Pset_all_coll_metadata_ops(plist, together) >= 0);
    EXPECT(H5Pset_coll_metadata_write(plist, together) >= 0);
    EXPECT(H5Pget_coll_metadata_write(plist, &set) >= 0);
    EXPECT_EQ(set, together);
    return plist;
}

/* Calls that only read ask their own list. */
static hid_t call_list(hid_t kind)
{
    hid_t plist = H5Pcreate(kind);

    EXPECT(H5Pset_all_coll_metadata_ops(plist, together) >= 0);
    return plist;
}

static int value(int group, hsize_t row, hsize_t col)
{
    return group * 1000000 + (int)row * 1000 + (int)col;
}

static void group_name(char *name, size_t len, int group)
{
    snprintf(name, len, group == MOVED ? "moved" : "group-%d", group);
}

static void write_attribute(hid_t group, int number)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(group, "number", H5T_NATIVE_INT, space, H5P_DEFAULT,
                            H5P_DEFAULT);

    EXPECT(attr >= 0);
    EXPECT(H5Awrite(attr, H5T_NATIVE_INT, &number) >= 0);
    EXPECT(H5Aclose(attr) >= 0);
    H5Sclose(space);
}

/* A column of every dataset belongs to each rank. */
static void put_column(hid_t set, int group, hsize_t from, hsize_t rows)
{
    hsize_t start[2] = {from, rank}, count[2] = {rows, 1};
    hid_t space = H5Dget_space(set), mem = H5Screate_simple(1, &rows, NULL);
    hid_t plist = H5Pcreate(H5P_DATASET_XFER);
    int buf[ROWS];

    for (hsize_t i = 0; i < rows; i++)
        buf[i] = value(group, from + i, rank);
    EXPECT(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count,
                               NULL) >= 0);
    EXPECT(H5Pset_dxpl_mpio(plist, group % 2 ? H5FD_MPIO_COLLECTIVE
                                             : H5FD_MPIO_INDEPENDENT) >= 0);
    EXPECT(H5Dwrite(set, H5T_NATIVE_INT, mem, space, plist, buf) >= 0);
    H5Pclose(plist);
    H5Sclose(mem);
    H5Sclose(space);
}

/* Grows in steps: the chunk index changes with each. */
static void write_set(hid_t parent, int group)
{
    hsize_t dims[2] = {ROWS / GROW, size}, most[2] = {H5S_UNLIMITED, size};
    hsize_t chunk[2] = {4, 1};
    hid_t space = H5Screate_simple(2, dims, most), set;
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);

    EXPECT(H5Pset_chunk(create, 2, chunk) >= 0);
    set = H5Dcreate2(parent, "table", H5T_NATIVE_INT, space, H5P_DEFAULT,
                     create, H5P_DEFAULT);
    EXPECT(set >= 0);
    for (int i = 0; i < GROW; i++) {
        dims[0] = (hsize_t)(i + 1) * ROWS / GROW;
        EXPECT(H5Dset_extent(set, dims) >= 0);
        put_column(set, group, dims[0] - ROWS / GROW, ROWS / GROW);
    }
    EXPECT(H5Dclose(set) >= 0);
    H5Pclose(create);
    H5Sclose(space);
}

static void write_group(hid_t file, int number)
{
    char name[32];
    hid_t group;

    snprintf(name, sizeof(name), "group-%d", number);
    group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT(group >= 0);
    write_attribute(group, number);
    write_set(group, number);
    EXPECT(H5Gclose(group) >= 0);
    if (number % 8 == 0)
        EXPECT(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
}

static void write_all(const char *name)
{
    hid_t plist = access_list(1);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, plist);

    EXPECT(file >= 0);
    for (int i = 0; i < GROUPS; i++)
        write_group(file, i);
    EXPECT(H5Ldelete(file, "group-5", H5P_DEFAULT) >= 0);
    EXPECT(H5Lmove(file, "group-7", file, "moved", H5P_DEFAULT, H5P_DEFAULT) >=
           0);
    EXPECT(H5Fclose(file) >= 0);
    H5Pclose(plist);
}

/* Every rank reads the whole dataset. */
static void check_set(hid_t parent, int group)
{
    hid_t plist = call_list(H5P_DATASET_ACCESS);
    hid_t set = H5Dopen2(parent, "table", plist), space = H5Dget_space(set);
    hsize_t dims[2] = {0, 0};
    int *buf;

    EXPECT_EQ(H5Sget_simple_extent_dims(space, dims, NULL), 2);
    EXPECT_EQ(dims[0], ROWS);
    buf = calloc(dims[0] * dims[1], sizeof(*buf));
    EXPECT(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf) >=
           0);
    for (hsize_t r = 0; r < dims[0]; r++)
        for (hsize_t c = 0; c < dims[1]; c++)
            EXPECT_EQ(buf[r * dims[1] + c], value(group, r, c));
    free(buf);
    H5Sclose(space);
    EXPECT(H5Dclose(set) >= 0);
    H5Pclose(plist);
}

static void check_group(hid_t file, int number)
{
    hid_t plist = call_list(H5P_GROUP_ACCESS), group, attr;
    char name[32];
    int got = -1;

    group_name(name, sizeof(name), number);
    group = H5Gopen2(file, name, plist);
    EXPECT(group >= 0);
    attr = H5Aopen(group, "number", H5P_DEFAULT);
    EXPECT(attr >= 0 && H5Aread(attr, H5T_NATIVE_INT, &got) >= 0);
    EXPECT_EQ(got, number);
    EXPECT(H5Aclose(attr) >= 0);
    check_set(group, number);
    EXPECT(H5Gclose(group) >= 0);
    H5Pclose(plist);
}

static void check_all(const char *name, int parallel)
{
    hid_t plist = access_list(parallel), file;
    H5G_info_t info;

    file = H5Fopen(name, H5F_ACC_RDONLY, plist);
    EXPECT(file >= 0);
    EXPECT(H5Gget_info(file, &info) >= 0);
    EXPECT_EQ(info.nlinks, GROUPS - 1);
    for (int i = 0; i < GROUPS; i++)
        if (i != REMOVED)
            check_group(file, i);
    EXPECT(H5Fclose(file) >= 0);
    H5Pclose(plist);
}

int main(int argc, char **argv)
{
    MUST(MPI_Init(&argc, &argv));
    EXPECT_EQ(argc, 4);
    MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
    together = !strcmp(argv[2], "together");
    if (!strcmp(argv[1], "write"))
        write_all(argv[3]);
    else
        check_all(argv[3], !strcmp(argv[1], "check"));
    MUST(MPI_Finalize());
    return 0;
}
