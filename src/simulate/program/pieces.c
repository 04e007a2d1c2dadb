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

/* A side of the array in bytes that a box has, for the lattice. */
static void box_sizes(const struct pattern *t, int64_t size[3])
{
    int64_t side = 1;

    while ((side + 1) * (side + 1) * (side + 1) * 8 <= t->bytes)
        side++;
    size[0] = size[1] = side;
    size[2] = 8 * side; /* of 8 bytes an element, the fastest */
}

void pieces_box(int ranks, int rank, int at[3], int sides[3])
{
    sides[0] = sides[1] = sides[2] = 1;
    for (int left = ranks, factor = 2; left > 1;) {
        int small = sides[0] <= sides[1] && sides[0] <= sides[2] ? 0
                    : sides[1] <= sides[2]                       ? 1
                                                                 : 2;

        if (left % factor) {
            factor++;
            continue;
        }
        sides[small] *= factor;
        left /= factor;
    }
    at[2] = rank % sides[2];
    at[1] = rank / sides[2] % sides[1];
    at[0] = rank / sides[2] / sides[1];
}

static void lattice(const struct job *job, int rank, int64_t base,
                    struct pieces *p)
{
    int64_t size[3];
    int at[3], sides[3];

    box_sizes(&job->pattern, size);
    pieces_box(job->ranks, rank, at, sides);
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t k = 0; k < size[1]; k++)
            add(p,
                base + (((at[0] * size[0] + i) * sides[1] * size[1] +
                         at[1] * size[1] + k) *
                            sides[2] +
                        at[2]) *
                           size[2],
                size[2]);
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
    int64_t size[3], record = t->record > t->bytes ? t->record : t->bytes;

    if (t->kind == PATTERN_LATTICE) {
        box_sizes(t, size);
        return size[0] * size[1] * size[2] * job->ranks;
    }
    return (record + 2 * t->record + 8192) * job->ranks *
           (t->kind == PATTERN_HOLES ? 2 : 1);
}

void pieces_make(const struct job *job, int rank, int call, int reading,
                 struct pieces *out)
{
    const struct pattern *t = &job->pattern;
    int64_t base = t->again ? 0 : span(job) * call;

    *out = (struct pieces){0};
    call = t->again ? 0 : call;
    if (t->kind == PATTERN_BLOCK)
        add(out, base + rank * t->bytes,
            t->bytes + (reading && t->overlap && rank + 1 < job->ranks
                            ? t->bytes / 3
                            : 0));
    else if (t->kind == PATTERN_LATTICE)
        lattice(job, rank, base, out);
    else if (t->kind == PATTERN_RANDOM)
        random_stretches(job, rank, call, base, out);
    else
        records(job, rank, call, base, out);
}
