/* typegen.c - random recipes of datatypes */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "typegen.h"

int64_t pick_size(struct rng *rng, int64_t most)
{
    int bits = 0;

    while (most >> (bits + 1))
        bits++;
    bits = pick(rng, bits + 1);
    most = most < (INT64_C(2) << bits) - 1 ? most : (INT64_C(2) << bits) - 1;
    return rng_in(rng, INT64_C(1) << bits, most);
}

struct span {
    int64_t lb, ub;
};

static struct span span_of(const struct recipe *r)
{
    struct flat flat;
    struct span s;

    recipe_flatten(r, &flat);
    s.lb = flat.lb;
    s.ub = flat.ub;
    flat_free(&flat);
    return s;
}

static int64_t gap(struct typegen *g)
{
    return rng_chance(g->rng, 50) ? 0 : rng_in(g->rng, 1, 5);
}

/* Part of another type: not empty, because MPICH forgets the bounds of empty
 * types, and the standard does not. */
static struct recipe *subtree(struct typegen *g, struct recipe *leaf,
                              int64_t budget, int depth)
{
    struct recipe *r = typegen_tree(g, leaf, budget, depth);

    return recipe_size(r) > 0 ? r : recipe_contig(g->arena, 1, leaf);
}

static struct recipe *tree_strided(struct typegen *g, struct recipe *child,
                                   int n)
{
    struct span s = span_of(child);
    int block = (int)rng_in(g->rng, 1, 3);
    int64_t stride = block + gap(g);

    n = (n + block - 1) / block;
    if (g->any_order && rng_chance(g->rng, 25))
        stride = -stride;
    if (rng_chance(g->rng, 50))
        return recipe_vector(g->arena, n, block, stride, child);
    stride *= s.ub - s.lb;
    stride += stride < 0 ? -g->unit * gap(g) : g->unit * gap(g);
    return recipe_hvector(g->arena, n, block, stride, child);
}

static void shuffle(struct typegen *g, struct recipe *r)
{
    for (int i = r->n - 1; i > 0; i--) {
        int k = pick(g->rng, i + 1), block = r->blocks[i];
        int64_t disp = r->disp[i];

        r->disp[i] = r->disp[k];
        r->disp[k] = disp;
        r->blocks[i] = r->blocks[k];
        r->blocks[k] = block;
        if (r->kind == RECIPE_STRUCT) {
            struct recipe *child = r->child[i];

            r->child[i] = r->child[k];
            r->child[k] = child;
        }
    }
}

static void shift(struct recipe *r, int64_t by)
{
    for (int i = 0; i < r->n; i++)
        r->disp[i] += by;
}

static void disorder(struct typegen *g, struct recipe *r)
{
    if (!g->any_order)
        return;
    if (rng_chance(g->rng, 60))
        shuffle(g, r);
    if (rng_chance(g->rng, 30))
        shift(r, -rng_in(g->rng, 1, 40));
}

static struct recipe *tree_indexed(struct typegen *g, struct recipe *child,
                                   int n)
{
    struct recipe *r = recipe_list(
        g->arena, rng_chance(g->rng, 60) ? RECIPE_INDEXED : RECIPE_BLOCK, n);
    int64_t at = gap(g);

    r->child[0] = child;
    r->block = 1;
    for (int i = 0; i < n; i++) {
        r->blocks[i] = r->kind == RECIPE_BLOCK ? 1 : pick(g->rng, 4);
        r->disp[i] = at;
        at += r->blocks[i] + gap(g);
    }
    disorder(g, r);
    return r;
}

/* HINDEXED: blocks of one child; STRUCT: a child for each. */
static struct recipe *tree_bytes(struct typegen *g, struct recipe *leaf, int n,
                                 int64_t budget, int depth,
                                 enum recipe_kind kind)
{
    struct recipe *r = recipe_list(g->arena, kind, n);
    struct recipe *child = NULL;
    int64_t at = g->unit * gap(g);

    for (int i = 0; i < n; i++) {
        struct span s;

        if (i == 0 || kind == RECIPE_STRUCT)
            child = subtree(g, leaf, budget / n, depth - 1);
        r->child[kind == RECIPE_STRUCT ? i : 0] = child;
        s = span_of(child);
        r->blocks[i] = (int)rng_in(g->rng, i == 0, 2);
        r->disp[i] = at - s.lb;
        at += r->blocks[i] * (s.ub - s.lb) + g->unit * gap(g);
    }
    disorder(g, r);
    return r;
}

static void random_order(struct typegen *g, struct recipe_array *a)
{
    a->order = rng_chance(g->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

/* Child must start at 0: what else an array would be is not clear. */
static struct recipe *tree_subarray(struct typegen *g, struct recipe *child,
                                    int n)
{
    struct recipe *r = recipe_array(g->arena, RECIPE_SUBARRAY,
                                    (int)rng_in(g->rng, 1, 4), child);
    struct recipe_array *a = r->array;

    random_order(g, a);
    for (int d = 0; d < a->dims; d++) {
        a->sub[d] = (int)rng_in(g->rng, 1, n < 4 ? n : 4);
        n = n / a->sub[d] > 0 ? n / a->sub[d] : 1;
        a->start[d] = pick(g->rng, 3);
        a->size[d] = a->start[d] + a->sub[d] + pick(g->rng, 3);
    }
    return r;
}

static struct recipe *tree_darray(struct typegen *g, struct recipe *child,
                                  int n)
{
    static const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                                MPI_DISTRIBUTE_NONE};
    struct recipe *r =
        recipe_array(g->arena, RECIPE_DARRAY, (int)rng_in(g->rng, 1, 3), child);
    struct recipe_array *a = r->array;

    random_order(g, a);
    a->nprocs = 1;
    for (int d = 0; d < a->dims; d++) {
        a->distrib[d] = kinds[pick(g->rng, 3)];
        a->grid[d] =
            a->distrib[d] == MPI_DISTRIBUTE_NONE ? 1 : 1 + pick(g->rng, 3);
        a->nprocs *= a->grid[d];
        a->size[d] = (int)rng_in(g->rng, a->grid[d], a->grid[d] + 5);
        a->darg[d] = MPI_DISTRIBUTE_DFLT_DARG;
        if (a->distrib[d] == MPI_DISTRIBUTE_CYCLIC && rng_chance(g->rng, 50))
            a->darg[d] = 1 + pick(g->rng, 3);
        if (n < 20)
            a->size[d] = a->grid[d];
    }
    a->rank = pick(g->rng, a->nprocs);
    return r;
}

static struct recipe *tree_resized(struct typegen *g, struct recipe *child)
{
    struct span s = span_of(child);
    int64_t lb = s.lb, ub = s.ub + g->unit * gap(g);

    if (g->any_order && rng_chance(g->rng, 50))
        lb -= rng_in(g->rng, 1, 33);
    else if (lb > 0 && rng_chance(g->rng, 50))
        lb = 0;
    return recipe_resized(g->arena, lb, ub - lb, child);
}

static struct recipe *tree_array(struct typegen *g, struct recipe *child, int n)
{
    if (span_of(child).lb != 0)
        return recipe_contig(g->arena, n, child);
    return rng_chance(g->rng, 60) ? tree_subarray(g, child, n)
                                  : tree_darray(g, child, n);
}

struct recipe *typegen_tree(struct typegen *g, struct recipe *leaf,
                            int64_t budget, int depth)
{
    int n = (int)pick_size(g->rng, budget < 24 ? budget + 1 : 24);
    int kind = pick(g->rng, 8);
    struct recipe *child;

    if (depth <= 0 || budget <= 1)
        return recipe_contig(
            g->arena, (int)rng_in(g->rng, 1, budget > 1 ? budget : 1), leaf);
    if (kind == 0)
        return tree_bytes(g, leaf, n, budget, depth, RECIPE_HINDEXED);
    if (kind == 1)
        return tree_bytes(g, leaf, n < 6 ? n : 6, budget, depth, RECIPE_STRUCT);
    child = subtree(g, leaf, budget / n, depth - 1);
    switch (kind) {
    case 2:
        return recipe_contig(g->arena, n, child);
    case 3:
        return tree_resized(g, child);
    case 4:
        return tree_indexed(g, child, n);
    case 5:
    case 6:
        return tree_array(g, child, n);
    default:
        return tree_strided(g, child, n);
    }
}
