/* window.h - the schedule: how an owner's stripes pass through its buffer
 *
 * An aggregator has cb_buffer_size bytes, split into `depth` windows of equal
 * size. A window holds K consecutive stripes of the owner's sequence; where
 * a stripe is larger than a window, a window holds one aligned part of a
 * stripe. Such a contiguous file range inside a window is a cell:
 *
 *   window 7 of owner 0        cell 0        cell 1        cell 2
 *   buffer                  |[stripe 12] | [stripe 14] | [stripe 16]|
 *
 * Windows are numbered by data, not by span: number = component << bits |
 * index, with as many bits as the number of components leaves. Numbers grow
 * with the file offset for each owner; nothing is allocated per window, so
 * sparse access costs nothing. Offsets below 2^61 are safe with any buffer.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WINDOW_H
#define ADL_WINDOW_H

#include <stdint.h>

#include "owner.h"

struct adl_window; /* immutable */

#define ADL_WINDOW_NONE INT64_MAX /* after the last window */

struct adl_cell {
    int64_t start, end; /* file range [start, end) */
    int64_t buf;        /* place of `start` in the window's buffer */
    int64_t window;
    int owner;
    struct adl_stripe stripe;
};

/* `owner` must outlive the result. Depth is 3 or 4. A window has whole stripes
 * if cb_buffer_size / 3 is large enough, else a part of a stripe, if possible a
 * multiple of 4096 bytes. Any cb_buffer_size >= 1 works (less than 3 bytes
 * count as 3). 0 or -errno. */
int adl_window_create(const struct adl_owner *owner, int64_t cb_buffer_size,
                      struct adl_window **out);
void adl_window_destroy(struct adl_window *win); /* accepts NULL */

int adl_window_depth(const struct adl_window *win);
int64_t adl_window_size(const struct adl_window *win); /* bytes, largest comp */
/* Which of the `depth` buffers window number `window` uses. */
int adl_window_slot(const struct adl_window *win, int64_t window);
/* The OR of all cell borders, sizes and buffer places. Its lowest set bit is
 * the largest unit that coverage (cover.h) can have. */
int64_t adl_window_grain(const struct adl_window *win);

/* The cell that holds file offset `off`. */
void adl_window_locate(const struct adl_window *win, int64_t off,
                       struct adl_cell *cell);
/* Step to the cell that follows in the file. It needs a division where
 * adl_owner_next does.
 */
void adl_window_next(const struct adl_window *win, struct adl_cell *cell);
/* Cells of a window in file order: i = 0, 1, ... 0 or -ENOENT after the last.
 */
int adl_window_cell(const struct adl_window *win, int agg, int64_t window,
                    int i, struct adl_cell *cell);
/* The lowest window of `agg` with a byte at or after `off` (a file offset up to
 * INT64_MAX); ADL_WINDOW_NONE if there is none. */
int64_t adl_window_first_at(const struct adl_window *win, int agg, int64_t off);
/* The place in a window's buffer that divides it at file offset `off`: bytes
 * below `off` are before the place, all others behind it. INT64_MAX: all bytes
 * are below `off`. */
int64_t adl_window_place(const struct adl_window *win, int agg, int64_t window,
                         int64_t off);
/* File offset after the last byte of a window: an access at or after it cannot
 * touch the window any more. 0 when the window has no byte. */
int64_t adl_window_end(const struct adl_window *win, int agg, int64_t window);

#endif
