/* contig.c - is a datatype contiguous: no gaps, data in order from byte 0?
 *
 * MPICH knows it; outside one must read the type's construction. ROMIO asks at
 * every I/O call, so the answer is kept as an attribute of the type.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* How a type was made: MPI_Type_get_envelope and _get_contents. */
struct recipe {
    int combiner;
    int nints, naddrs, ntypes;
    int *ints;
    MPI_Aint *addrs;
    MPI_Datatype *types;
};

static int type_is_contig(MPI_Datatype type);

static int recipe_get(MPI_Datatype type, struct recipe *r)
{
    int rc;

    PMPI_Type_get_envelope(type, &r->nints, &r->naddrs, &r->ntypes,
                           &r->combiner);
    r->ints = NULL;
    r->addrs = NULL;
    r->types = NULL;
    if (r->combiner == MPI_COMBINER_NAMED)
        return 0;
    r->ints = malloc((r->nints + 1) * sizeof(*r->ints));
    r->addrs = malloc((r->naddrs + 1) * sizeof(*r->addrs));
    r->types = malloc((r->ntypes + 1) * sizeof(*r->types));
    if (!r->ints || !r->addrs || !r->types) {
        r->ntypes = 0;
        return -1;
    }
    rc = PMPI_Type_get_contents(type, r->nints, r->naddrs, r->ntypes, r->ints,
                                r->addrs, r->types);
    if (rc != MPI_SUCCESS)
        r->ntypes = 0;
    return rc == MPI_SUCCESS ? 0 : -1;
}

static void recipe_put(struct recipe *r)
{
    int ni, na, nt, combiner;

    for (int i = 0; r->types && i < r->ntypes; i++) {
        PMPI_Type_get_envelope(r->types[i], &ni, &na, &nt, &combiner);
        if (combiner != MPI_COMBINER_NAMED)
            PMPI_Type_free(&r->types[i]);
    }
    free(r->ints);
    free(r->addrs);
    free(r->types);
}

/* Blocks of `len[i]` (or `fixed`) elements at `disp[i]`, one after the other?
 */
static int indexed_in_order(int n, const int *len, int fixed, const int *disp)
{
    for (int i = 1; i < n; i++)
        if (disp[i] != disp[i - 1] + (len ? len[i - 1] : fixed))
            return 0;
    return 1;
}

static int addressed_in_order(const struct recipe *r, int n, int same_type)
{
    MPI_Count size;

    for (int i = 1; i < n; i++) {
        PMPI_Type_size_x(r->types[same_type ? 0 : i - 1], &size);
        if (r->addrs[i] != r->addrs[i - 1] + r->ints[i] * size)
            return 0;
    }
    return 1;
}

/* Size equals extent and the parts are contiguous; are they in order? */
static int parts_in_order(const struct recipe *r)
{
    int n = r->nints > 0 ? r->ints[0] : 0;

    switch (r->combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_SUBARRAY:
        return 1;
    case MPI_COMBINER_VECTOR:
        return n <= 1 || r->ints[2] > 0;
    case MPI_COMBINER_HVECTOR:
        return n <= 1 || r->addrs[0] > 0;
    case MPI_COMBINER_INDEXED:
        return indexed_in_order(n, r->ints + 1, 0, r->ints + 1 + n);
    case MPI_COMBINER_INDEXED_BLOCK:
        return indexed_in_order(n, NULL, r->ints[1], r->ints + 2);
    case MPI_COMBINER_HINDEXED:
        return addressed_in_order(r, n, 1);
    case MPI_COMBINER_STRUCT:
        return addressed_in_order(r, n, 0);
    default: /* darray and others: strided is correct, only slower */
        return 0;
    }
}

/* An empty type counts as contiguous, as in MPICH; flattening relies on it. */
static int extent_is_size(MPI_Datatype type, int *empty)
{
    MPI_Count size, lb, extent, true_lb, true_extent;

    PMPI_Type_size_x(type, &size);
    *empty = size == 0;
    PMPI_Type_get_extent_x(type, &lb, &extent);
    PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    return size == extent && size == true_extent && lb == true_lb && lb == 0;
}

static int examine(MPI_Datatype type)
{
    struct recipe r;
    int empty, contig;
    int tight = extent_is_size(type, &empty);

    if (empty || !tight)
        return empty;
    contig = recipe_get(type, &r) == 0;
    for (int i = 0; contig && i < r.ntypes; i++)
        contig = type_is_contig(r.types[i]);
    contig = contig && parts_in_order(&r);
    recipe_put(&r);
    return contig;
}

static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID;

static void keyval_create(void)
{
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN,
                            &keyval, NULL);
}

static int is_named_type(MPI_Datatype type)
{
    int ni, na, nt, combiner;

    PMPI_Type_get_envelope(type, &ni, &na, &nt, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* The attribute's value is 1 + the answer, so that NULL never occurs. */
static int type_is_contig(MPI_Datatype type)
{
    void *known;
    int found = 0, contig;

    if (is_named_type(type))
        return examine(type);
    pthread_once(&keyval_once, keyval_create);
    PMPI_Type_get_attr(type, keyval, &known, &found);
    if (found)
        return (int)((intptr_t)known - 1);
    contig = examine(type);
    PMPI_Type_set_attr(type, keyval, (void *)(intptr_t)(contig + 1));
    return contig;
}

void MPIR_Datatype_iscontig(MPI_Datatype type, int *flag)
{
    *flag = type_is_contig(type);
}

/* The same, by the name that it has since 4.3. */
int MPIR_Ext_datatype_iscontig(MPI_Datatype type, int *flag)
{
    *flag = type_is_contig(type);
    return MPI_SUCCESS;
}
