/* timeline.c - counts over time in a fixed number of bins */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

struct lp_series {
    unsigned cap, kinds;
    uint64_t *value; /* [bin * kinds + kind] */
};

struct lp_timeline {
    unsigned cap;
    int64_t width;
    int64_t first, last; /* bins since the epoch; last < first: none yet */
    struct lp_series **series;
    size_t count, room;
};

struct lp_timeline *lp_timeline_create(unsigned cap, int64_t width)
{
    struct lp_timeline *t = calloc(1, sizeof(*t));

    if (t) {
        t->cap = cap;
        t->width = width;
        t->last = -1;
    }
    return t;
}

void lp_timeline_destroy(struct lp_timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++) {
        free(t->series[i]->value);
        free(t->series[i]);
    }
    free(t->series);
    free(t);
}

static int is_empty(const struct lp_timeline *t)
{
    return t->last < t->first;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bins of times before the epoch do not occur: parsers give none. */
static void coarsen_series(struct lp_series *s, unsigned odd)
{
    unsigned k = s->kinds, cap = s->cap;

    /* an odd first bin is the second half of a wider one */
    for (unsigned to = 0; to < cap; to++) {
        for (unsigned i = 0; i < k; i++) {
            uint64_t sum = 0;

            for (unsigned half = 0; half < 2; half++) {
                unsigned from = 2 * to + half;

                if (from >= odd && from - odd < cap)
                    sum += s->value[(size_t)(from - odd) * k + i];
            }
            s->value[(size_t)to * k + i] = sum;
        }
    }
}

static void coarsen(struct lp_timeline *t)
{
    unsigned odd = (unsigned)(t->first & 1);

    for (size_t i = 0; i < t->count; i++)
        coarsen_series(t->series[i], odd);
    t->width *= 2;
    t->first >>= 1;
    t->last >>= 1;
}

/* Make room in front: bin 0 becomes bin `by`. */
static void shift(struct lp_timeline *t, unsigned by)
{
    for (size_t i = 0; i < t->count; i++) {
        struct lp_series *s = t->series[i];
        size_t bin = s->kinds * sizeof(*s->value);

        memmove((char *)s->value + by * bin, s->value, (t->cap - by) * bin);
        memset(s->value, 0, by * bin);
    }
    t->first -= by;
}

unsigned lp_timeline_bin(struct lp_timeline *t, int64_t us)
{
    int64_t bin = us / t->width;

    if (is_empty(t))
        t->first = t->last = bin;
    while (greater(t->last, bin) - lesser(t->first, bin) >= t->cap) {
        coarsen(t);
        bin = us / t->width;
    }
    if (bin < t->first)
        shift(t, (unsigned)(t->first - bin));
    t->last = greater(t->last, bin);
    return (unsigned)(bin - t->first);
}

int64_t lp_timeline_width(const struct lp_timeline *t)
{
    return t->width;
}

unsigned lp_timeline_used(const struct lp_timeline *t)
{
    return is_empty(t) ? 0 : (unsigned)(t->last - t->first + 1);
}

int64_t lp_timeline_start(const struct lp_timeline *t)
{
    return t->first * t->width;
}

static int make_room(struct lp_timeline *t)
{
    size_t room = t->room ? 2 * t->room : 16;
    struct lp_series **more;

    if (t->count < t->room)
        return 0;
    more = realloc(t->series, room * sizeof(struct lp_series *));
    if (!more)
        return -1;
    t->series = more;
    t->room = room;
    return 0;
}

struct lp_series *lp_series_create(struct lp_timeline *t, unsigned kinds)
{
    struct lp_series *s = malloc(sizeof(*s));

    if (!s)
        return NULL;
    s->cap = t->cap;
    s->kinds = kinds;
    s->value = calloc((size_t)t->cap * kinds, sizeof(*s->value));
    if (!s->value || make_room(t) < 0) {
        free(s->value);
        free(s);
        return NULL;
    }
    t->series[t->count++] = s;
    return s;
}

void lp_series_add(struct lp_series *s, unsigned bin, unsigned kind, uint64_t n)
{
    s->value[(size_t)bin * s->kinds + kind] += n;
}

void lp_series_set(struct lp_series *s, unsigned bin, unsigned kind, uint64_t n)
{
    s->value[(size_t)bin * s->kinds + kind] = n;
}

uint64_t lp_series_at(const struct lp_series *s, unsigned bin, unsigned kind)
{
    return s->value[(size_t)bin * s->kinds + kind];
}

void lp_series_merge(struct lp_series *into, const struct lp_series *from)
{
    for (size_t i = 0; i < (size_t)into->cap * into->kinds; i++)
        into->value[i] += from->value[i];
}
