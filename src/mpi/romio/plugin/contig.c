/* contig.c - is a datatype contiguous: no gaps, data in order from byte 0?
 *
 * MPICH keeps the answer with each datatype. The plug-in is outside MPICH and
 * has to look at how the type was made. ROMIO asks at every I/O call, so the
 * plug-in keeps the answer as an attribute of the type.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plugin.h"

#include <pthread.h>
#include <stdint.h>

#include "../adio/ad_lustre/front/contents.h"

static int type_is_contig(MPI_Datatype type);

/* Blocks of `len[i]` (or `fixed`) elements at `disp[i]`, one after the other?
 */
static int indexed_in_order(MPI_Count n, const MPI_Count *len, MPI_Count fixed,
                            const MPI_Count *disp)
{
    for (MPI_Count i = 1; i < n; i++)
        if (disp[i] != disp[i - 1] + (len ? len[i - 1] : fixed))
            return 0;
    return 1;
}

static int addressed_in_order(const struct adl_contents *r, MPI_Count n,
                              int same_type)
{
    MPI_Count size;

    for (MPI_Count i = 1; i < n; i++) {
        PMPI_Type_size_x(r->types[same_type ? 0 : i - 1], &size);
        if (r->addrs[i] != r->addrs[i - 1] + r->ints[i] * size)
            return 0;
    }
    return 1;
}

/* Size equals extent and the parts are contiguous; are they in order? */
static int parts_in_order(const struct adl_contents *r)
{
    MPI_Count n = r->nints > 0 ? r->ints[0] : 0;

    switch (r->combiner) {
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
    struct adl_contents r;
    int empty, contig;
    int tight = extent_is_size(type, &empty);

    if (empty || !tight)
        return empty;
    if (adl_contents_is_named(type))
        return 1;
    contig = 1;
    adl_contents_get(type, &r);
    for (MPI_Count i = 0; contig && i < r.ntypes; i++)
        contig = type_is_contig(r.types[i]);
    contig = contig && parts_in_order(&r);
    adl_contents_put(&r);
    return contig;
}

static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID;

static void keyval_create(void)
{
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN,
                            &keyval, NULL);
}

/* The attribute's value is 1 + the answer, so that NULL never occurs. */
static int type_is_contig(MPI_Datatype type)
{
    void *known;
    int found = 0, contig;

    if (adl_contents_is_named(type))
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
