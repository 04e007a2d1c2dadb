/* pieces.c - the bytes of the file that a rank accesses in a call of a
 * pattern */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pieces.h"

#include <stdlib.h>

static void add(struct pieces *p, int64_t off, int64_t len)
{
    if (len <= 0)
        return;
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->of = realloc(p->of, (size_t)p->room * sizeof(*p->of));
        if (!p->of)
            abort();
    }
    p->of[p->n++] = (struct piece){off, len};
    p->bytes += len;
}

void pieces_free(struct pieces *p)
{
    free(p->of);
    *p = (struct pieces){0};
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9fb21c651e98df25);
    x = (x ^ (x >> 28)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

static int64_t power(int64_t base, int n)
{
    int64_t product = 1;

    while (n-- > 0)
        product *= base;
    return product;
}

/* The number of boxes in each dimension: each factor to the shortest one. */
static void share_out(int ranks, struct grid *g)
{
    for (int d = 0; d < g->dims; d++)
        g->sides[d] = 1;
    for (int left = ranks, factor = 2; left > 1;) {
        int small = 0;

        if (left % factor) {
            factor++;
            continue;
        }
        for (int d = 1; d < g->dims; d++)
            if (g->sides[d] < g->sides[small])
                small = d;
        g->sides[small] *= factor;
        left /= factor;
    }
}

void pieces_grid(const struct job *job, struct grid *out)
{
    const struct pattern *t = &job->pattern;
    int four = t->kind == PATTERN_LATTICE4;

    *out = (struct grid){
        .dims = four ? 4 : 3, .size = 1, .element = four ? t->record : 8};
    while (power(out->size + 1, out->dims) * out->element <= t->bytes)
        out->size++;
    share_out(job->ranks, out);
}

void pieces_box(const struct grid *g, int rank, int at[4])
{
    for (int d = g->dims - 1; d >= 0; d--) {
        at[d] = rank % g->sides[d];
        rank /= g->sides[d];
    }
}

static int is_lattice(const struct pattern *t)
{
    return t->kind == PATTERN_LATTICE || t->kind == PATTERN_LATTICE4;
}

/* The place in the file of row `k` of a box. */
static int64_t row_offset(const struct grid *g, const int at[4], int64_t k)
{
    int last = g->dims - 1;
    int64_t row = 0;

    for (int d = 0; d < last; d++) {
        int64_t here = k / power(g->size, last - 1 - d) % g->size;

        row = (row * g->sides[d] + at[d]) * g->size + here;
    }
    return (row * g->sides[last] + at[last]) * g->size * g->element;
}

static void lattice(const struct job *job, int rank, int64_t base,
                    struct pieces *p)
{
    struct grid g;
    int at[4];

    pieces_grid(job, &g);
    pieces_box(&g, rank, at);
    for (int64_t k = 0; k < power(g.size, g.dims - 1); k++)
        add(p, base + row_offset(&g, at, k), g.size * g.element);
}

/* A variable of a weather model. Every rank has a tile of a plane, the same one
 * on all levels; a row of a tile is a record, of values of 4 bytes. */
struct tiles {
    struct grid grid; /* of two dimensions */
    int64_t rows, levels;
};

static void tiles_of(const struct job *job, struct tiles *out)
{
    const struct pattern *t = &job->pattern;

    *out = (struct tiles){.grid = {.dims = 2}, .rows = t->record / 4};
    share_out(job->ranks, &out->grid);
    if (out->rows < 1)
        out->rows = 1;
    out->levels = t->bytes / (out->rows * t->record);
    if (out->levels < 1)
        out->levels = 1;
}

static void tile(const struct job *job, int rank, int64_t base,
                 struct pieces *p)
{
    int64_t len = job->pattern.record;
    struct tiles s;
    int at[4];

    tiles_of(job, &s);
    pieces_box(&s.grid, rank, at);
    for (int64_t z = 0; z < s.levels; z++)
        for (int64_t y = 0; y < s.rows; y++) {
            int64_t row = (z * s.grid.sides[0] + at[0]) * s.rows + y;

            add(p, base + (row * s.grid.sides[1] + at[1]) * len, len);
        }
}

/* Stretches of changing length, each of some rank or of none. */
static void random_stretches(const struct job *job, int rank, int call,
                             int64_t base, struct pieces *p)
{
    const struct pattern *t = &job->pattern;
    uint64_t h = mix(job->number * 1000 + (uint64_t)call);
    int64_t at = base + (int64_t)(h % 5000), end = base + t->bytes * job->ranks;
    uint64_t choice =
        (uint64_t)job->ranks + (uint64_t)job->ranks * (h >> 20 & 3) / 2;
    int even = h >> 40 & 1;

    for (uint64_t i = 0; at < end; i++) {
        uint64_t w = mix((h >> 8) + i);
        int64_t len =
            even ? t->record : 1 + (int64_t)(w >> 16) % (2 * t->record);

        if ((int64_t)(w % choice) == rank)
            add(p, at, len);
        at += len;
    }
}

static void records(const struct job *job, int rank, int call, int64_t base,
                    struct pieces *p)
{
    const struct pattern *t = &job->pattern;
    int64_t m = t->bytes / t->record > 0 ? t->bytes / t->record : 1;
    int64_t ranks = job->ranks;
    uint64_t h = mix(job->number + (uint64_t)call);

    for (int64_t i = 0; i < m; i++) {
        int64_t turn = t->kind == PATTERN_ODD
                           ? (rank + (int64_t)(h % 97) * i) % ranks
                           : rank;
        int64_t slot = base + (i * ranks + turn) * t->record;

        if (t->kind == PATTERN_HOLES)
            add(p, slot + slot - base,
                t->record - (int64_t)(mix((uint64_t)(i + rank)) % 7));
        else
            add(p, slot, t->record);
    }
}

/* The file's part of one call. */
static int64_t span(const struct job *job)
{
    const struct pattern *t = &job->pattern;
    int64_t record = t->record > t->bytes ? t->record : t->bytes;
    struct tiles s;
    struct grid g;

    if (is_lattice(t)) {
        pieces_grid(job, &g);
        return power(g.size, g.dims) * g.element * job->ranks;
    }
    if (t->kind == PATTERN_FIELDS) {
        tiles_of(job, &s);
        return s.levels * s.rows * t->record * job->ranks;
    }
    if (t->next == 1)
        return t->bytes * job->ranks;
    return (record + 2 * t->record + 8192) * job->ranks *
           (t->kind == PATTERN_HOLES ? 2 : 1);
}

void pieces_make(const struct job *job, int rank, int call, int reading,
                 struct pieces *out)
{
    const struct pattern *t = &job->pattern;
    int64_t base = t->again ? 0 : span(job) * call;

    *out = (struct pieces){0};
    if (t->kind == PATTERN_BLOCK && t->next == 2) {
        add(out, ((int64_t)rank * t->calls + call) * t->bytes, t->bytes);
        return;
    }
    call = t->again ? 0 : call;
    if (t->kind == PATTERN_BLOCK)
        add(out, base + rank * t->bytes,
            t->bytes + (reading && t->overlap && rank + 1 < job->ranks
                            ? t->bytes / 3
                            : 0));
    else if (is_lattice(t))
        lattice(job, rank, base, out);
    else if (t->kind == PATTERN_FIELDS)
        tile(job, rank, base, out);
    else if (t->kind == PATTERN_RANDOM)
        random_stretches(job, rank, call, base, out);
    else
        records(job, rank, call, base, out);
}
