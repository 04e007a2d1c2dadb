/* terms.c - what all ranks know of a collective call after its start */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "terms.h"

/* Coarser units would save nothing. */
#define SHIFT_MAX 12

/* Of a span of which at least this share is wanted, everything is read. */
#define WHOLE_SHARE 2

/* Writing: so many pieces that a write each takes longer than reading the gaps
 * between them. */
#define RAGGED_PIECES 1024

static int is_ragged(const struct adl_claim *all, int exact)
{
    return !exact && all->pieces >= RAGGED_PIECES &&
           all->bytes >= (all->end - all->start) / 2;
}

static int cover_unit(int64_t bits)
{
    int shift = bits ? __builtin_ctzll((uint64_t)bits) : SHIFT_MAX;

    return shift < SHIFT_MAX ? shift : SHIFT_MAX;
}

void adl_terms_set(struct adl_terms *t, const struct adl_claim *all, int exact,
                   int64_t grain, int sieve)
{
    int64_t span = all->end - all->start;

    t->start = all->start;
    t->end = all->end;
    t->bytes = all->bytes;
    t->shift = cover_unit(all->bits | grain);
    t->exact = exact;
    t->ragged = t->write && is_ragged(all, exact);
    t->whole =
        !t->write && (exact || (sieve && all->bytes >= span / WHOLE_SHARE));
}

int64_t adl_terms_part(const struct adl_terms *t, int64_t start, int64_t end,
                       int64_t *off)
{
    *off = start > t->start ? start : t->start;
    if (end > t->end)
        end = t->end;
    return end > *off ? end - *off : 0;
}
