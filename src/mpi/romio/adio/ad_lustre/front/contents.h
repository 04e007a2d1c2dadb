/* contents.h - how a datatype was made
 *
 * MPI 4 has two constructors of a kind: of a type made by the one with large
 * counts (MPI_Type_vector_c) MPI gives the numbers in another array, and an
 * error to whoever asks as before MPI 4. Here both look alike: the numbers are
 * where the ordinary constructor has them.
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

/* Local. MPI's own type, which was not made of others. */
int adl_contents_is_named(MPI_Datatype type);

/* Local, of a type that is not named. Without memory the job ends, as ROMIO's
 * do. */
void adl_contents_get(MPI_Datatype type, struct adl_contents *c);
/* Local. Frees the parts, too. */
void adl_contents_put(struct adl_contents *c);

/* Local. What ROMIO 4.0 asks of a type, in place of MPI_Type_get_envelope (as
 * in blocking.h): only the combiner is told. */
int adl_instead_Type_get_envelope(MPI_Datatype type, int *nints, int *naddrs,
                                  int *ntypes, int *combiner);

#endif
