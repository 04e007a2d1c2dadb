/* contents.c - how a datatype was made */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */

/* The fork is compiled with this name for the last function below. */
#undef PMPI_Type_get_envelope

#include "contents.h"

#include <string.h>

#include "../ad_lustre_compat.h"

/* An MPI before 4.0 has neither these nor types that need them. */
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_contents_c

/* As MPI tells it. */
struct raw {
    int combiner;
    MPI_Count nints, naddrs, ncounts, ntypes;
    int *ints;
    MPI_Aint *addrs;
    MPI_Count *counts;
};

static void get_envelope(MPI_Datatype type, struct raw *r)
{
    int ni, na, nt;

    if (PMPI_Type_get_envelope_c) {
        PMPI_Type_get_envelope_c(type, &r->nints, &r->naddrs, &r->ncounts,
                                 &r->ntypes, &r->combiner);
        return;
    }
    PMPI_Type_get_envelope(type, &ni, &na, &nt, &r->combiner);
    r->nints = ni;
    r->naddrs = na;
    r->ncounts = 0;
    r->ntypes = nt;
}

static void get_contents(MPI_Datatype type, struct raw *r, MPI_Datatype *types)
{
    if (PMPI_Type_get_contents_c)
        PMPI_Type_get_contents_c(type, r->nints, r->naddrs, r->ncounts,
                                 r->ntypes, r->ints, r->addrs, r->counts,
                                 types);
    else
        PMPI_Type_get_contents(type, (int)r->nints, (int)r->naddrs,
                               (int)r->ntypes, r->ints, r->addrs, types);
}

static int combiner_of(MPI_Datatype type)
{
    struct raw r;

    get_envelope(type, &r);
    return r.combiner;
}

int adl_contents_is_named(MPI_Datatype type)
{
    int combiner = combiner_of(type);

    return combiner == MPI_COMBINER_NAMED ||
           combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
}

/* How many ints stand before the counts, in a type that has both. */
static MPI_Count ints_before(const struct raw *r)
{
    switch (r->combiner) {
    case MPI_COMBINER_SUBARRAY: /* dimensions */
        return 1;
    case MPI_COMBINER_DARRAY: /* ranks, rank, dimensions */
        return 3;
    default:
        return 0;
    }
}

/* How many of the counts are ints in the ordinary constructor; the others are
 * addresses. */
static MPI_Count counts_as_ints(const struct raw *r)
{
    switch (r->combiner) {
    case MPI_COMBINER_RESIZED:
        return 0;
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return 2;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return 1 + r->counts[0];
    default:
        return r->ncounts;
    }
}

/* ints | counts | ints -> ints;  addresses | counts -> addresses */
static void merge_counts(const struct raw *r, struct adl_contents *c)
{
    MPI_Count before = r->ncounts ? ints_before(r) : r->nints;
    MPI_Count narrow = r->ncounts ? counts_as_ints(r) : 0;
    MPI_Count *to;

    c->nints = r->nints + narrow;
    c->naddrs = r->naddrs + r->ncounts - narrow;
    c->ints = ADIOI_Malloc((c->nints + 1) * sizeof(*c->ints));
    c->addrs = ADIOI_Malloc((c->naddrs + 1) * sizeof(*c->addrs));
    to = c->ints;
    for (MPI_Count i = 0; i < before; i++)
        *to++ = r->ints[i];
    for (MPI_Count i = 0; i < narrow; i++)
        *to++ = r->counts[i];
    for (MPI_Count i = before; i < r->nints; i++)
        *to++ = r->ints[i];
    memcpy(c->addrs, r->addrs, r->naddrs * sizeof(*c->addrs));
    for (MPI_Count i = narrow; i < r->ncounts; i++)
        c->addrs[r->naddrs + i - narrow] = (MPI_Aint)r->counts[i];
}

void adl_contents_get(MPI_Datatype type, struct adl_contents *c)
{
    struct raw r;

    get_envelope(type, &r);
    r.ints = ADIOI_Malloc((r.nints + 1) * sizeof(*r.ints));
    r.addrs = ADIOI_Malloc((r.naddrs + 1) * sizeof(*r.addrs));
    r.counts = ADIOI_Malloc((r.ncounts + 1) * sizeof(*r.counts));
    c->combiner = r.combiner;
    c->ntypes = r.ntypes;
    c->types = ADIOI_Malloc((r.ntypes + 1) * sizeof(*c->types));
    get_contents(type, &r, c->types);
    merge_counts(&r, c);
    ADIOI_Free(r.ints);
    ADIOI_Free(r.addrs);
    ADIOI_Free(r.counts);
}

void adl_contents_put(struct adl_contents *c)
{
    for (MPI_Count i = 0; i < c->ntypes; i++)
        if (!adl_contents_is_named(c->types[i]))
            PMPI_Type_free(&c->types[i]);
    ADIOI_Free(c->ints);
    ADIOI_Free(c->addrs);
    ADIOI_Free(c->types);
}

int adl_instead_Type_get_envelope(MPI_Datatype type, int *nints, int *naddrs,
                                  int *ntypes, int *combiner)
{
    *nints = *naddrs = *ntypes = 0;
    *combiner = combiner_of(type);
    return MPI_SUCCESS;
}
