/* views.c - random views of all ranks on one file
 *
 * Some styles give the ranks disjoint parts of the file, as applications do;
 * others let them overlap.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "access.h"

#include <string.h>

struct maker {
    struct rng *rng;
    struct arena *arena;
    const struct terrain *t;
    struct views *out;
    struct recipe *etype;
    int64_t size, extent; /* of the etype */
};

/* One with a hole makes as many pieces as it has elements. */
static struct recipe *random_etype(struct rng *rng, struct arena *a,
                                   const struct terrain *t)
{
    if (t->unit)
        return recipe_contig(a, (int)t->unit, recipe_basic(a, MPI_BYTE));
    switch (pick(rng, t->want < 4000 ? 12 : 7)) {
    case 0:
        return recipe_basic(a, MPI_INT);
    case 1:
        return recipe_basic(a, MPI_DOUBLE);
    case 2:
        return recipe_contig(a, 24, recipe_basic(a, MPI_BYTE));
    case 3:
        return recipe_contig(a, 3, recipe_basic(a, MPI_BYTE));
    case 8:
        return recipe_vector(a, 2, 1, 2, recipe_basic(a, MPI_BYTE));
    default:
        return recipe_basic(a, MPI_BYTE);
    }
}

static void set_all(struct maker *m, struct recipe *filetype, int64_t disp)
{
    for (int r = 0; r < m->t->n; r++) {
        m->out->of[r].filetype = filetype;
        m->out->of[r].disp = disp;
    }
}

/* Elements of one piece, so that a rank does not have too many pieces. */
static int64_t piece_items(struct maker *m)
{
    int64_t least = m->t->want / m->t->pieces / m->size + 1;

    return rng_in(m->rng, least, 4 * least);
}

static void contiguous(struct maker *m)
{
    int apart = rng_chance(m->rng, m->t->large ? 80 : 50);

    m->out->style = apart ? "contiguous, apart" : "contiguous";
    m->out->same = !apart;
    set_all(m, m->etype, m->t->base);
    for (int r = 0; apart && r < m->t->n; r++)
        m->out->of[r].disp += r * (m->t->want + rng_in(m->rng, 0, 100));
}

static void interleaved(struct maker *m)
{
    int64_t items = piece_items(m), block = items * m->extent;
    int64_t hole = rng_chance(m->rng, 50) ? 0 : rng_in(m->rng, 1, 9);
    struct recipe *r = recipe_contig(m->arena, (int)items, m->etype);

    m->out->style = hole ? "interleaved, holes" : "interleaved";
    r = recipe_resized(m->arena, 0, block * m->t->n + hole * m->extent, r);
    set_all(m, r, m->t->base);
    for (int i = 0; i < m->t->n; i++)
        m->out->of[i].disp += i * block;
}

/* n as a product of `dims` numbers */
static void factorize(struct rng *rng, int n, int dims, int *out)
{
    for (int d = 0; d < dims; d++)
        out[d] = 1;
    for (int p = 2; n > 1; p++)
        for (; n % p == 0; n /= p)
            out[pick(rng, dims)] *= p;
}

/* Edge lengths of a block of about `items` elements. */
static void random_edges(struct rng *rng, int64_t items, int dims, int *out)
{
    for (int d = 0; d < dims; d++) {
        int left = dims - d;
        int64_t edge = 1;

        while (edge < items) {
            int64_t power = 1;

            for (int k = 0; k < left; k++)
                power *= edge + 1;
            if (power > items)
                break;
            edge++;
        }
        out[d] = (int)rng_in(rng, (edge + 1) / 2, edge + (edge + 1) / 2);
        items = items / out[d] > 0 ? items / out[d] : 1;
    }
}

static void coordinates(int rank, int dims, const int *grid, int *out)
{
    for (int d = dims - 1; d >= 0; d--) {
        out[d] = rank % grid[d];
        rank /= grid[d];
    }
}

/* Rank's block of a global array; `halo` elements of its neighbours' too. */
static struct recipe *grid_block(struct maker *m, const struct recipe_array *a,
                                 const int *edge, int rank, int halo,
                                 struct recipe *item)
{
    struct recipe *r = recipe_array(m->arena, RECIPE_SUBARRAY, a->dims, item);
    int at[RECIPE_DIMS];

    coordinates(rank, a->dims, a->grid, at);
    r->array->order = a->order;
    for (int d = 0; d < a->dims; d++) {
        int start = at[d] * edge[d] - halo;
        int end = (at[d] + 1) * edge[d] + halo;

        r->array->size[d] = a->size[d];
        r->array->start[d] = start > 0 ? start : 0;
        end = end < a->size[d] ? end : a->size[d];
        r->array->sub[d] = end - r->array->start[d];
    }
    return r;
}

/* Items are made smaller where a grid of them would be too large to compare. */
static int fat_at_most(const struct maker *m, const struct recipe_array *a,
                       int fat)
{
    int64_t cells = 1, most;

    for (int d = 0; d < a->dims; d++)
        cells *= a->size[d];
    most = SPAN_MAX / (cells * m->extent);
    return fat <= most || fat == 1 ? fat : most > 1 ? (int)most : 1;
}

static void grid(struct maker *m)
{
    struct recipe_array a = {.dims = (int)rng_in(m->rng, 1, 4)};
    struct recipe *item = m->etype;
    int edge[RECIPE_DIMS], halo = rng_chance(m->rng, 25);
    int fat = (int)piece_items(m);

    m->out->style = halo ? "blocks with halo" : "blocks";
    a.order = rng_chance(m->rng, 60) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    factorize(m->rng, m->t->n, a.dims, a.grid);
    random_edges(m->rng, m->t->want / (fat * m->size) + 1, a.dims, edge);
    for (int d = 0; d < a.dims; d++)
        a.size[d] = edge[d] * a.grid[d] + (pick(m->rng, 4) == 0);
    fat = fat_at_most(m, &a, fat);
    if (fat > 1)
        item = recipe_contig(m->arena, fat, item);
    for (int r = 0; r < m->t->n; r++) {
        m->out->of[r].filetype = grid_block(m, &a, edge, r, halo, item);
        m->out->of[r].disp = m->t->base;
    }
}

static struct recipe *darray_of(struct maker *m, const struct recipe_array *a,
                                int rank, struct recipe *item)
{
    struct recipe *r = recipe_array(m->arena, RECIPE_DARRAY, a->dims, item);

    *r->array = *a;
    r->array->nprocs = m->t->n;
    r->array->rank = rank;
    return r;
}

static void distributed(struct maker *m)
{
    struct recipe_array a = {.dims = (int)rng_in(m->rng, 1, 3)};
    int edge[RECIPE_DIMS], fat = (int)piece_items(m);
    struct recipe *item;

    m->out->style = "darray";
    a.order = rng_chance(m->rng, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    factorize(m->rng, m->t->n, a.dims, a.grid);
    random_edges(m->rng, m->t->want / (fat * m->size) + 1, a.dims, edge);
    for (int d = 0; d < a.dims; d++) {
        a.size[d] = edge[d] * a.grid[d] + pick(m->rng, 3);
        a.darg[d] = MPI_DISTRIBUTE_DFLT_DARG;
        a.distrib[d] =
            pick(m->rng, 2) ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
        if (a.grid[d] == 1 && pick(m->rng, 2))
            a.distrib[d] = MPI_DISTRIBUTE_NONE;
        if (a.distrib[d] == MPI_DISTRIBUTE_CYCLIC && pick(m->rng, 2))
            a.darg[d] = 1 + pick(m->rng, 4);
    }
    item = recipe_contig(m->arena, fat_at_most(m, &a, fat), m->etype);
    for (int r = 0; r < m->t->n; r++) {
        m->out->of[r].filetype = darray_of(m, &a, r, item);
        m->out->of[r].disp = m->t->base;
    }
}

/* The pieces of one list that were dealt to `rank`; `to[i]` is who has i. */
static struct recipe *hand_of(struct maker *m, int rank, int total,
                              const int *to, const int *items,
                              const int64_t *at)
{
    int in_bytes = pick(m->rng, 2), mine = 0, k = 0;
    struct recipe *r;

    for (int i = 0; i < total; i++)
        mine += to[i] == rank;
    r = recipe_list(m->arena, in_bytes ? RECIPE_HINDEXED : RECIPE_INDEXED,
                    mine);
    r->child[0] = m->etype;
    for (int i = 0; i < total; i++) {
        if (to[i] != rank)
            continue;
        r->blocks[k] = items[i];
        r->disp[k++] = in_bytes ? at[i] * m->extent : at[i];
    }
    return r;
}

/* Pieces of many lengths dealt to the ranks at random, with holes; a rank may
 * have none. */
static void dealt(struct maker *m)
{
    int total = (int)(pick_size(m->rng, m->t->pieces) * m->t->n);
    int64_t per = m->t->want * m->t->n / total / m->size + 1, pos = 0;
    int *to = arena_alloc(m->arena, total * sizeof(*to));
    int *items = arena_alloc(m->arena, total * sizeof(*items));
    int64_t *at = arena_alloc(m->arena, total * sizeof(*at));
    int sparse = pick(m->rng, 3), tiled = pick(m->rng, 2);

    m->out->style = "dealt";
    for (int i = 0; i < total; i++) {
        to[i] = pick(m->rng, m->t->n);
        items[i] = (int)pick_size(m->rng, 2 * per);
        if (sparse && pick(m->rng, 3) < sparse)
            pos += rng_in(m->rng, 1, 2 * per);
        at[i] = pos;
        pos += items[i];
    }
    for (int r = 0; r < m->t->n; r++) {
        struct recipe *hand = hand_of(m, r, total, to, items, at);

        if (tiled)
            hand = recipe_resized(m->arena, 0, pos * m->extent, hand);
        m->out->of[r].filetype = hand;
        m->out->of[r].disp = m->t->base;
    }
}

static struct recipe *random_tree(struct maker *m)
{
    struct typegen g = {m->rng, m->arena, 0, m->extent};
    int64_t fat = piece_items(m);
    struct recipe *leaf = m->etype, *tree;

    if (fat > 1)
        leaf = recipe_contig(m->arena, (int)fat, leaf);
    tree = typegen_tree(&g, leaf, m->t->want / (fat * m->size) + 1,
                        (int)rng_in(m->rng, 1, 4));
    return recipe_too_wide(tree, 1) ? leaf : tree;
}

static void trees(struct maker *m)
{
    int same = rng_chance(m->rng, 60);

    m->out->style = same ? "one tree" : "trees";
    m->out->same = same;
    set_all(m, random_tree(m), m->t->base);
    for (int r = 0; !same && r < m->t->n; r++) {
        m->out->of[r].filetype = random_tree(m);
        m->out->of[r].disp += rng_in(m->rng, 0, 2 * m->t->want);
    }
}

/* For reading only: tiles that begin before the one before them ends, and some
 * elements twice. A tile's places do not decrease. */
static struct recipe *overlapping_tile(struct maker *m)
{
    int n = (int)rng_in(m->rng, 2, 12);
    int twice = m->etype->kind == RECIPE_BASIC && pick(m->rng, 2);
    int64_t items = m->t->want / m->size / (n * rng_in(m->rng, 2, 6)) + 1;
    struct recipe *r = recipe_list(m->arena, RECIPE_HINDEXED, n);
    int64_t at = 0, last = 0;

    r->child[0] = m->etype;
    for (int i = 0; i < n; i++) {
        int single = twice && pick(m->rng, 2);

        r->blocks[i] = single ? 1 : (int)rng_in(m->rng, 1, 2 * items);
        r->disp[i] = last = at;
        /* an element alone may come again */
        if (!(single && pick(m->rng, 2)))
            at += (r->blocks[i] + rng_in(m->rng, 0, items)) * m->extent;
    }
    return recipe_resized(
        m->arena, 0, rng_in(m->rng, 1, 1 + last / m->extent) * m->extent, r);
}

static void overlapping(struct maker *m)
{
    int same = rng_chance(m->rng, 60);

    m->out->style = "overlapping";
    m->out->overlap = 1;
    m->out->same = same;
    set_all(m, overlapping_tile(m), m->t->base);
    for (int r = 0; !same && r < m->t->n; r++) {
        if (pick(m->rng, 2))
            m->out->of[r].filetype = overlapping_tile(m);
        m->out->of[r].disp += rng_in(m->rng, 0, m->t->want);
    }
}

static void measure(struct view *view)
{
    struct flat flat;

    recipe_flatten(view->filetype, &flat);
    view->size = flat.size;
    view->extent = flat_extent(&flat);
    view->pieces = flat.n;
    flat_free(&flat);
}

void views_make(struct rng *rng, struct arena *arena, const struct terrain *t,
                struct views *out)
{
    static void (*const styles[])(struct maker *) = {
        contiguous, interleaved, grid,  grid, distributed,
        dealt,      dealt,       trees, trees};
    struct maker m = {rng, arena, t, out, random_etype(rng, arena, t), 0, 0};
    struct flat flat;

    memset(out, 0, sizeof(*out));
    recipe_flatten(m.etype, &flat);
    m.size = out->etype_size = flat.size;
    m.extent = flat_extent(&flat);
    flat_free(&flat);
    for (int r = 0; r < t->n; r++)
        out->of[r].etype = m.etype;
    if (t->overlap && rng_chance(rng, 60))
        overlapping(&m);
    else if (t->large && rng_chance(rng, 50))
        (pick(rng, 2) ? contiguous : grid)(&m);
    else
        styles[pick(rng, sizeof(styles) / sizeof(*styles))](&m);
    for (int r = 0; r < t->n; r++) {
        if (t->unit)
            out->of[r].disp -= (out->of[r].disp - t->base) % t->unit;
        measure(&out->of[r]);
    }
}
