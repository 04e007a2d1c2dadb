/* extents.h - the pieces of an access: file view x memory, in file order
 *
 * Both sides are tiles: a sorted list of (offset, length) repeated every
 * `extent` bytes. The cursor walks file pieces and memory pieces together and
 * yields stretches that are contiguous in both. It is resumable (it can be left
 * and continued at any piece) and costs O(1) a piece.
 */
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

/* A side's position: entry and byte inside it, base of its repetition. */
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
 * A tile may be given as NULL: contiguous. Divides and searches once. */
void adl_extents_begin(struct adl_extents *ext, const struct adl_tile *file,
                       int64_t disp, int64_t skip, const struct adl_tile *mem,
                       int64_t bytes);

/* File offset of the next piece; INT64_MAX when none is left. */
int64_t adl_extents_at(const struct adl_extents *ext);

/* The next piece, cut so that it does not reach beyond file offset `limit`.
 * 1, or 0 when none is left or the next one starts at or after `limit`. */
int adl_extents_next(struct adl_extents *ext, int64_t limit,
                     struct adl_piece *piece);

/* What one pass over a tile tells: OR of all offsets, lengths and the extent
 * (its lowest set bit is what everything is a multiple of), and whether the
 * tile has one piece only that fills its extent. */
int64_t adl_tile_bits(const struct adl_tile *tile);
/* File offset just after the last byte of the access: the span's end. */
int64_t adl_extents_end(const struct adl_extents *ext);
/* Number of file pieces of the access (adjacent repetitions not merged). */
int64_t adl_extents_count(const struct adl_extents *ext);

#endif
