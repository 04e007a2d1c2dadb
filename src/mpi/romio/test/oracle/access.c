/* access.c - requests: random memory, and the bytes they mean */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "access.h"

#include <stdlib.h>
#include <string.h>

static struct recipe *bytes_leaf(struct arena *arena, int64_t n)
{
    return recipe_contig(arena, (int)n, recipe_basic(arena, MPI_BYTE));
}

/* A divisor of `n`, at least `least` if there is one. */
static int64_t divisor(struct rng *rng, int64_t n, int64_t least)
{
    int64_t d = rng_in(rng, least, least + 60);

    for (int tries = 0; tries < 200 && d < n; tries++, d++)
        if (n % d == 0)
            return d;
    return n;
}

/* Equal elements with gaps between them. */
static void memory_strided(struct rng *rng, struct arena *arena, int64_t bytes,
                           int64_t least, struct request *out)
{
    int64_t unit = divisor(rng, bytes, least);
    int64_t n = bytes / unit, stride = unit + rng_in(rng, 0, 20);
    struct recipe *leaf = bytes_leaf(arena, unit);

    if (rng_chance(rng, 50)) {
        out->type = recipe_hvector(arena, (int)n, 1, stride, leaf);
        out->count = 1;
    } else {
        int64_t lb = rng_chance(rng, 30) ? -rng_in(rng, 1, 16) : 0;

        out->type = recipe_resized(arena, lb, stride - lb, leaf);
        out->count = (int)n;
    }
}

/* A few blocks in any order, at any place. */
static void memory_scattered(struct rng *rng, struct arena *arena,
                             int64_t bytes, struct request *out)
{
    int n = (int)rng_in(rng, 1, bytes < 9 ? bytes : 9), first = pick(rng, n);
    struct recipe *r = recipe_list(arena, RECIPE_HINDEXED, n);
    int64_t at = rng_in(rng, -100, 100), left = bytes;

    r->child[0] = recipe_basic(arena, MPI_BYTE);
    for (int i = 0; i < n; i++) {
        int k = (first + i * (n % 2 ? 2 : 1)) % n; /* another order */
        int64_t len = i == n - 1 ? left : rng_in(rng, 0, 2 * left / (n - i));

        len = len < left ? len : left;
        r->blocks[k] = (int)len;
        r->disp[k] = at;
        at += len + rng_in(rng, 0, 30);
        left -= len;
    }
    out->type = r;
    out->count = 1;
}

static void memory_tree(struct rng *rng, struct arena *arena, int64_t bytes,
                        int64_t etype, int64_t least, struct request *out)
{
    struct typegen g = {rng, arena, 1, 1};
    int64_t unit = (least + etype - 1) / etype * etype, size;

    out->type =
        typegen_tree(&g, bytes_leaf(arena, unit),
                     pick_size(rng, bytes / unit + 1), (int)rng_in(rng, 1, 3));
    size = recipe_size(out->type);
    if (size > 2 * bytes || size == 0 ||
        recipe_too_wide(out->type, 1 + bytes / size)) {
        out->type = bytes_leaf(arena, bytes);
        size = bytes;
    }
    out->count = (int)(bytes / size > 0 ? bytes / size : 1);
}

static int64_t least_piece(const struct memory *m)
{
    int64_t least = (m->bytes + m->pieces - 1) / m->pieces;

    return least < m->etype ? m->etype : least;
}

/* The length of equal pieces that are whole etypes. */
static int64_t whole_etypes(struct rng *rng, const struct memory *m)
{
    int64_t least = (least_piece(m) + m->etype - 1) / m->etype;

    if (pick(rng, 3)) {
        while (m->bytes / m->etype % least)
            least++;
        return least * m->etype;
    }
    return divisor(rng, m->bytes / m->etype, least) * m->etype;
}

/* Two numbers whose product is `n`: about its root, if there is one. */
static int split(struct rng *rng, int64_t n)
{
    int64_t d = 1;

    while ((d + 1) * (d + 1) <= n)
        d++;
    d = d > 2 && rng_chance(rng, 50) ? rng_in(rng, 1, d) : d;
    while (n % d)
        d--;
    return (int)d;
}

/* The inner part of an array of up to three dimensions, as codes with ghost
 * layers have it; the fastest dimension is `unit` bytes. */
static void memory_ghosts(struct rng *rng, struct arena *arena,
                          const struct memory *m, struct request *out)
{
    struct recipe *r =
        recipe_array(arena, RECIPE_SUBARRAY, 3, recipe_basic(arena, MPI_BYTE));
    struct recipe_array *a = r->array;
    int64_t unit = whole_etypes(rng, m), rows = m->bytes / unit;

    a->sub[0] = split(rng, rows);
    a->sub[1] = (int)(rows / a->sub[0]);
    a->sub[2] = (int)unit;
    for (int d = 0; d < 3; d++) {
        /* no more ghosts than data */
        int most = d < 2 ? (a->sub[d] + 1) / 2 : (a->sub[d] + 3) / 4;

        a->start[d] = (int)rng_in(rng, d == 2, most < 64 ? most : 64);
        a->size[d] = a->sub[d] + 2 * a->start[d];
    }
    out->type = r;
    out->count = 1;
}

/* Pieces that are as far apart as they are long, about. */
static void memory_apart(struct rng *rng, struct arena *arena,
                         const struct memory *m, struct request *out)
{
    int64_t unit = whole_etypes(rng, m), n = m->bytes / unit;
    struct recipe *leaf = bytes_leaf(arena, unit);

    if (rng_chance(rng, 50)) {
        out->type = recipe_vector(arena, (int)n, 1, 2, leaf);
        out->count = 1;
    } else {
        int64_t extent = unit + rng_in(rng, 1, 2 * unit);

        out->type = recipe_resized(arena, 0, extent, leaf);
        out->count = (int)n;
    }
}

static void memory_plain(struct rng *rng, struct arena *arena,
                         const struct memory *m, int style, struct request *out)
{
    int64_t least = least_piece(m);

    if (style < 2) {
        out->type =
            style ? bytes_leaf(arena, m->etype) : recipe_basic(arena, MPI_BYTE);
        out->count = (int)(style ? m->bytes / m->etype : m->bytes);
    } else if (style == 2) {
        memory_strided(rng, arena, m->bytes, least, out);
    } else if (style == 3) {
        memory_scattered(rng, arena, m->bytes, out);
    } else {
        memory_tree(rng, arena, m->bytes, m->etype, least, out);
    }
}

static void memory_empty(struct rng *rng, struct arena *arena,
                         struct request *out)
{
    out->type = rng_chance(rng, 50) ? bytes_leaf(arena, 4)
                                    : recipe_basic(arena, MPI_INT);
    out->count = 0;
    out->bytes = 0;
}

void memory_make(struct rng *rng, struct arena *arena, const struct memory *m,
                 struct request *out)
{
    int style = pick(rng, 6);

    if (m->bytes == 0) {
        memory_empty(rng, arena, out);
        return;
    }
    if (m->gaps && rng_chance(rng, 40))
        memory_ghosts(rng, arena, m, out);
    else if (m->gaps && rng_chance(rng, 60))
        memory_apart(rng, arena, m, out);
    else
        memory_plain(rng, arena, m, style, out);
    out->bytes = recipe_size(out->type) * out->count;
}

/* ---- the bytes of a request ---- */

static void runs_add(struct runs *runs, int64_t file, int64_t mem, int64_t len)
{
    struct run *last = runs->n ? &runs->run[runs->n - 1] : NULL;

    if (runs->n == 0 || mem < runs->mem_low)
        runs->mem_low = mem;
    if (runs->n == 0 || mem + len > runs->mem_high)
        runs->mem_high = mem + len;
    if (last && last->file + last->len == file &&
        last->mem + last->len == mem) {
        last->len += len;
        return;
    }
    if (runs->n == runs->room) {
        runs->room = runs->room ? 2 * runs->room : 64;
        runs->run = realloc(runs->run, runs->room * sizeof(*runs->run));
        if (!runs->run)
            abort();
    }
    runs->run[runs->n++] = (struct run){file, mem, len};
}

void runs_free(struct runs *runs)
{
    free(runs->run);
    memset(runs, 0, sizeof(*runs));
}

/* Walks the endless repetition of a flat type. */
struct walk {
    const struct flat *flat;
    int64_t tile, i, used; /* `used` bytes of run i of copy `tile` are done */
};

static int64_t walk_at(const struct walk *w)
{
    return w->tile * flat_extent(w->flat) + w->flat->off[w->i] + w->used;
}

static int64_t walk_left(const struct walk *w)
{
    return w->flat->len[w->i] - w->used;
}

static void walk_on(struct walk *w, int64_t len)
{
    w->used += len;
    if (w->used < w->flat->len[w->i])
        return;
    w->used = 0;
    if (++w->i == w->flat->n) {
        w->i = 0;
        w->tile++;
    }
}

static void walk_to(struct walk *w, const struct flat *flat, int64_t skip)
{
    memset(w, 0, sizeof(*w));
    w->flat = flat;
    w->tile = skip / flat->size;
    skip %= flat->size;
    while (skip > 0) {
        int64_t n = skip < walk_left(w) ? skip : walk_left(w);

        walk_on(w, n);
        skip -= n;
    }
}

void request_runs(const struct request *q, struct runs *out)
{
    int64_t left = q->bytes;
    struct flat file, mem;
    struct walk f, m;

    memset(out, 0, sizeof(*out));
    if (left == 0)
        return;
    recipe_flatten(q->view->filetype, &file);
    recipe_flatten(q->type, &mem);
    walk_to(&f, &file, q->pos * recipe_size(q->view->etype));
    walk_to(&m, &mem, 0);
    while (left > 0) {
        int64_t n =
            walk_left(&f) < walk_left(&m) ? walk_left(&f) : walk_left(&m);

        n = n < left ? n : left;
        runs_add(out, q->view->disp + walk_at(&f), walk_at(&m), n);
        walk_on(&f, n);
        walk_on(&m, n);
        left -= n;
    }
    flat_free(&file);
    flat_free(&mem);
}
