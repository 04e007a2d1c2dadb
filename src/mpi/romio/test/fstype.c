/* fstype.c - print which ROMIO driver serves a file: fstype NAME */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char value[MPI_MAX_INFO_VAL + 1] = "none";
    MPI_Info info;
    MPI_File fh;
    int rank, flag, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    err = argc != 2 || MPI_File_open(MPI_COMM_WORLD, argv[1],
                                     MPI_MODE_CREATE | MPI_MODE_RDWR |
                                         MPI_MODE_DELETE_ON_CLOSE,
                                     MPI_INFO_NULL, &fh) != MPI_SUCCESS;
    if (err) {
        fprintf(stderr, "fstype: cannot open the file\n");
    } else {
        MPI_File_get_info(fh, &info);
        MPI_Info_get(info, "romio_filesystem_type", MPI_MAX_INFO_VAL, value,
                     &flag);
        MPI_Info_free(&info);
        MPI_File_close(&fh);
        if (rank == 0)
            printf("%s\n", value);
    }
    MPI_Finalize();
    return err;
}
