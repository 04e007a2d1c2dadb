/* ahead.h - predicts the next of several consecutive collective reads
 *
 * A program that reads the variables of a file one by one begins each call's
 * span where the span of the call before ended. Two such calls are a sequence.
 * It is then expected to go on for as many bytes as it has so far without the
 * first call, and each owner may read its part of that span before a rank asks
 * for it. So calls that are shorter than a row of stripes have several OSTs at
 * work:
 *
 *   call 1   call 2   call 3   expected
 *   |--------|--------|--------|-----------------|
 *            second   start    end               end + (end - second)
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_AHEAD_H
#define ADL_AHEAD_H

#include <stdint.h>

#include "owner.h"

/* Spans this many bytes apart still count as consecutive: headers, alignment.
 */
#define ADL_AHEAD_GAP 65536

/* The sequence so far; zeros: no sequence yet. */
struct adl_ahead {
    int begun;      /* there was a read */
    int64_t second; /* start of its second span, -1: there is none yet */
    int64_t end;    /* of its last span */
};

/* What is expected, and how many bytes of it one owner may read. */
struct adl_ahead_range {
    int64_t start, end;
    int64_t room;
};

/* Ends the sequence: the call was something other than a read. */
void adl_ahead_forget(struct adl_ahead *ahead);

/* Note a read of the span [start, end), end > start. 1: it continues a
 * sequence, and *out is what is expected next, with at most `room` bytes for
 * each owner: at least as long as this span, and at most `room` bytes where
 * that is more. */
int adl_ahead_follow(struct adl_ahead *ahead, int64_t start, int64_t end,
                     int64_t room, struct adl_ahead_range *out);

/* Take the first piece that `agg` owns off the range: a part of one stripe, at
 * most `most` bytes. 0: there is no more. */
int adl_ahead_piece(struct adl_ahead_range *range,
                    const struct adl_owner *owner, int agg, int64_t most,
                    int64_t *off, int64_t *len);

#endif
