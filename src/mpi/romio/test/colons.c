/* colons.c - files whose names have colons
 *
 *   colons [NAME LITERAL]...
 *
 * Each NAME is created, written, closed, opened again, read and deleted by
 * MPI's calls. LITERAL is what the file must be called on disk: it must be
 * there before MPI_File_delete, and not after it. Prints the driver of each. A
 * NAME whose LITERAL is "-" must not open.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "expect.h"

#include <unistd.h>

static int rank;

static void print_driver(const char *name, MPI_File fh)
{
    char value[MPI_MAX_INFO_VAL + 1] = "none";
    MPI_Info info;
    int found;

    MUST(MPI_File_get_info(fh, &info));
    MUST(MPI_Info_get(info, "romio_filesystem_type", MPI_MAX_INFO_VAL, value,
                      &found));
    MPI_Info_free(&info);
    if (rank == 0)
        printf("%s %s\n", name, value);
}

static void write_file(const char *name)
{
    MPI_File fh;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                       MPI_INFO_NULL, &fh));
    print_driver(name, fh);
    MUST(MPI_File_write_at_all(fh, 4 * rank, &rank, 1, MPI_INT,
                               MPI_STATUS_IGNORE));
    MUST(MPI_File_close(&fh));
}

static void read_file(const char *name)
{
    MPI_File fh;
    int word = -1;

    MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL,
                       &fh));
    MUST(MPI_File_read_at_all(fh, 4 * rank, &word, 1, MPI_INT,
                              MPI_STATUS_IGNORE));
    EXPECT_EQ(word, rank);
    MUST(MPI_File_close(&fh));
}

static void delete_file(const char *name, const char *literal)
{
    if (rank == 0) {
        EXPECT_EQ(access(literal, F_OK), 0);
        MUST(MPI_File_delete(name, MPI_INFO_NULL));
        EXPECT(access(literal, F_OK) != 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void refuse_file(const char *name)
{
    MPI_File fh;

    EXPECT(MPI_File_open(MPI_COMM_WORLD, name,
                         MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                         &fh) != MPI_SUCCESS);
    EXPECT(MPI_File_delete(name, MPI_INFO_NULL) != MPI_SUCCESS);
    if (rank == 0)
        printf("%s refused\n", name);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i + 1], "-")) {
            refuse_file(argv[i]);
            continue;
        }
        write_file(argv[i]);
        read_file(argv[i]);
        delete_file(argv[i], argv[i + 1]);
    }
    MPI_Finalize();
    return 0;
}
