/* mpi_more.h - what ROMIO and the driver take from MPICH's mpi.h, and the
 * header of MPI's standard ABI does not have
 *
 * The compiler reads it before every source of ROMIO and of the driver
 * (-include), so that none of them needs to know of the ABI.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_MPI_MORE_H
#define ROMIO_LUSTRE_MPI_MORE_H
#ifndef __ASSEMBLER__

/* ROMIO defines it, but after mpi.h, which includes headers of the system. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

/* MPI_File and ROMIO's ADIO_File are one type, as in MPICH. */
#define MPI_ABI_File ADIOI_FileD
#include <mpi.h>

#ifdef MPI_H_ABI
#include "../grequest.h"

#define MPICH 1 /* ROMIO tests it: MPICH's services are available */
#define MPI_FILE_DEFINED 1
#define HAVE_MPI_OFFSET 1
#define MPICH_ATTR_POINTER_WITH_TYPE_TAG(buf, type)
#define MPI_AINT_FMT_DEC_SPEC "%ld"
#define MPI_AINT_FMT_HEX_SPEC "%lx"

/* The ABI is C's alone. ROMIO has handles of Fortran all the same
 * (plugin/handles.c). */
typedef int MPI_Fint;
MPI_Fint PMPI_File_c2f(MPI_File);
MPI_File PMPI_File_f2c(MPI_Fint);

/* The error handler of the C++ binding, which does not exist here. */
#define MPIR_ERRORS_THROW_EXCEPTIONS ((MPI_Errhandler)-1)

/* Combiners of MPI-1, which the ABI dropped. No type has these numbers. */
#define MPI_COMBINER_HVECTOR_INTEGER (-1001)
#define MPI_COMBINER_STRUCT_INTEGER (-1002)
#define MPI_COMBINER_HINDEXED_INTEGER (-1003)
#define MPI_LB MPI_DATATYPE_NULL
#define MPI_UB MPI_DATATYPE_NULL
#endif
#endif
#endif
