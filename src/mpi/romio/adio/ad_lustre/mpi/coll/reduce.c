/* reduce.c - a small reduction among the nodes' leaders, step by step */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "reduce.h"

#include <string.h>

#include "../progress/progress.h"

/* ---- who with whom ---- */

/* The leader that stands for place `i` of the p that are left. */
static int index_of_place(int i, int folds)
{
    return i < folds ? 2 * i + 1 : i + folds;
}

static void add_step(struct adl_reduce *r, const struct adl_nodemap *map,
                     int other, int index, int sends, int takes)
{
    r->step[r->nsteps++] =
        (struct adl_reduce_step){.rank = adl_nodemap_first(map, other),
                                 .sends = sends,
                                 .takes = takes,
                                 .after = other < index};
}

void adl_reduce_init(struct adl_reduce *r, const MPI_Comm *comm, int tag,
                     const struct adl_nodemap *map, int index)
{
    int n = adl_nodemap_nodes(map), p = 1, folds;
    int place;

    memset(r, 0, sizeof(*r));
    r->comm = comm;
    r->tag = tag;
    while (p <= n / 2)
        p *= 2;
    folds = n - p;
    place = index < 2 * folds ? index / 2 : index - folds;
    if (index < 2 * folds && index % 2 == 0) { /* folded */
        add_step(r, map, index + 1, index, 1, 0);
        add_step(r, map, index + 1, index, 0, 1);
        return;
    }
    if (index < 2 * folds)
        add_step(r, map, index - 1, index, 0, 1);
    for (int bit = 1; bit < p; bit *= 2)
        add_step(r, map, index_of_place(place ^ bit, folds), index, 1, 1);
    if (index < 2 * folds)
        add_step(r, map, index - 1, index, 1, 0);
}

/* ---- step by step ---- */

void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge)
{
    r->words = words;
    r->bytes = bytes;
    r->merge = merge;
    r->at = r->begun = 0;
}

/* What is sent must stay as it is while ours becomes more. */
static void begin_step(struct adl_reduce *r, const struct adl_reduce_step *s)
{
    r->request[0] = r->request[1] = MPI_REQUEST_NULL;
    if (s->takes)
        PMPI_Irecv(r->theirs, r->bytes, MPI_BYTE, s->rank, r->tag, *r->comm,
                   &r->request[0]);
    if (s->sends) {
        memcpy(r->ours, r->words, (size_t)r->bytes);
        PMPI_Isend(r->ours, r->bytes, MPI_BYTE, s->rank, r->tag, *r->comm,
                   &r->request[1]);
    }
    r->begun = 1;
}

/* Who was folded takes the result as it is. */
static void end_step(struct adl_reduce *r, const struct adl_reduce_step *s)
{
    int folded = !s->sends && r->at > 0;

    r->begun = 0;
    r->at++;
    if (!s->takes)
        return;
    if (s->after) {
        r->merge(r->theirs, r->words);
        return;
    }
    if (!folded)
        r->merge(r->words, r->theirs);
    memcpy(r->words, r->theirs, (size_t)r->bytes);
}

int adl_reduce_test(struct adl_reduce *r)
{
    while (r->at < r->nsteps) {
        const struct adl_reduce_step *s = &r->step[r->at];

        if (!r->begun)
            begin_step(r, s);
        for (int i = 0; i < 2; i++)
            if (r->request[i] != MPI_REQUEST_NULL &&
                !adl_progress_test(&r->request[i], MPI_STATUS_IGNORE))
                return 0;
        end_step(r, s);
    }
    return 1;
}
