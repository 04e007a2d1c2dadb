/* mpi_more.h - what ROMIO and the driver take from MPICH's mpi.h, and Open
 * MPI's does not have
 *
 * The compiler reads it before every source of ROMIO and of the driver
 * (-include), so that none of them needs to know of Open MPI.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ROMIO_LUSTRE_MPI_MORE_H
#define ROMIO_LUSTRE_MPI_MORE_H
#ifndef __ASSEMBLER__

/* MPI_File and ROMIO's ADIO_File are one type, as in MPICH. */
#define ompi_file_t ADIOI_FileD
#include <mpi.h>

#ifdef OPEN_MPI
#include "../grequest.h"

#define MPICH 1 /* ROMIO tests it: MPICH's services are available */
#define MPI_FILE_DEFINED 1
#define MPICH_ATTR_POINTER_WITH_TYPE_TAG(buf, type)
#define MPI_AINT_FMT_DEC_SPEC "%ld"
#define MPI_AINT_FMT_HEX_SPEC "%lx"

/* The error handler of the C++ binding, which does not exist here. */
#define MPIR_ERRORS_THROW_EXCEPTIONS ((MPI_Errhandler)-1)

/* Combiners of MPI-1. Open MPI defines these names so that they stop the
 * compiler. No type has the numbers here. */
#undef MPI_COMBINER_HVECTOR_INTEGER
#undef MPI_COMBINER_STRUCT_INTEGER
#undef MPI_COMBINER_HINDEXED_INTEGER
#undef MPI_LB
#undef MPI_UB
#define MPI_COMBINER_HVECTOR_INTEGER (-1001)
#define MPI_COMBINER_STRUCT_INTEGER (-1002)
#define MPI_COMBINER_HINDEXED_INTEGER (-1003)
#define MPI_LB MPI_DATATYPE_NULL
#define MPI_UB MPI_DATATYPE_NULL

/* Large counts, which came with MPI 4 and Open MPI 6. Those of MPI's own that
 * the driver calls are weak names there (front/contents.c). */
typedef int(MPI_Datarep_conversion_function_c)(void *, MPI_Datatype, MPI_Count,
                                               void *, MPI_Offset, void *);
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count *, MPI_Count *,
                             MPI_Count *, MPI_Count *, int *);
int PMPI_Type_get_contents_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count,
                             MPI_Count, int *, MPI_Aint *, MPI_Count *,
                             MPI_Datatype *);
#endif
#endif
#endif
