/* preallocate.c - MPI_File_preallocate with one result for all ranks
 *
 * Takes the place of ROMIO's own. In that one only rank 0 learns that there is
 * no space; the other ranks get MPI_SUCCESS and go on to write.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../ad_lustre/ad_lustre_compat.h"
#include "mpioimpl.h"

static char myname[] = "MPI_FILE_PREALLOCATE";

static int refuse(int line, int errclass, const char *name)
{
    return MPIO_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, myname, line,
                                errclass, name, 0);
}

/* Collective. All ranks must ask for the same, and for something. */
static int check_length(ADIO_File fd, MPI_Offset size)
{
    MPI_Offset mine[2] = {size, -size}, most[2];

    PMPI_Allreduce(mine, most, 2, ADIO_OFFSET, MPI_MAX, fd->comm);
    if (most[0] != -most[1])
        return refuse(__LINE__, MPI_ERR_ARG, "**notsame");
    return size < 0 ? refuse(__LINE__, MPI_ERR_ARG, "**iobadsize")
                    : MPI_SUCCESS;
}

/* What came of it on rank 0, for the others: an error code has its text only
 * where it was made. */
struct outcome {
    int errclass;
    char text[MPI_MAX_ERROR_STRING];
};

/* Local, rank 0. The error code is made a second time on the others. */
static int reserve_here(ADIO_File fd, MPI_Offset size, struct outcome *out)
{
    ADIO_Fcntl_t arg = {.diskspace = size};
    int code = MPI_SUCCESS, len;

    ADIO_Fcntl(fd, ADIO_FCNTL_SET_DISKSPACE, &arg, &code);
    if (code != MPI_SUCCESS) {
        PMPI_Error_class(code, &out->errclass);
        PMPI_Error_string(code, out->text, &len);
    }
    return code;
}

/* Collective. */
static int reserve(ADIO_File fd, MPI_Offset size)
{
    struct outcome out = {MPI_SUCCESS, ""};
    int rank, code = MPI_SUCCESS;

    PMPI_Comm_rank(fd->comm, &rank);
    if (rank == 0)
        code = reserve_here(fd, size, &out);
    PMPI_Bcast(&out, sizeof(out), MPI_BYTE, 0, fd->comm);
    if (rank != 0 && out.errclass != MPI_SUCCESS)
        code = MPIO_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, myname,
                                    __LINE__, out.errclass, "**io", "%s",
                                    out.text);
    return code;
}

/* Collective. The file's error handler is the caller's business. */
int MPIR_File_preallocate_impl(MPI_File fh, MPI_Offset size)
{
    ADIO_File fd = MPIO_File_resolve(fh);
    int code;

    if (!fd || fd->cookie != ADIOI_FILE_COOKIE)
        return refuse(__LINE__, MPI_ERR_FILE, "**iobadfh");
    code = check_length(fd, size);
    if (code != MPI_SUCCESS || size == 0)
        return code;
    ADIOI_TEST_DEFERRED(fd, myname, &code);
    return reserve(fd, size);
}
