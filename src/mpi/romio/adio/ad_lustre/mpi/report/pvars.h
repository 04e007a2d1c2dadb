/* pvars.h - the counters of a file as performance variables of MPI_T
 *
 * In the fork only: a library outside MPI cannot add variables to it. The
 * variables are bound to a file (MPI_T_BIND_MPI_FILE) and have the counts of
 * this rank since it opened the file. When the file is closed they are 0.
 *
 * A rank counts for them if MPI_T is in use when it opens the file, whatever
 * the other ranks do. There is no reduction, and nothing is printed.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PVARS_H
#define ADL_PVARS_H

#include "account.h"

#ifdef ADL_IN_MPICH

/* Local. Does a tool in this process use MPI_T? */
int adl_pvars_wanted(void);
/* Local. The counters of `p` are those of `fh`, until they are removed. The
 * variables appear in MPI_T with the first file. */
void adl_pvars_add(struct adl_account *p, MPI_File fh);
/* Local. Remove them again. `p` need not have been added. */
void adl_pvars_remove(struct adl_account *p);

#else

static inline int adl_pvars_wanted(void)
{
    return 0;
}

static inline void adl_pvars_add(struct adl_account *p, MPI_File fh)
{
    (void)p;
    (void)fh;
}

static inline void adl_pvars_remove(struct adl_account *p)
{
    (void)p;
}

#endif

#endif
