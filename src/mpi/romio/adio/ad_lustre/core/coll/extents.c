/* extents.c - the pieces of an access: file view x memory, in the view's order
 *
 * The steps are inline in extents.h; this file has what is done once for each
 * access. A contiguous side is a tile with one endless entry, so that the steps
 * need no special case for it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "extents.h"

#include <stddef.h>

#include "edges.h"
#include "../text/minmax.h"

static const int64_t endless_off = 0, endless_len = INT64_MAX;
static const struct adl_tile endless = {
    .off = &endless_off, .len = &endless_len, .n = 1, .size = INT64_MAX};

/* Go to data byte `rest` of the repetition, which has more bytes than that. */
static void find_entry(struct adl_walk *walk, int64_t rest)
{
    const int64_t *len = walk->tile->len;
    int64_t i = 0;

    while (rest >= len[i])
        rest -= len[i++];
    walk->entry = i;
    walk->within = rest;
}

int64_t adl_tile_first(const struct adl_tile *tile)
{
    int64_t i = 0;

    while (i < tile->n && tile->len[i] == 0)
        i++;
    return i < tile->n ? tile->off[i] : 0;
}

/* Start at data byte `skip` of the tile repeated from `base` on. Empty tiles
 * never get here. */
static void walk_begin(struct adl_walk *walk, const struct adl_tile *tile,
                       int64_t base, int64_t skip)
{
    if (adl_tile_dense(tile)) {
        walk->base = base + skip + (tile ? adl_tile_first(tile) : 0);
        walk->tile = &endless;
        skip = 0;
    } else {
        walk->base = base + skip / tile->size * tile->extent;
        walk->tile = tile;
        skip %= tile->size;
    }
    find_entry(walk, skip);
}

void adl_extents_begin(struct adl_extents *ext, const struct adl_tile *file,
                       int64_t disp, int64_t skip, const struct adl_tile *mem,
                       int64_t bytes)
{
    if ((file && !file->size) || (mem && !mem->size) || bytes < 0)
        bytes = 0;
    ext->left = bytes;
    walk_begin(&ext->file, bytes ? file : NULL, disp, skip);
    walk_begin(&ext->mem, bytes ? mem : NULL, 0, 0);
}

int64_t adl_tile_bits(const struct adl_tile *tile)
{
    int64_t bits;

    if (!tile)
        return 0;
    bits = tile->extent;
    for (int64_t i = 0; i < tile->n; i++)
        if (tile->len[i])
            bits |= tile->off[i] | tile->len[i];
    return bits;
}

int adl_tile_dense(const struct adl_tile *tile)
{
    int64_t end;

    if (!tile)
        return 1;
    if (!tile->size || tile->size != tile->extent)
        return 0;
    end = adl_tile_first(tile);
    for (int64_t i = 0; i < tile->n; i++) {
        if (tile->len[i] && tile->off[i] != end)
            return 0;
        end += tile->len[i];
    }
    return 1;
}

/* Data bytes of the repetition before the cursor. */
static int64_t walked_bytes(const struct adl_walk *walk)
{
    int64_t sum = walk->within;

    for (int64_t i = 0; i < walk->entry; i++)
        sum += walk->tile->len[i];
    return sum;
}

/* Entries that are not empty among the first `n`. */
static int64_t count_entries(const struct adl_tile *tile, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += tile->len[i] > 0;
    return count;
}

/* The last byte still to come, and in which repetition from here it lies. */
static int64_t last_byte(const struct adl_extents *ext, struct adl_walk *last)
{
    const struct adl_tile *tile = ext->file.tile;
    int64_t data = walked_bytes(&ext->file) + (ext->left - 1);
    int64_t reps = data / tile->size;

    last->tile = tile;
    last->base = ext->file.base + reps * tile->extent;
    find_entry(last, data % tile->size);
    return reps;
}

/* Entries [from, to) of the repetition at `base`. */
struct entries {
    const struct adl_tile *tile;
    int64_t base, from, to;
};

/* The lowest offset of their bytes, or `low` where that is lower. */
static int64_t lowest_of(struct entries e, int64_t low)
{
    for (int64_t i = e.from; i < e.to; i++)
        if (e.tile->len[i])
            low = adl_min(low, e.base + e.tile->off[i]);
    return low;
}

/* The highest end of their bytes, or `high` where that is higher. */
static int64_t highest_of(struct entries e, int64_t high)
{
    for (int64_t i = e.from; i < e.to; i++)
        if (e.tile->len[i])
            high = adl_max(high, e.base + e.tile->off[i] + e.tile->len[i]);
    return high;
}

static int entries_ascend(struct entries e)
{
    int64_t end = INT64_MIN;

    for (int64_t i = e.from; i < e.to; i++) {
        if (!e.tile->len[i])
            continue;
        if (e.tile->off[i] < end)
            return 0;
        end = e.tile->off[i] + e.tile->len[i];
    }
    return 1;
}

int adl_extents_ascend(const struct adl_extents *ext)
{
    const struct adl_tile *tile = ext->file.tile;
    struct entries all = {tile, 0, 0, tile->n};
    struct adl_walk last;

    if (!ext->left || tile == &endless)
        return 1;
    if (last_byte(ext, &last) == 0)
        return entries_ascend(
            (struct entries){tile, 0, ext->file.entry, last.entry + 1});
    return entries_ascend(all) &&
           tile->extent >= highest_of(all, 0) - adl_tile_first(tile);
}

/* The lowest byte lies in this repetition or in the next. */
int64_t adl_extents_low(const struct adl_extents *ext)
{
    const struct adl_walk *at = &ext->file;
    struct entries rest = {at->tile, at->base, at->entry + 1, at->tile->n};
    struct entries next = {at->tile, 0, 0, at->tile->n};
    struct adl_walk last;
    int64_t low, reps;

    if (!ext->left)
        return INT64_MAX;
    reps = last_byte(ext, &last);
    if (reps == 0)
        rest.to = last.entry + 1;
    low = lowest_of(rest, adl_extents_at(ext));
    if (reps == 0)
        return low;
    if (reps == 1)
        next.to = last.entry + 1;
    next.base = at->base + at->tile->extent;
    return lowest_of(next, low);
}

/* The highest byte lies in the last repetition or in the one before. */
int64_t adl_extents_end(const struct adl_extents *ext)
{
    const struct adl_tile *tile = ext->file.tile;
    struct entries before = {tile, 0, 0, tile->n}, these = before;
    struct adl_walk last;
    int64_t end, reps;

    if (!ext->left)
        return 0;
    reps = last_byte(ext, &last);
    these.base = last.base;
    these.from = reps ? 0 : ext->file.entry;
    these.to = last.entry;
    end = highest_of(these, adl_walk_at(&last) + 1);
    if (reps == 0)
        return end;
    before.base = last.base - tile->extent;
    before.from = reps > 1 ? 0 : ext->file.entry;
    return highest_of(before, end);
}

int64_t adl_extents_count(const struct adl_extents *ext)
{
    const struct adl_tile *tile = ext->file.tile;
    struct adl_walk last;
    int64_t reps;

    if (!ext->left)
        return 0;
    reps = last_byte(ext, &last);
    return 1 + reps * count_entries(tile, tile->n) +
           count_entries(tile, last.entry) -
           count_entries(tile, ext->file.entry);
}

uint64_t adl_extents_edges(const struct adl_extents *ext)
{
    struct adl_walk walk = ext->file;
    uint64_t sum = 0;

    for (int64_t len, left = ext->left; left; left -= len) {
        int64_t at = adl_walk_at(&walk);

        len = adl_min(adl_walk_room(&walk), left);
        sum += adl_edges_of(at, at + len);
        if (len < left)
            adl_walk_step(&walk);
    }
    return sum;
}
