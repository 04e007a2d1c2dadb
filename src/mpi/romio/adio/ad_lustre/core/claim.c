/* claim.c - what one rank asks of a collective call, merged to everybody's */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "claim.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

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

void adl_claim_merge(const struct adl_claim *a, struct adl_claim *b)
{
    if (!is_empty(a) && !is_empty(b) && b->start < a->edge)
        b->flags |= ADL_CLAIM_INTERLEAVED;
    b->flags |= a->flags;
    merge_moved(a, b);
    b->edge = max64(a->edge, b->edge);
    b->start = min64(a->start, b->start);
    b->end = max64(a->end, b->end);
    b->bytes += a->bytes;
    b->pieces += a->pieces;
    b->most = max64(a->most, b->most);
    b->least = min64(a->least, b->least);
    b->bits |= a->bits;
    b->error = a->error < b->error ? a->error : b->error;
    b->alone_lo = min64(a->alone_lo, b->alone_lo);
    b->alone_hi = max64(a->alone_hi, b->alone_hi);
    b->lock_trouble = max64(a->lock_trouble, b->lock_trouble);
}
