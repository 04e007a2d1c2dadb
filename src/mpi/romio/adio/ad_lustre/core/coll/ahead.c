/* ahead.c - predicts the next of several consecutive collective reads */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ahead.h"

#include "../text/minmax.h"

void adl_ahead_forget(struct adl_ahead *ahead)
{
    *ahead = (struct adl_ahead){0};
}

static int follows_last(const struct adl_ahead *ahead, int64_t start)
{
    return ahead->begun && start >= ahead->end &&
           start - ahead->end <= ADL_AHEAD_GAP;
}

int adl_ahead_follow(struct adl_ahead *ahead, int64_t start, int64_t end,
                     int64_t room, struct adl_ahead_range *out)
{
    int in_row = follows_last(ahead, start);
    int64_t second = in_row && ahead->second >= 0 ? ahead->second : start;
    int64_t length = adl_max(end - start, adl_min(end - second, room));

    *ahead = (struct adl_ahead){1, in_row ? second : -1, end};
    if (!in_row)
        return 0;
    length = adl_min(length, INT64_MAX - end);
    *out = (struct adl_ahead_range){end, end + length, room};
    return 1;
}

int adl_ahead_piece(struct adl_ahead_range *range,
                    const struct adl_owner *owner, int agg, int64_t most,
                    int64_t *off, int64_t *len)
{
    int64_t start, end;
    struct adl_stripe s;

    most = adl_min(most, range->room);
    if (most <= 0 || range->start >= range->end ||
        adl_owner_first_at(owner, agg, range->start, &s) < 0)
        return 0;
    start = adl_max(s.start, range->start);
    end = adl_min(s.end, range->end);
    if (start >= end)
        return 0;
    *off = start;
    *len = adl_min(end - start, most);
    range->start = start + *len;
    range->room -= *len;
    return 1;
}
