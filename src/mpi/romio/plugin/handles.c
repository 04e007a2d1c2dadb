/* handles.c - a file handle as a small number
 *
 * Fortran has such numbers, and since MPI 5 C too (MPI_File_toint,
 * MPI_File_fromint). ROMIO keeps the table. ROMIO's releases have different
 * ones of these calls. MPI's own would look into the table of MPI's own ROMIO.
 * Therefore all four calls are here.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../adio/ad_lustre/ad_lustre_compat.h"
#include "plugin.h"

#undef MPI_File_c2f
#undef MPI_File_f2c

PLUGIN_PUBLIC int PMPI_File_toint(MPI_File fh)
{
    return adl_file_toint(fh);
}

PLUGIN_PUBLIC MPI_File PMPI_File_fromint(int n)
{
    return adl_file_fromint(n);
}

PLUGIN_PUBLIC MPI_Fint PMPI_File_c2f(MPI_File fh)
{
    return adl_file_toint(fh);
}

PLUGIN_PUBLIC MPI_File PMPI_File_f2c(MPI_Fint n)
{
    return adl_file_fromint(n);
}

int MPI_File_toint(MPI_File) PLUGIN_WEAK(PMPI_File_toint);
MPI_File MPI_File_fromint(int) PLUGIN_WEAK(PMPI_File_fromint);
MPI_Fint MPI_File_c2f(MPI_File) PLUGIN_WEAK(PMPI_File_c2f);
MPI_File MPI_File_f2c(MPI_Fint) PLUGIN_WEAK(PMPI_File_f2c);
