/* ad_lustre_compat.h - all differences between MPICH releases, in one place
 *
 * ROMIO has no version macro, and the MPI it is compiled against may be another
 * release than its own: maint/mpich-tree looks at ROMIO's sources and gives the
 * macros below, one for each difference.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef AD_LUSTRE_COMPAT_H
#define AD_LUSTRE_COMPAT_H

#include "adio.h"

/* Compiled for MPICH's library of the standard ABI: ROMIO's own macro says so.
 */
#if defined(MPICH_BUILD_MPI_ABI) /* since 5.1 */ || \
    defined(BUILD_MPI_ABI) /* since 5.0 */
#define ADL_STANDARD_ABI 1
#endif

/* The count argument of every driver entry. */
#ifdef ADL_COUNT_IS_AINT /* since 4.1 */
typedef MPI_Aint adl_count_t;
#else
typedef int adl_count_t;
#endif

/* What MPICH's progress loop calls; in the fork only. */
#ifdef ADL_HOOK_HAS_VCI /* since 4.3 */
#define ADL_HOOK(name, moved) \
    int name(int vci __attribute__((unused)), int *moved)
typedef int adl_hook(int vci, int *moved);
int MPIR_Progress_hook_register(int vci, adl_hook *hook, int *id);
#define adl_hook_register(hook, id) MPIR_Progress_hook_register(-1, hook, id)
#else
#define ADL_HOOK(name, moved) int name(int *moved)
typedef int adl_hook(int *moved);
int MPIR_Progress_hook_register(adl_hook *hook, int *id);
#define adl_hook_register(hook, id) MPIR_Progress_hook_register(hook, id)
#endif

/* A datatype as MPICH's internal functions take it; in the fork only. In
 * MPICH's library of the standard ABI the handles of the internal functions
 * differ from those of the program. */
#ifdef ADL_STANDARD_ABI
typedef int adl_inner_type;
#define ADL_INNER_INT 0x4c000405
#define ADL_INNER_UNSIGNED_LONG_LONG 0x4c000819
#else
typedef MPI_Datatype adl_inner_type;
#define ADL_INNER_INT MPI_INT
#define ADL_INNER_UNSIGNED_LONG_LONG MPI_UNSIGNED_LONG_LONG
#endif

/* Combiners of MPI-1, which the standard ABI does not have. No type has these
 * numbers. */
#ifdef ADL_STANDARD_ABI
enum {
    MPI_COMBINER_HVECTOR_INTEGER = -1001,
    MPI_COMBINER_STRUCT_INTEGER = -1002
};
#endif

/* The function behind MPI_File_preallocate: ours, in place of ROMIO's. */
#ifndef ADL_FILE_HAS_IMPL /* since 5.0 */
int MPIR_File_preallocate_impl(MPI_File fh, MPI_Offset size);
#endif

/* A file handle as a small number, for Fortran. */
#ifdef ADL_FILE_TOINT /* since 5.1 */
#define adl_file_toint(fh) MPIO_File_toint(fh)
#define adl_file_fromint(n) MPIO_File_fromint(n)
#else
#define adl_file_toint(fh) MPIO_File_c2f(fh)
#define adl_file_fromint(n) MPIO_File_f2c(n)
#endif

#endif
