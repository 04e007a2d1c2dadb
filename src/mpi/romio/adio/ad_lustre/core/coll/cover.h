/* cover.h - which bytes of a window have arrived
 *
 * One bit for each unit of 2^shift bytes, in memory that several processes may
 * share. The ranks of a node mark what they have copied into an owner's window,
 * in any order; a byte may be marked twice. The owner then walks the covered
 * runs. To keep the bits few, callers choose the largest unit of which all
 * borders are multiples.
 *
 *   bytes  |####....|########|....##..|      shift 2
 *   bits    1   0     1   1   0   ...        (borders must be multiples of 4)
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_COVER_H
#define ADL_COVER_H

#include <stddef.h>
#include <stdint.h>

/* A view of the bits. The struct may be copied; the bits belong to the caller.
 */
struct adl_cover {
    uint64_t *word;
    int64_t size; /* bytes described, a multiple of the unit */
    int shift;
};

/* The number of bytes that the bits of `size` bytes need, a multiple of 8. */
size_t adl_cover_memory(int64_t size, int shift);
/* Describe `size` bytes by the bits at `memory` (8-aligned). Does not clear. */
void adl_cover_init(struct adl_cover *cover, void *memory, int64_t size,
                    int shift);
/* Forget [start, start + len). Returns how many bytes of it were covered.
 * Not concurrent with add. */
int64_t adl_cover_remove(struct adl_cover *cover, int64_t start, int64_t len);

/* Are both borders of [start, start + len) multiples of the unit? Otherwise the
 * range must not be marked: the rest of its first or last unit would count as
 * arrived. Callers check this before they mark a range that a message names. */
static inline int adl_cover_aligned(const struct adl_cover *cover,
                                    int64_t start, int64_t len)
{
    return !((start | len) & ((INT64_C(1) << cover->shift) - 1));
}

/* Mark [start, start + len), which is aligned. Several processes and threads
 * may add at once. A process sees the marks after it has synchronised with the
 * process that made them. */
void adl_cover_add(struct adl_cover *cover, int64_t start, int64_t len);

/* Are all bytes of [start, start + len) covered? Yes for len 0. Other processes
 * may add at the same time; the caller sees their data after it has
 * synchronised with them. */
int adl_cover_full(const struct adl_cover *cover, int64_t start, int64_t len);
/* The first covered run at or after `from` and before `limit`, cut there.
 * 1 and the run, or 0 when there is none. */
int adl_cover_next(const struct adl_cover *cover, int64_t from, int64_t limit,
                   int64_t *start, int64_t *len);
/* The same, together with the runs that follow behind gaps of less than `gap`
 * bytes each. */
int adl_cover_stretch(const struct adl_cover *cover, int64_t from,
                      int64_t limit, int64_t gap, int64_t *start, int64_t *len);
/* The number of covered runs in [from, limit), at most `most`. */
int adl_cover_runs(const struct adl_cover *cover, int64_t from, int64_t limit,
                   int most);

/* A pen collects the small marks of one writer, so that many marks in one word
 * cost one atomic operation. Marks should ascend; otherwise they are correct
 * but slow. Call flush before other processes use the marks. */
struct adl_cover_pen {
    struct adl_cover *cover;
    int64_t index; /* word, -1: none */
    uint64_t bits;
};

void adl_cover_pen_begin(struct adl_cover_pen *pen, struct adl_cover *cover);
static inline void adl_cover_pen_add(struct adl_cover_pen *pen, int64_t start,
                                     int64_t len);
void adl_cover_pen_flush(struct adl_cover_pen *pen);

/* ---- inside; here only to be inlined ---- */

/* Handles a mark that is not inside the pen's current word. */
void adl_cover_pen_move(struct adl_cover_pen *pen, int64_t first, int64_t end);

static inline void adl_cover_pen_add(struct adl_cover_pen *pen, int64_t start,
                                     int64_t len)
{
    int64_t first = start >> pen->cover->shift;
    int64_t end = (start + len) >> pen->cover->shift;

    /* One word and the pen's: no memory but the pen is touched. */
    if (end > first && first >> 6 == pen->index && (end - 1) >> 6 == pen->index)
        pen->bits |= ~UINT64_C(0) >> (64 - (end - first)) << (first & 63);
    else
        adl_cover_pen_move(pen, first, end);
}

#endif
