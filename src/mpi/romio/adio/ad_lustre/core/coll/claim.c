/* claim.c - what one rank asks of a collective call, and the merged sum */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "claim.h"
#include "../text/minmax.h"

static int is_empty(const struct adl_claim *c)
{
    return c->start > c->end;
}

/* Ranks that moved by different distances do not have the old shape together.
 */
static void merge_moved(const struct adl_claim *a, struct adl_claim *b)
{
    if (b->moved == ADL_MOVED_ANY)
        b->moved = a->moved;
    else if (a->moved != ADL_MOVED_ANY && a->moved != b->moved)
        b->flags |= ADL_CLAIM_NEW;
}

static int64_t shorter(int64_t a, int64_t b)
{
    return a == 0 || b == 0 ? a + b : adl_min(a, b);
}

void adl_claim_merge(const struct adl_claim *a, struct adl_claim *b)
{
    if (!is_empty(a) && !is_empty(b) && b->start < a->edge)
        b->flags |= ADL_CLAIM_INTERLEAVED;
    b->flags |= a->flags;
    merge_moved(a, b);
    b->edge = adl_max(a->edge, b->edge);
    b->start = adl_min(a->start, b->start);
    b->end = adl_max(a->end, b->end);
    b->bytes += a->bytes;
    b->pieces += a->pieces;
    b->edges += a->edges;
    b->most = adl_max(a->most, b->most);
    b->least = adl_min(a->least, b->least);
    b->bits |= a->bits;
    b->error = (int32_t)adl_min(a->error, b->error);
    b->alone_lo = adl_min(a->alone_lo, b->alone_lo);
    b->alone_hi = adl_max(a->alone_hi, b->alone_hi);
    b->lock_trouble = adl_max(a->lock_trouble, b->lock_trouble);
    b->apart = adl_max(a->apart, b->apart);
    b->lock_time = shorter(a->lock_time, b->lock_time);
}
