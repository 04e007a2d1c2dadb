/* plan.c - what a collective call has taught about the next one */
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
    now->span = plan->last.span;
    now->pieces = plan->last.pieces;
    now->bits = plan->last.bits;
    return 1;
}

/* A rank without data moves along with everybody. */
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

int adl_plan_agreed(struct adl_plan *plan, const struct adl_claim *all)
{
    if (all->flags & ADL_CLAIM_NEW)
        plan->exact = 0;
    plan->exact |= is_exact(all);
    return plan->exact;
}
