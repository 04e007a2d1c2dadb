/* aggregators.c - chooses the aggregators from the node map */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "aggregators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int adl_aggregators_take(struct adl_file *f, int count, const void *rank,
                         const void *node)
{
    struct adl_aggs *aggs = &f->aggs;
    size_t size = sizeof(int) * count;

    free(aggs->rank);
    free(aggs->node);
    aggs->rank = malloc(size);
    aggs->node = malloc(size);
    if (!aggs->rank || !aggs->node)
        return -ENOMEM;
    memcpy(aggs->rank, rank, size);
    memcpy(aggs->node, node, size);
    aggs->count = count;
    aggs->mine = -1;
    for (int i = 0; i < count; i++)
        if (aggs->rank[i] == f->rank)
            aggs->mine = i;
    return 0;
}

/* The objects that owners share: those of the widest component. */
static int widest(const struct adl_layout *layout)
{
    int n = adl_layout_mapped(layout) ? adl_layout_objects(layout) : 0;
    int most = 1;
    struct adl_home home;

    for (int i = 0; i < n; i++) {
        adl_layout_home(layout, i, &home);
        if (home.stripe_count > most)
            most = home.stripe_count;
        i += home.stripe_count - 1 - home.object;
    }
    return most;
}

int adl_aggregators_place(struct adl_file *f, const struct adl_nodemap *map)
{
    struct adl_place_ask ask =
        adl_place_ask_of(&f->hints, map, widest(f->layout));
    struct adl_placement *p = NULL;
    int rc = adl_place(&ask, &f->notes, &p);

    if (!rc)
        rc = adl_aggregators_take(f, p->count, p->rank, p->node);
    if (!rc)
        f->aggs.split = p->split;
    if (!rc)
        adl_hints_adjust(&f->hints, ADL_HINT_cb_nodes, p->count,
                         ADL_FROM_DEFAULT);
    adl_placement_destroy(p);
    return rc;
}
