/* choice.c - through the aggregators, or every rank on its own? */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "choice.h"

#include "../hints/hints.h"
#include "../text/minmax.h"

/* Everybody has one block, and no byte is in two of them. */
static int are_apart(const struct adl_claim *all, const struct adl_terms *terms)
{
    if (all->flags & ADL_CLAIM_NONCONTIG)
        return 0;
    return terms->exact || !(all->flags & ADL_CLAIM_INTERLEAVED);
}

/* More requests for an object than it is worth to let each rank ask? */
static int is_crowd(const struct adl_choice *file, const struct adl_claim *all)
{
    int64_t stripes =
        (all->end - 1) / file->stripe - all->start / file->stripe + 1;

    return all->bytes < ADL_CHOICE_SMALL * all->pieces ||
           all->pieces > ADL_CHOICE_CROWD * adl_min(stripes, file->objects);
}

static int is_detour(const struct adl_choice *file, const struct adl_claim *all,
                     const struct adl_terms *terms)
{
    if (terms->write || !are_apart(all, terms))
        return 0;
    if (!file->on_lustre)
        return all->least >= ADL_CHOICE_BLOCK;
    return !file->guarded && !file->seeks && !file->gathered &&
           !is_crowd(file, all);
}

int adl_choice_aggregate(const struct adl_choice *file,
                         const struct adl_claim *all,
                         const struct adl_terms *terms)
{
    if (file->alone || all->bytes == 0)
        return 0;
    if (file->cb == ADL_ENABLE)
        return 1;
    if (is_detour(file, all, terms))
        return 0;
    /* Who is not in the group of a group lock would wait for ever. */
    return file->threshold == 0 || file->guarded ||
           all->least < file->threshold || (all->flags & ADL_CLAIM_INTERLEAVED);
}
