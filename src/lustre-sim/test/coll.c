/* coll.c - a collective strided access: coll FILE BLOCKS [HINT VALUE]...
 *
 * Every rank writes BLOCKS blocks of 256 KiB in turn with the others, as one
 * MPI_File_write_all; with -BLOCKS it reads them, and they must be what such
 * a write left. Rank 0 prints striping_factor and striping_unit.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 262144

static void print_hint(MPI_File file, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found;

    MPI_File_get_info(file, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    printf("%s=%s\n", key, found ? value : "");
}

static int all_are(const char *buf, size_t n, char c)
{
    for (size_t i = 0; i < n; i++)
        if (buf[i] != c)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int rank, ranks, blocks, reads, rc;
    MPI_Datatype view;
    MPI_Info info;
    MPI_File file;
    char *buf;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    blocks = argc > 2 ? atoi(argv[2]) : 0;
    reads = blocks < 0;
    blocks = abs(blocks);
    MPI_Info_create(&info);
    for (int i = 3; i + 1 < argc; i += 2)
        MPI_Info_set(info, argv[i], argv[i + 1]);
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR,
                       info, &file);
    if (rc != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    buf = malloc((size_t)blocks * BLOCK);
    memset(buf, reads ? 0 : 'A' + rank, (size_t)blocks * BLOCK);
    MPI_Type_vector(blocks, BLOCK, BLOCK * ranks, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, (MPI_Offset)rank * BLOCK, MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    if (reads)
        rc = MPI_File_read_all(file, buf, blocks * BLOCK, MPI_BYTE,
                               MPI_STATUS_IGNORE);
    else
        rc = MPI_File_write_all(file, buf, blocks * BLOCK, MPI_BYTE,
                                MPI_STATUS_IGNORE);
    if (!all_are(buf, (size_t)blocks * BLOCK, (char)('A' + rank)))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        print_hint(file, "striping_factor");
        print_hint(file, "striping_unit");
    }
    MPI_File_close(&file);
    MPI_Type_free(&view);
    MPI_Info_free(&info);
    free(buf);
    MPI_Finalize();
    return rc != MPI_SUCCESS;
}
