/* extents.h - the pieces of an access: file view x memory, in the view's order
 *
 * Both sides are tiles: a list of (offset, length) repeated every `extent`
 * bytes. The cursor walks file pieces and memory pieces together and yields
 * stretches that are contiguous in both. A caller may stop at any piece and go
 * on later. Each piece costs O(1).
 *
 * File offsets grow from piece to piece, with one exception: a view may begin
 * its next repetition before the last one ends, and a view for reading may
 * overlap itself. adl_extents_ascend finds such accesses.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_EXTENTS_H
#define ADL_EXTENTS_H

#include <stdint.h>

/* One repetition of a datatype. Arrays belong to the caller and must outlive
 * the cursor. Entries of length 0 are allowed and skipped. File side: offsets
 * grow; memory side: any order. */
struct adl_tile {
    const int64_t *off;
    const int64_t *len;
    int64_t n;
    int64_t extent; /* distance between repetitions */
    int64_t size;   /* sum of len */
};

struct adl_piece {
    int64_t off; /* file offset */
    int64_t mem; /* offset from the user's buffer */
    int64_t len;
};

/* The position of one side. */
struct adl_walk {
    const struct adl_tile *tile;
    int64_t base;  /* offset of the current repetition */
    int64_t entry; /* index in the tile */
    int64_t within;
};

struct adl_extents {
    struct adl_walk file, mem;
    int64_t left; /* bytes still to be yielded */
};

/* An access of `bytes` bytes: the file side starts `skip` data bytes into the
 * view (tile at displacement `disp`), the memory side at the start of its tile.
 * NULL for a tile means contiguous; a dense tile (below) is treated the same. A
 * tile of size 0 makes an empty access. Divides and searches once. */
void adl_extents_begin(struct adl_extents *ext, const struct adl_tile *file,
                       int64_t disp, int64_t skip, const struct adl_tile *mem,
                       int64_t bytes);

/* File offset of the next piece; INT64_MAX when none is left. */
static inline int64_t adl_extents_at(const struct adl_extents *ext);

/* Yield the next piece, cut so that it ends at file offset `limit` or before.
 * 1; or 0 if no piece is left or the next one starts at or after `limit`. */
static inline int adl_extents_next(struct adl_extents *ext, int64_t limit,
                                   struct adl_piece *piece);

/* Offset of the tile's first byte; 0 if it has none. */
int64_t adl_tile_first(const struct adl_tile *tile);
/* The OR of all offsets and lengths of a tile and of its extent, without
 * displacement and skip. All of these numbers are multiples of its lowest set
 * bit. 0 for NULL. */
int64_t adl_tile_bits(const struct adl_tile *tile);
/* Do the tile's repetitions form one contiguous stretch? 1 for NULL. Stops at
 * the first hole. */
int adl_tile_dense(const struct adl_tile *tile);

/* The functions below describe the pieces that the cursor has not yielded. */
/* Does every piece begin at or after the end of the one before? */
int adl_extents_ascend(const struct adl_extents *ext);
/* The lowest file offset, INT64_MAX: nothing left. */
int64_t adl_extents_low(const struct adl_extents *ext);
/* File offset just after the highest byte: the span's end. 0: nothing left. */
int64_t adl_extents_end(const struct adl_extents *ext);
/* Number of file pieces. Adjacent pieces count separately, except in a dense
 * tile. */
int64_t adl_extents_count(const struct adl_extents *ext);
/* The sum of the edges (edges.h) of all pieces. Visits every piece. */
uint64_t adl_extents_edges(const struct adl_extents *ext);

/* ---- inside; here only to be inlined ---- */

static inline int64_t adl_walk_at(const struct adl_walk *walk)
{
    return walk->base + walk->tile->off[walk->entry] + walk->within;
}

static inline int64_t adl_walk_room(const struct adl_walk *walk)
{
    return walk->tile->len[walk->entry] - walk->within;
}

/* To the next entry that is not empty; the tile must have one. */
static inline void adl_walk_step(struct adl_walk *walk)
{
    do {
        if (++walk->entry == walk->tile->n) {
            walk->entry = 0;
            walk->base += walk->tile->extent;
        }
    } while (!walk->tile->len[walk->entry]);
    walk->within = 0;
}

static inline int64_t adl_extents_at(const struct adl_extents *ext)
{
    return ext->left ? adl_walk_at(&ext->file) : INT64_MAX;
}

static inline int adl_extents_next(struct adl_extents *ext, int64_t limit,
                                   struct adl_piece *piece)
{
    int64_t off = adl_extents_at(ext);
    int64_t file = adl_walk_room(&ext->file), mem = adl_walk_room(&ext->mem);
    int64_t len = file < mem ? file : mem;

    if (off >= limit)
        return 0;
    len = len < ext->left ? len : ext->left;
    len = len < limit - off ? len : limit - off;
    piece->off = off;
    piece->mem = adl_walk_at(&ext->mem);
    piece->len = len;
    ext->file.within += len;
    ext->mem.within += len;
    ext->left -= len;
    /* No step past the last byte: there the offsets may overflow. */
    if (len == file && ext->left)
        adl_walk_step(&ext->file);
    if (len == mem && ext->left)
        adl_walk_step(&ext->mem);
    return 1;
}

#endif
