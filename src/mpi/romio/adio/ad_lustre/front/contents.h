/* contents.h - how a datatype was made
 *
 * MPI 4 has two constructors of each kind, MPI_Type_vector and
 * MPI_Type_vector_c. For a type made by the second one MPI_Type_get_contents
 * fails, and MPI_Type_get_contents_c returns the numbers in another array. The
 * function here returns both alike: the numbers are where the ordinary
 * constructor has them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CONTENTS_H
#define ADL_CONTENTS_H

#include "adio.h"

struct adl_contents {
    int combiner;
    MPI_Count nints, naddrs, ntypes;
    MPI_Count *ints;
    MPI_Aint *addrs;
    MPI_Datatype *types;
};

/* Local. 1: a predefined type, not made of others. */
int adl_contents_is_named(MPI_Datatype type);

/* Local, for a derived type. If malloc fails the job is aborted, as in ROMIO.
 */
void adl_contents_get(MPI_Datatype type, struct adl_contents *c);
/* Local. Frees the parts, too. */
void adl_contents_put(struct adl_contents *c);

/* Local. What ROMIO 4.0 asks of a type, in place of MPI_Type_get_envelope (as
 * in blocking.h): it returns the combiner only. */
int adl_instead_Type_get_envelope(MPI_Datatype type, int *nints, int *naddrs,
                                  int *ntypes, int *combiner);

#endif
