/* pattern.h - compact descriptions of runs, for messages
 *
 * A list of ascending, disjoint runs (offset, length) becomes bytes: groups of
 * equal runs at equal distances where the list is regular, single runs where it
 * is not. A row of a subarray costs some 6 bytes, an irregular list a few bytes
 * a run. The decoder checks every number before it uses it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PATTERN_H
#define ADL_PATTERN_H

#include <stddef.h>
#include <stdint.h>

struct adl_pattern; /* a growing encoder */

int adl_pattern_create(struct adl_pattern **out);
void adl_pattern_destroy(struct adl_pattern *pat); /* accepts NULL */
void adl_pattern_reset(struct adl_pattern *pat);   /* start a new list */
/* Allocate memory for descriptions of up to `size` bytes, so that no later call
 * fails. 0 or -ENOMEM. */
int adl_pattern_reserve(struct adl_pattern *pat, size_t size);
/* Append a run that starts at or after the end of the last one. A run that
 * touches the last one is joined to it; an empty run is ignored. 0, -EINVAL
 * (negative, not ascending, or ends beyond 2^62), -ENOMEM. */
int adl_pattern_add(struct adl_pattern *pat, int64_t off, int64_t len);
/* Close the list. The bytes stay valid until the next reset; an empty list has
 * none. */
int adl_pattern_finish(struct adl_pattern *pat, const void **bytes,
                       size_t *size);

/* A cursor over encoded bytes; small enough for the stack. */
struct adl_pattern_iter {
    const unsigned char *next, *end;
    int64_t limit; /* runs must lie in [0, limit) */
    /* the decoder's own: */
    int64_t at;   /* end of the last run */
    int64_t len;  /* of the runs of the group */
    int64_t gap;  /* before each of them */
    int64_t left; /* repetitions still to come */
    int broken;
};

/* The bytes must outlive the cursor. */
void adl_pattern_open(struct adl_pattern_iter *it, const void *bytes,
                      size_t size, int64_t limit);
/* 1 and the next run; 0 at the end; -EPROTO, at every further call too, if the
 * bytes are damaged (a run outside [0, limit), not ascending, truncated).
 * Whatever the bytes are, there are at most `limit` runs. */
int adl_pattern_next(struct adl_pattern_iter *it, int64_t *off, int64_t *len);

#endif
