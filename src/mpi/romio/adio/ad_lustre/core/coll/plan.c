/* plan.c - reuses the shape of the last collective call for the next one */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "plan.h"

#include "edges.h"

static int same_access(const struct adl_plan *plan, const struct adl_shape *now)
{
    const struct adl_shape *last = &plan->last;

    return plan->known && now->view == last->view &&
           now->phase == last->phase && now->bytes == last->bytes;
}

int adl_plan_recall(const struct adl_plan *plan, struct adl_shape *now)
{
    if (!same_access(plan, now))
        return 0;
    now->below = plan->last.below;
    now->span = plan->last.span;
    now->pieces = plan->last.pieces;
    now->bits = plan->last.bits;
    now->tangled = plan->last.tangled;
    return 1;
}

/* A rank without data accepts any distance that the others have moved. */
void adl_plan_propose(struct adl_plan *plan, const struct adl_shape *now,
                      struct adl_claim *claim)
{
    if (now->bytes == 0 && plan->known && plan->last.bytes == 0)
        claim->moved = ADL_MOVED_ANY;
    else if (same_access(plan, now))
        claim->moved = now->start - plan->last.start;
    else
        claim->flags |= ADL_CLAIM_NEW;
    plan->last = *now;
    plan->known = 1;
}

static int is_exact(const struct adl_claim *all)
{
    return all->start < all->end && !(all->flags & ADL_CLAIM_UNCOUNTED) &&
           all->bytes == all->end - all->start &&
           all->edges == adl_edges_of(all->start, all->end);
}

/* The sum of n pieces of one size at one distance. */
static uint64_t edges_of_row(const struct adl_claim *all, int64_t size,
                             int64_t distance)
{
    int64_t at = all->start;
    uint64_t sum = 0;

    for (int64_t i = 0; i < all->pieces; i++, at += distance)
        sum += adl_edges_of(at, at + size);
    return sum;
}

static int is_regular(const struct adl_claim *all)
{
    int64_t n = all->pieces, size, free;

    if (n < 2 || n > ADL_PLAN_REGULAR || all->bytes % n != 0 ||
        (all->flags & ADL_CLAIM_UNCOUNTED))
        return 0;
    size = all->bytes / n;
    free = all->end - all->start - size;
    return free % (n - 1) == 0 && free / (n - 1) >= size &&
           all->edges == edges_of_row(all, size, free / (n - 1));
}

static int is_apart(const struct adl_claim *all)
{
    return !(all->flags & (ADL_CLAIM_NONCONTIG | ADL_CLAIM_INTERLEAVED)) ||
           is_regular(all);
}

int adl_plan_agreed(struct adl_plan *plan, const struct adl_claim *all)
{
    if (all->flags & ADL_CLAIM_NEW)
        plan->exact = plan->apart = 0;
    plan->exact |= is_exact(all);
    plan->apart = plan->apart || plan->exact || is_apart(all);
    return plan->exact;
}
