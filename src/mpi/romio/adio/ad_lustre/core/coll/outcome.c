/* outcome.c - how a collective call ended on one rank, merged over all ranks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "outcome.h"

void adl_outcome_merge(const struct adl_outcome *a, struct adl_outcome *b)
{
    b->active += a->active;
    if (a->swift < b->swift)
        b->swift = a->swift;
    if (a->lock_trouble > b->lock_trouble)
        b->lock_trouble = a->lock_trouble;
    if (a->error < b->error || (a->error == b->error && a->rank < b->rank)) {
        b->error = a->error;
        b->rank = a->rank;
        b->offset = a->offset;
    }
}
