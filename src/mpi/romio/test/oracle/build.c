/* build.c - recipes as MPI datatypes and as text */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#if MPI_VERSION < 4 /* nothing is large there, see is_large */
static void no_large(int unused, ...)
{
    (void)unused;
    abort();
}
#define NO_LARGE(first, ...) no_large(0, __VA_ARGS__)
#define MPI_Type_contiguous_c NO_LARGE
#define MPI_Type_vector_c NO_LARGE
#define MPI_Type_create_hvector_c NO_LARGE
#define MPI_Type_create_resized_c NO_LARGE
#define MPI_Type_create_struct_c NO_LARGE
#define MPI_Type_create_subarray_c NO_LARGE
#define MPI_Type_create_darray_c NO_LARGE
#define MPI_Type_indexed_c NO_LARGE
#define MPI_Type_create_indexed_block_c NO_LARGE
#define MPI_Type_create_hindexed_c NO_LARGE
#endif

static MPI_Aint *as_aint(const int64_t *v, int n)
{
    MPI_Aint *to = malloc((n + 1) * sizeof(*to));

    for (int i = 0; i < n; i++)
        to[i] = v[i];
    return to;
}

static int *as_int(const int64_t *v, int n)
{
    int *to = malloc((n + 1) * sizeof(*to));

    for (int i = 0; i < n; i++)
        to[i] = (int)v[i];
    return to;
}

static MPI_Count *as_count(const int64_t *v, int n)
{
    MPI_Count *to = malloc((n + 1) * sizeof(*to));

    for (int i = 0; i < n; i++)
        to[i] = v[i];
    return to;
}

static void to_counts(const int *v, int n, MPI_Count *to)
{
    for (int i = 0; i < n; i++)
        to[i] = v[i];
}

static MPI_Count *blocks_as_count(const struct recipe *r)
{
    MPI_Count *to = malloc((r->n + 1) * sizeof(*to));

    if (r->blocks)
        to_counts(r->blocks, r->n, to);
    return to;
}

/* Some types are made by MPI 4's constructors with large counts: the same types
 * in any run, and no part of the random choices. */
static int is_large(const struct recipe *r)
{
    int dims = r->array ? r->array->dims + r->array->size[0] : 0;

    return MPI_VERSION >= 4 && (r->kind + r->n + r->block + dims) % 3 == 0;
}

static MPI_Datatype make(const struct recipe *r);

static void release(MPI_Datatype *type, const struct recipe *r)
{
    if (r->kind != RECIPE_BASIC)
        MPI_Type_free(type);
}

static MPI_Datatype make_struct(const struct recipe *r)
{
    MPI_Datatype *child = malloc((r->n + 1) * sizeof(*child)), type;
    MPI_Aint *disp = as_aint(r->disp, r->n);
    MPI_Count *places = as_count(r->disp, r->n), *blocks = blocks_as_count(r);

    for (int i = 0; i < r->n; i++)
        child[i] = make(r->child[i]);
    if (is_large(r))
        MPI_Type_create_struct_c(r->n, blocks, places, child, &type);
    else
        MPI_Type_create_struct(r->n, r->blocks, disp, child, &type);
    for (int i = 0; i < r->n; i++)
        release(&child[i], r->child[i]);
    free(child);
    free(disp);
    free(places);
    free(blocks);
    return type;
}

static MPI_Datatype make_large_array(const struct recipe *r, MPI_Datatype child)
{
    const struct recipe_array *a = r->array;
    MPI_Count size[RECIPE_DIMS], sub[RECIPE_DIMS], start[RECIPE_DIMS];
    MPI_Datatype type;

    to_counts(a->size, a->dims, size);
    to_counts(a->sub, a->dims, sub);
    to_counts(a->start, a->dims, start);
    if (r->kind == RECIPE_SUBARRAY)
        MPI_Type_create_subarray_c(a->dims, size, sub, start, a->order, child,
                                   &type);
    else
        MPI_Type_create_darray_c(a->nprocs, a->rank, a->dims, size, a->distrib,
                                 a->darg, a->grid, a->order, child, &type);
    return type;
}

static MPI_Datatype make_array(const struct recipe *r, MPI_Datatype child)
{
    const struct recipe_array *a = r->array;
    MPI_Datatype type;

    if (r->kind == RECIPE_SUBARRAY)
        MPI_Type_create_subarray(a->dims, a->size, a->sub, a->start, a->order,
                                 child, &type);
    else
        MPI_Type_create_darray(a->nprocs, a->rank, a->dims, a->size, a->distrib,
                               a->darg, a->grid, a->order, child, &type);
    return type;
}

static MPI_Datatype make_large_list(const struct recipe *r, MPI_Datatype child)
{
    MPI_Count *places = as_count(r->disp, r->n), *blocks = blocks_as_count(r);
    MPI_Datatype type;

    if (r->kind == RECIPE_INDEXED)
        MPI_Type_indexed_c(r->n, blocks, places, child, &type);
    else if (r->kind == RECIPE_BLOCK)
        MPI_Type_create_indexed_block_c(r->n, r->block, places, child, &type);
    else
        MPI_Type_create_hindexed_c(r->n, blocks, places, child, &type);
    free(places);
    free(blocks);
    return type;
}

static MPI_Datatype make_list(const struct recipe *r, MPI_Datatype child)
{
    MPI_Aint *bytes = as_aint(r->disp, r->n);
    int *items = as_int(r->disp, r->n);
    MPI_Datatype type;

    if (r->kind == RECIPE_INDEXED)
        MPI_Type_indexed(r->n, r->blocks, items, child, &type);
    else if (r->kind == RECIPE_BLOCK)
        MPI_Type_create_indexed_block(r->n, r->block, items, child, &type);
    else
        MPI_Type_create_hindexed(r->n, r->blocks, bytes, child, &type);
    free(bytes);
    free(items);
    return type;
}

static MPI_Datatype make_large(const struct recipe *r, MPI_Datatype child)
{
    MPI_Datatype type;

    switch (r->kind) {
    case RECIPE_CONTIG:
        MPI_Type_contiguous_c(r->n, child, &type);
        return type;
    case RECIPE_VECTOR:
        MPI_Type_vector_c(r->n, r->block, r->stride, child, &type);
        return type;
    case RECIPE_HVECTOR:
        MPI_Type_create_hvector_c(r->n, r->block, r->stride, child, &type);
        return type;
    case RECIPE_RESIZED:
        MPI_Type_create_resized_c(child, r->lb, r->extent, &type);
        return type;
    case RECIPE_SUBARRAY:
    case RECIPE_DARRAY:
        return make_large_array(r, child);
    default:
        return make_large_list(r, child);
    }
}

static MPI_Datatype make_from(const struct recipe *r, MPI_Datatype child)
{
    MPI_Datatype type;

    if (is_large(r))
        return make_large(r, child);
    switch (r->kind) {
    case RECIPE_CONTIG:
        MPI_Type_contiguous(r->n, child, &type);
        return type;
    case RECIPE_VECTOR:
        MPI_Type_vector(r->n, r->block, (int)r->stride, child, &type);
        return type;
    case RECIPE_HVECTOR:
        MPI_Type_create_hvector(r->n, r->block, r->stride, child, &type);
        return type;
    case RECIPE_RESIZED:
        MPI_Type_create_resized(child, r->lb, r->extent, &type);
        return type;
    case RECIPE_SUBARRAY:
    case RECIPE_DARRAY:
        return make_array(r, child);
    default:
        return make_list(r, child);
    }
}

static MPI_Datatype make(const struct recipe *r)
{
    MPI_Datatype child, type;

    if (r->kind == RECIPE_BASIC)
        return r->basic;
    if (r->kind == RECIPE_STRUCT)
        return make_struct(r);
    child = make(r->child[0]);
    type = make_from(r, child);
    release(&child, r->child[0]);
    return type;
}

MPI_Datatype recipe_build(const struct recipe *r)
{
    MPI_Datatype type = make(r);

    if (r->kind == RECIPE_BASIC)
        MPI_Type_dup(r->basic, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Pack one item of a buffer whose bytes tell their place. */
static int packs_alike(const struct flat *flat, MPI_Datatype type)
{
    int64_t low = 0, high = 0, span;
    unsigned char *buf, *packed, *p;
    int pos = 0, same = 1;

    for (int64_t i = 0; i < flat->n; i++) {
        if (flat->off[i] < low)
            low = flat->off[i];
        if (flat->off[i] + flat->len[i] > high)
            high = flat->off[i] + flat->len[i];
    }
    span = high - low;
    buf = malloc(span + 1);
    packed = p = malloc(flat->size + 1);
    for (int64_t i = 0; i < span; i++)
        buf[i] = (unsigned char)(i * 2654435761u >> 13);
    MPI_Pack(buf - low, 1, type, packed, (int)flat->size, &pos, MPI_COMM_SELF);
    for (int64_t i = 0; i < flat->n; p += flat->len[i], i++)
        same = same && !memcmp(p, buf + (flat->off[i] - low), flat->len[i]);
    free(buf);
    free(packed);
    return same && pos == flat->size;
}

static int agrees(const struct recipe *r, MPI_Datatype type)
{
    MPI_Count size, lb, extent;
    struct flat flat;
    int same;

    recipe_flatten(r, &flat);
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    same = size == flat.size && size == recipe_size(r);
    /* an empty type has no bounds in MPICH, also when resized */
    if (same && size > 0)
        same = lb == flat.lb && extent == flat_extent(&flat) &&
               packs_alike(&flat, type);
    if (!same)
        fprintf(stderr,
                "oracle: MPI: size %lld lb %lld extent %lld; model: %lld %lld "
                "%lld\n",
                (long long)size, (long long)lb, (long long)extent,
                (long long)flat.size, (long long)flat.lb,
                (long long)flat_extent(&flat));
    flat_free(&flat);
    return same;
}

#ifdef OPEN_MPI
/* The same bytes and bounds as one list of pieces. */
static MPI_Datatype build_flat(const struct recipe *r)
{
    struct flat flat;
    MPI_Datatype list, type;
    MPI_Aint *at;
    int *len;

    recipe_flatten(r, &flat);
    at = calloc(flat.n + 1, sizeof(*at));
    len = calloc(flat.n + 1, sizeof(*len));
    if (!at || !len)
        abort();
    for (int64_t i = 0; i < flat.n; i++) {
        at[i] = flat.off[i];
        len[i] = (int)flat.len[i];
    }
    MPI_Type_create_hindexed((int)flat.n, len, at, MPI_BYTE, &list);
    MPI_Type_create_resized(list, flat.lb, flat_extent(&flat), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&list);
    free(at);
    free(len);
    flat_free(&flat);
    return type;
}
#endif

int recipe_agrees(const struct recipe *r, MPI_Datatype *type)
{
    int same = agrees(r, *type);

#ifdef OPEN_MPI
    if (!same) {
        MPI_Type_free(type);
        *type = build_flat(r);
        same = agrees(r, *type);
    }
#endif
    return same;
}

static void print_array(const struct recipe_array *a, FILE *to)
{
    for (int d = 0; d < a->dims; d++) {
        fprintf(to, "%s%d",
                d                         ? ","
                : a->order == MPI_ORDER_C ? "C "
                                          : "F ",
                a->size[d]);
        if (a->nprocs)
            fprintf(to, "/%d%s%d", a->grid[d],
                    a->distrib[d] == MPI_DISTRIBUTE_NONE    ? "n"
                    : a->distrib[d] == MPI_DISTRIBUTE_BLOCK ? "b"
                                                            : "c",
                    a->darg[d]);
        else
            fprintf(to, "[%d+%d]", a->start[d], a->sub[d]);
    }
    if (a->nprocs)
        fprintf(to, " rank %d of %d", a->rank, a->nprocs);
}

static void print_list(const struct recipe *r, FILE *to)
{
    for (int i = 0; i < r->n && i < 6; i++)
        fprintf(to, " %d@%lld", r->kind == RECIPE_BLOCK ? 1 : r->blocks[i],
                (long long)r->disp[i]);
    if (r->n > 6)
        fprintf(to, " ... %d in all", r->n);
}

void recipe_print(const struct recipe *r, FILE *to)
{
    static const char *const names[] = {
        "basic",    "contig", "vector", "hvector", "indexed", "hindexed",
        "idxblock", "struct", "subarr", "darray",  "resized"};
    int children = r->kind == RECIPE_STRUCT ? r->n : 1;

    if (r->kind == RECIPE_BASIC) {
        fprintf(to, "%dB", (int)recipe_size(r));
        return;
    }
    fprintf(to, "%s{", names[r->kind]);
    if (r->array)
        print_array(r->array, to);
    else if (r->disp)
        print_list(r, to);
    else if (r->kind == RECIPE_RESIZED)
        fprintf(to, "lb %lld ext %lld", (long long)r->lb, (long long)r->extent);
    else
        fprintf(to, "%d x%d by %lld", r->n, r->block, (long long)r->stride);
    for (int i = 0; i < children && i < 8 && r->child[i]; i++) {
        fprintf(to, "; ");
        recipe_print(r->child[i], to);
    }
    fprintf(to, "}");
}
