/* blockreach.c - how far the lock of a rank's own block should reach */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "blockreach.h"

#define PAGE 4096

/* From one block to the next: 0 where that is not known. */
static int64_t distance(const struct adl_claim *all)
{
    int64_t gaps = all->pieces - 1, span = all->end - all->start - all->most;

    if (all->flags & ADL_CLAIM_NONCONTIG)
        return 0;
    if (gaps < 1 || all->most != all->least || span % gaps != 0)
        return 0;
    return span / gaps;
}

void adl_blockreach_whole(struct adl_blockreach *r, const struct adl_claim *all)
{
    int64_t d = distance(all);

    if (d > r->end - r->start && (r->start - all->start) % d == 0 &&
        r->start <= INT64_MAX - d)
        r->end = r->start + d;
    r->start = r->start % PAGE ? r->start - r->start % PAGE + PAGE : r->start;
    r->end -= r->end % PAGE;
}

int adl_blockreach_part(struct adl_blockreach *rest, int64_t stripe,
                        int objects, struct adl_blockreach *part)
{
    int64_t border;

    if (rest->start >= rest->end)
        return 0;
    *part = *rest;
    border = stripe > 0 ? rest->start - rest->start % stripe + stripe : 0;
    if (stripe > 0 && border < rest->end &&
        (rest->end - 1) / stripe - rest->start / stripe < objects)
        part->end = border;
    rest->start = part->end;
    return 1;
}
