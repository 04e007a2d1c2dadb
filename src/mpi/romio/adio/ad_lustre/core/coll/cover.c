/* cover.c - which bytes of a window have arrived
 *
 * Several processes mark bits of one word at the same time, so a part of a word
 * is set by an atomic OR. A whole word is stored: all ones is what any order of
 * stores and ORs ends with. These functions do not order memory. A caller
 * publishes its marks together with the data, by its own synchronisation.
 *
 * Ranges of bits are [first, end); a word holds 64 of them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "cover.h"
#include "../text/minmax.h"

#include <assert.h>

#define ALL (~UINT64_C(0))

/* The bits of word `index` that lie in [first, end), which meets the word. */
static uint64_t mask_of(int64_t index, int64_t first, int64_t end)
{
    uint64_t mask = ALL;

    if (first > index << 6)
        mask <<= first & 63;
    if (end < (index + 1) << 6)
        mask &= ~(ALL << (end & 63));
    return mask;
}

static void set_word(struct adl_cover *cover, int64_t index, uint64_t mask)
{
    uint64_t *word = &cover->word[index];

    if (mask == ALL)
        __atomic_store_n(word, ALL, __ATOMIC_RELAXED);
    else
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

static void set_bits(struct adl_cover *cover, int64_t first, int64_t end)
{
    if (first >= end)
        return;
    for (int64_t i = first >> 6; i <= (end - 1) >> 6; i++)
        set_word(cover, i, mask_of(i, first, end));
}

/* Atomic, because a rank may be adding: an aggregator looks whether a window is
 * full before it waits until the ranks have left the window. */
static uint64_t get_word(const struct adl_cover *cover, int64_t index)
{
    return __atomic_load_n(&cover->word[index], __ATOMIC_RELAXED);
}

/* The first bit of [first, end) that is set (flip 0) or clear (flip ALL), or
 * `end`. */
static int64_t find_bit(const struct adl_cover *cover, int64_t first,
                        int64_t end, uint64_t flip)
{
    uint64_t hits;
    int64_t i;

    if (first >= end)
        return end;
    hits = (get_word(cover, first >> 6) ^ flip) & (ALL << (first & 63));
    for (i = first >> 6; !hits && i < (end - 1) >> 6; i++)
        hits = get_word(cover, i + 1) ^ flip;
    return hits ? adl_min((i << 6) + __builtin_ctzll(hits), end) : end;
}

size_t adl_cover_memory(int64_t size, int shift)
{
    int64_t bits = (size + (INT64_C(1) << shift) - 1) >> shift;

    return (size_t)((bits + 63) >> 6) * sizeof(uint64_t);
}

void adl_cover_init(struct adl_cover *cover, void *memory, int64_t size,
                    int shift)
{
    cover->word = memory;
    cover->size = size;
    cover->shift = shift;
}

int64_t adl_cover_remove(struct adl_cover *cover, int64_t start, int64_t len)
{
    int64_t first = start >> cover->shift, end = (start + len) >> cover->shift;
    int64_t bits = 0;

    if (first >= end)
        return 0;
    for (int64_t i = first >> 6; i <= (end - 1) >> 6; i++) {
        uint64_t mask = mask_of(i, first, end);

        bits += __builtin_popcountll(cover->word[i] & mask);
        cover->word[i] &= ~mask;
    }
    return bits << cover->shift;
}

void adl_cover_add(struct adl_cover *cover, int64_t start, int64_t len)
{
    assert(adl_cover_aligned(cover, start, len));
    set_bits(cover, start >> cover->shift, (start + len) >> cover->shift);
}

int adl_cover_full(const struct adl_cover *cover, int64_t start, int64_t len)
{
    int64_t first = start >> cover->shift, end = (start + len) >> cover->shift;

    return find_bit(cover, first, end, ALL) == end;
}

int adl_cover_next(const struct adl_cover *cover, int64_t from, int64_t limit,
                   int64_t *start, int64_t *len)
{
    int64_t end = adl_min(limit, cover->size) >> cover->shift;
    int64_t first = find_bit(cover, from >> cover->shift, end, 0);

    if (first >= end)
        return 0;
    *start = first << cover->shift;
    *len = (find_bit(cover, first, end, ALL) - first) << cover->shift;
    return 1;
}

int adl_cover_stretch(const struct adl_cover *cover, int64_t from,
                      int64_t limit, int64_t gap, int64_t *start, int64_t *len)
{
    int64_t more, n;

    if (!adl_cover_next(cover, from, limit, start, len))
        return 0;
    while (adl_cover_next(cover, *start + *len, limit, &more, &n) &&
           more - (*start + *len) < gap)
        *len = more + n - *start;
    return 1;
}

int adl_cover_runs(const struct adl_cover *cover, int64_t from, int64_t limit,
                   int most)
{
    int64_t start, len;
    int runs = 0;

    while (runs < most && adl_cover_next(cover, from, limit, &start, &len)) {
        from = start + len;
        runs++;
    }
    return runs;
}

void adl_cover_pen_begin(struct adl_cover_pen *pen, struct adl_cover *cover)
{
    pen->cover = cover;
    pen->index = -1;
    pen->bits = 0;
}

void adl_cover_pen_flush(struct adl_cover_pen *pen)
{
    if (pen->bits)
        set_word(pen->cover, pen->index, pen->bits);
    pen->index = -1;
    pen->bits = 0;
}

/* Everything but the last word is written now, that one stays in the pen: the
 * next mark is likely to fall into it too. */
void adl_cover_pen_move(struct adl_cover_pen *pen, int64_t first, int64_t end)
{
    int64_t last = (end - 1) >> 6;

    if (first >= end)
        return;
    if (first >> 6 == pen->index) {
        pen->bits |= mask_of(pen->index, first, end);
        first = (pen->index + 1) << 6;
    }
    if (last != pen->index)
        adl_cover_pen_flush(pen);
    set_bits(pen->cover, first, last << 6);
    pen->index = last;
    pen->bits |= mask_of(last, first, end);
}
