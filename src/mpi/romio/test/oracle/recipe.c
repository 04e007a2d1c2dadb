/* recipe.c - how a datatype is made: the tree, and the model's reading of it */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "recipe.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_MAX (INT64_C(256) << 20)

static struct recipe *node(struct arena *a, enum recipe_kind kind, int children)
{
    struct recipe *r = arena_alloc(a, sizeof(*r));

    r->kind = kind;
    r->child = arena_alloc(a, (children + 1) * sizeof(*r->child));
    return r;
}

struct recipe *recipe_basic(struct arena *a, MPI_Datatype basic)
{
    struct recipe *r = node(a, RECIPE_BASIC, 0);

    r->basic = basic;
    return r;
}

struct recipe *recipe_contig(struct arena *a, int n, struct recipe *child)
{
    struct recipe *r = node(a, RECIPE_CONTIG, 1);

    r->n = n;
    r->child[0] = child;
    return r;
}

static struct recipe *strided(struct arena *a, enum recipe_kind kind, int n,
                              int block, int64_t stride, struct recipe *child)
{
    struct recipe *r = node(a, kind, 1);

    r->n = n;
    r->block = block;
    r->stride = stride;
    r->child[0] = child;
    return r;
}

struct recipe *recipe_vector(struct arena *a, int n, int block, int64_t stride,
                             struct recipe *child)
{
    return strided(a, RECIPE_VECTOR, n, block, stride, child);
}

struct recipe *recipe_hvector(struct arena *a, int n, int block, int64_t stride,
                              struct recipe *child)
{
    return strided(a, RECIPE_HVECTOR, n, block, stride, child);
}

struct recipe *recipe_list(struct arena *a, enum recipe_kind kind, int n)
{
    struct recipe *r = node(a, kind, n > 0 ? n : 1);

    r->n = n;
    r->blocks = arena_alloc(a, (n + 1) * sizeof(*r->blocks));
    r->disp = arena_alloc(a, (n + 1) * sizeof(*r->disp));
    return r;
}

struct recipe *recipe_array(struct arena *a, enum recipe_kind kind, int dims,
                            struct recipe *child)
{
    struct recipe *r = node(a, kind, 1);

    r->array = arena_alloc(a, sizeof(*r->array));
    r->array->dims = dims;
    r->array->order = MPI_ORDER_C;
    r->child[0] = child;
    return r;
}

struct recipe *recipe_resized(struct arena *a, int64_t lb, int64_t extent,
                              struct recipe *child)
{
    struct recipe *r = node(a, RECIPE_RESIZED, 1);

    r->lb = lb;
    r->extent = extent;
    r->child[0] = child;
    return r;
}

/* ---- which elements of a dimension a process has ---- */

/* Position of the process in the grid: row-major, whatever the array's order */
static int coordinate(const struct recipe_array *array, int dim)
{
    int rank = array->rank;

    for (int d = array->dims - 1; d > dim; d--)
        rank /= array->grid[d];
    return rank % array->grid[dim];
}

static int darray_has(const struct recipe_array *array, int dim, int i)
{
    int procs = array->grid[dim], block = array->darg[dim];

    if (array->distrib[dim] == MPI_DISTRIBUTE_NONE)
        return 1;
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = array->distrib[dim] == MPI_DISTRIBUTE_CYCLIC
                    ? 1
                    : (array->size[dim] + procs - 1) / procs;
    return i / block % procs == coordinate(array, dim);
}

static int array_has(const struct recipe *r, int dim, int i)
{
    const struct recipe_array *array = r->array;

    if (r->kind == RECIPE_DARRAY)
        return darray_has(array, dim, i);
    return i >= array->start[dim] && i < array->start[dim] + array->sub[dim];
}

static int64_t array_elements(const struct recipe *r)
{
    int64_t all = 1;

    for (int d = 0; d < r->array->dims; d++) {
        int64_t n = 0;

        for (int i = 0; i < r->array->size[d]; i++)
            n += array_has(r, d, i);
        all *= n;
    }
    return all;
}

static int64_t sum_of_blocks(const struct recipe *r)
{
    int64_t sum = 0;

    for (int i = 0; i < r->n; i++)
        sum += r->blocks[i];
    return sum;
}

static int64_t struct_size(const struct recipe *r)
{
    int64_t sum = 0;

    for (int i = 0; i < r->n; i++)
        sum += r->blocks[i] * recipe_size(r->child[i]);
    return sum;
}

static int basic_size(MPI_Datatype basic)
{
    return basic == MPI_BYTE ? 1 : basic == MPI_INT ? 4 : 8;
}

int64_t recipe_size(const struct recipe *r)
{
    int64_t child;

    if (r->kind == RECIPE_BASIC)
        return basic_size(r->basic);
    if (r->kind == RECIPE_STRUCT)
        return struct_size(r);
    child = recipe_size(r->child[0]);
    switch (r->kind) {
    case RECIPE_CONTIG:
        return r->n * child;
    case RECIPE_VECTOR:
    case RECIPE_HVECTOR:
    case RECIPE_BLOCK:
        return (int64_t)r->n * r->block * child;
    case RECIPE_INDEXED:
    case RECIPE_HINDEXED:
        return sum_of_blocks(r) * child;
    case RECIPE_SUBARRAY:
    case RECIPE_DARRAY:
        return array_elements(r) * child;
    default:
        return child;
    }
}

/* ---- flattening ---- */

void flat_add(struct flat *flat, int64_t off, int64_t len)
{
    if (len == 0)
        return;
    if (flat->n > 0 && flat->off[flat->n - 1] + flat->len[flat->n - 1] == off) {
        flat->len[flat->n - 1] += len;
        return;
    }
    if (flat->n == flat->room) {
        flat->room = flat->room ? 2 * flat->room : 16;
        flat->off = realloc(flat->off, flat->room * sizeof(int64_t));
        flat->len = realloc(flat->len, flat->room * sizeof(int64_t));
        if (!flat->off || !flat->len)
            abort();
    }
    flat->off[flat->n] = off;
    flat->len[flat->n++] = len;
}

void flat_free(struct flat *flat)
{
    free(flat->off);
    free(flat->len);
    memset(flat, 0, sizeof(*flat));
}

static void widen(struct flat *flat, int64_t lb, int64_t ub)
{
    if (!flat->placed || lb < flat->lb)
        flat->lb = lb;
    if (!flat->placed || ub > flat->ub)
        flat->ub = ub;
    flat->placed = 1;
}

/* `n` copies of `child`, one extent apart, from `disp` on */
static void place(struct flat *flat, const struct flat *child, int64_t disp,
                  int64_t n)
{
    int64_t extent = flat_extent(child);

    if (n == 0)
        return;
    flat->size += n * child->size;
    widen(flat, disp + child->lb, disp + child->ub);
    widen(flat, disp + (n - 1) * extent + child->lb,
          disp + (n - 1) * extent + child->ub);
    if (child->n == 1 && child->len[0] == extent) {
        flat_add(flat, disp + child->off[0], n * extent);
        return;
    }
    for (int64_t i = 0; i < n; i++, disp += extent)
        for (int64_t k = 0; k < child->n; k++)
            flat_add(flat, disp + child->off[k], child->len[k]);
}

/* The elements of dimension `step` (in storage order, slowest first) and all
 * below it; `at` is the linear index of what was chosen above. */
static void place_array(struct flat *flat, const struct recipe *r,
                        const struct flat *child, int step, int64_t at)
{
    const struct recipe_array *array = r->array;
    int c_order = array->order == MPI_ORDER_C;
    int dim = c_order ? step : array->dims - 1 - step;

    if (step == array->dims) {
        place(flat, child, at * flat_extent(child), 1);
        return;
    }
    for (int i = 0; i < array->size[dim]; i++)
        if (array_has(r, dim, i))
            place_array(flat, r, child, step + 1, at * array->size[dim] + i);
}

static void flatten_array(const struct recipe *r, const struct flat *child,
                          struct flat *out)
{
    int64_t elements = 1;

    place_array(out, r, child, 0, 0);
    for (int d = 0; d < r->array->dims; d++)
        elements *= r->array->size[d];
    out->lb = 0;
    out->ub = elements * flat_extent(child);
}

static void flatten_struct(const struct recipe *r, struct flat *out)
{
    for (int i = 0; i < r->n; i++) {
        struct flat child;

        recipe_flatten(r->child[i], &child);
        place(out, &child, r->disp[i], r->blocks[i]);
        flat_free(&child);
    }
}

static void flatten_blocks(const struct recipe *r, const struct flat *child,
                           struct flat *out)
{
    int64_t extent = flat_extent(child);
    int in_bytes = r->kind == RECIPE_HVECTOR || r->kind == RECIPE_HINDEXED;
    int listed = r->kind != RECIPE_VECTOR && r->kind != RECIPE_HVECTOR;
    int varied = r->kind == RECIPE_INDEXED || r->kind == RECIPE_HINDEXED;

    for (int i = 0; i < r->n; i++) {
        int64_t disp = listed ? r->disp[i] : i * r->stride;

        place(out, child, in_bytes ? disp : disp * extent,
              varied ? r->blocks[i] : r->block);
    }
}

void recipe_flatten(const struct recipe *r, struct flat *out)
{
    struct flat child;

    memset(out, 0, sizeof(*out));
    if (r->kind == RECIPE_BASIC) {
        out->size = out->ub = basic_size(r->basic);
        flat_add(out, 0, out->size);
        return;
    }
    if (r->kind == RECIPE_STRUCT) {
        flatten_struct(r, out);
        return;
    }
    recipe_flatten(r->child[0], &child);
    if (r->kind == RECIPE_CONTIG || r->kind == RECIPE_RESIZED)
        place(out, &child, 0, r->kind == RECIPE_CONTIG ? r->n : 1);
    else if (r->array)
        flatten_array(r, &child, out);
    else
        flatten_blocks(r, &child, out);
    if (r->kind == RECIPE_RESIZED) {
        out->lb = r->lb;
        out->ub = r->lb + r->extent;
    }
    flat_free(&child);
}

int recipe_too_wide(const struct recipe *r, int64_t count)
{
    struct flat flat;
    int64_t step, low = 0, high = 0;

    recipe_flatten(r, &flat);
    step = flat_extent(&flat);
    for (int64_t i = 0; i < flat.n; i++) {
        low = flat.off[i] < low ? flat.off[i] : low;
        high = flat.off[i] > high ? flat.off[i] : high;
    }
    flat_free(&flat);
    return high - low + count * (step < 0 ? -step : step) > WIDTH_MAX;
}
