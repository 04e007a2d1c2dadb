/* timeline.h - counts over time in a fixed number of bins
 *
 * The length of a log is not known beforehand, so bins are narrow at first.
 * When a time lies after the last bin, all bins become twice as wide: each two
 * neighbours are added up, in all series at once:
 *
 *   |1|0|2|1|  | | |      a time beyond the last bin comes
 *   | 1 | 3 |   |   |     (bins lie at multiples of their width)
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TIMELINE_H
#define LP_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

struct lp_timeline;
struct lp_series;

/* `cap` bins, an even number, of at first `width` microseconds. NULL if malloc
 * fails.
 */
struct lp_timeline *lp_timeline_create(unsigned cap, int64_t width);
/* Free the timeline and all its series. */
void lp_timeline_destroy(struct lp_timeline *t);

/* The bin of a time since the epoch. May widen the bins; then earlier numbers
 * of bins are no longer valid. */
unsigned lp_timeline_bin(struct lp_timeline *t, int64_t us);

int64_t lp_timeline_width(const struct lp_timeline *t);
/* Bins from the first to the last time seen, and when bin 0 starts. */
unsigned lp_timeline_used(const struct lp_timeline *t);
int64_t lp_timeline_start(const struct lp_timeline *t);

/* Several counts a bin, owned by the timeline. NULL if malloc fails. */
struct lp_series *lp_series_create(struct lp_timeline *t, unsigned kinds);
void lp_series_add(struct lp_series *s, unsigned bin, unsigned kind,
                   uint64_t n);
uint64_t lp_series_at(const struct lp_series *s, unsigned bin, unsigned kind);
void lp_series_set(struct lp_series *s, unsigned bin, unsigned kind,
                   uint64_t n);
/* into += from, of the same timeline and kinds. */
void lp_series_merge(struct lp_series *into, const struct lp_series *from);

#endif
