/* ahead.h - collective reads that follow each other: what comes next
 *
 * A program that reads the variables of a file one by one asks for the next
 * span where the last one ended. Two such calls are a row; what follows is then
 * taken to be as long as the last one, and each owner may read its part of it
 * before it is asked:
 *
 *   call 1        call 2          expected
 *   |-------------|---------------|---------------|
 *                 start           end             end + (end - start)
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_AHEAD_H
#define ADL_AHEAD_H

#include <stdint.h>

#include "owner.h"

/* Calls so far apart still follow each other: headers, alignment. */
#define ADL_AHEAD_GAP 65536

/* The row so far; all zero: none. */
struct adl_ahead {
    int begun;   /* there was a read */
    int64_t end; /* of its span */
};

/* What is expected, and how many bytes of it one owner may read. */
struct adl_ahead_range {
    int64_t start, end;
    int64_t room;
};

/* Not the next read, but something else. */
void adl_ahead_forget(struct adl_ahead *ahead);

/* A read of the span [start, end), end > start. 1: it is in a row, and *out is
 * what is expected after it, `room` bytes at most for an owner. */
int adl_ahead_follow(struct adl_ahead *ahead, int64_t start, int64_t end,
                     int64_t room, struct adl_ahead_range *out);

/* Take the first piece of `agg` off the range, `most` bytes at most: a part of
 * one stripe. 0: there is no more. */
int adl_ahead_piece(struct adl_ahead_range *range,
                    const struct adl_owner *owner, int agg, int64_t most,
                    int64_t *off, int64_t *len);

#endif
