/* fortran.c - error handlers of files made in Fortran
 *
 * Open MPI's Fortran calls go to the C calls, which are the plug-in's, with one
 * exception: this call makes the handler inside libmpi, where the plug-in
 * cannot see which function is behind it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../../plugin.h"

#define ALSO(name)                                                    \
    void name(MPI_File_errhandler_function *, MPI_Fint *, MPI_Fint *) \
        __attribute__((alias("ompi_file_create_errhandler_f"),        \
                       visibility("default")));

void ompi_file_create_errhandler_f(MPI_File_errhandler_function *fn,
                                   MPI_Fint *handle, MPI_Fint *ierr);

/* What mpi_f08 calls; INTEGER is an int here, as Open MPI's MPI_Fint is. */
PLUGIN_PUBLIC void
ompi_file_create_errhandler_f(MPI_File_errhandler_function *fn,
                              MPI_Fint *handle, MPI_Fint *ierr)
{
    MPI_Errhandler made;
    int rc = PMPI_File_create_errhandler(fn, &made);

    if (rc == MPI_SUCCESS) {
        plugin_errhandler_is_fortran(made);
        *handle = PMPI_Errhandler_c2f(made);
    }
    if (ierr)
        *ierr = rc;
}

/* The names that compilers give to mpif.h's. */
ALSO(mpi_file_create_errhandler)
ALSO(mpi_file_create_errhandler_)
ALSO(mpi_file_create_errhandler__)
ALSO(MPI_FILE_CREATE_ERRHANDLER)
ALSO(pmpi_file_create_errhandler)
ALSO(pmpi_file_create_errhandler_)
ALSO(pmpi_file_create_errhandler__)
ALSO(PMPI_FILE_CREATE_ERRHANDLER)
