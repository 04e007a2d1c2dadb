/* ad_lustre_compat.h - the one place that knows MPICH releases apart
 *
 * The count argument of every driver entry is int in MPICH 4.0 and MPI_Aint
 * from 4.1 on. ROMIO has no version macro, MPICH has.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef AD_LUSTRE_COMPAT_H
#define AD_LUSTRE_COMPAT_H

#include "adio.h"

#ifndef ADL_COUNT_IS_AINT
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40100000 && \
    !defined(ADL_ROMIO_40)
#define ADL_COUNT_IS_AINT 1
#else
#define ADL_COUNT_IS_AINT 0
#endif
#endif

#if ADL_COUNT_IS_AINT
typedef MPI_Aint adl_count_t;
#else
typedef int adl_count_t;
#endif

#endif
