/* reduce.c - a small reduction among the nodes' leaders, step by step */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "reduce.h"

#include <string.h>

#include "../progress/progress.h"

void adl_reduce_init(struct adl_reduce *r, const MPI_Comm *comm, int tag,
                     const struct adl_nodemap *map, int index)
{
    memset(r, 0, sizeof(*r));
    r->comm = comm;
    r->tag = tag;
    r->nsteps = adl_doubling(adl_nodemap_nodes(map), index, r->step);
    for (int i = 0; i < r->nsteps; i++)
        r->step[i].other = adl_nodemap_first(map, r->step[i].other);
}

void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge)
{
    r->words = words;
    r->bytes = bytes;
    r->merge = merge;
    r->at = r->begun = 0;
}

/* What is sent must stay as it is while ours becomes more. */
static void begin_step(struct adl_reduce *r, const struct adl_doubling_step *s)
{
    r->request[0] = r->request[1] = MPI_REQUEST_NULL;
    if (s->takes)
        PMPI_Irecv(r->theirs, r->bytes, MPI_BYTE, s->other, r->tag, *r->comm,
                   &r->request[0]);
    if (s->sends) {
        memcpy(r->ours, r->words, (size_t)r->bytes);
        PMPI_Isend(r->ours, r->bytes, MPI_BYTE, s->other, r->tag, *r->comm,
                   &r->request[1]);
    }
    r->begun = 1;
}

static void end_step(struct adl_reduce *r, const struct adl_doubling_step *s)
{
    r->begun = 0;
    r->at++;
    if (!s->takes)
        return;
    if (s->after) {
        r->merge(r->theirs, r->words);
        return;
    }
    if (!s->result)
        r->merge(r->words, r->theirs);
    memcpy(r->words, r->theirs, (size_t)r->bytes);
}

int adl_reduce_test(struct adl_reduce *r)
{
    while (r->at < r->nsteps) {
        const struct adl_doubling_step *s = &r->step[r->at];

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
