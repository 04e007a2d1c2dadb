/* prealloc.c - MPI_File_preallocate of releases before 5.0
 *
 * Takes the place of ROMIO's own file of this name; preallocate.c says why. In
 * later releases the call itself is in another file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../adio/ad_lustre/ad_lustre_compat.h"
#include "mpioimpl.h"

#ifdef HAVE_WEAK_SYMBOLS
#if defined(HAVE_PRAGMA_WEAK)
#pragma weak MPI_File_preallocate = PMPI_File_preallocate
#elif defined(HAVE_WEAK_ATTRIBUTE)
int MPI_File_preallocate(MPI_File fh, MPI_Offset size)
    __attribute__((weak, alias("PMPI_File_preallocate")));
#endif
#define MPIO_BUILD_PROFILING
#include "mpioprof.h"
#endif

static char myname[] = "MPI_FILE_PREALLOCATE";

int MPI_File_preallocate(MPI_File fh, MPI_Offset size)
{
    ADIO_File fd;
    int error_code;

    ROMIO_THREAD_CS_ENTER();
    fd = MPIO_File_resolve(fh);
    MPIO_CHECK_FILE_HANDLE(fd, myname, error_code);
    error_code = MPIR_File_preallocate_impl(fh, size);
    if (error_code != MPI_SUCCESS)
        error_code = MPIO_Err_return_file(fh, error_code);
fn_exit:
    ROMIO_THREAD_CS_EXIT();
    return error_code;
}
