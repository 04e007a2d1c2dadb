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
    r->nsteps = adl_butterfly(adl_nodemap_nodes(map), index, r->step);
    for (int i = 0; i < r->nsteps; i++)
        for (int k = 0; k < r->step[i].n; k++)
            r->step[i].other[k] = adl_nodemap_first(map, r->step[i].other[k]);
}

void adl_reduce_begin(struct adl_reduce *r, void *words, int bytes,
                      adl_reduce_merge *merge)
{
    r->words = words;
    r->bytes = bytes;
    r->merge = merge;
    r->at = r->begun = 0;
}

/* The buffer of a send must not change while this rank merges more words. */
static void begin_step(struct adl_reduce *r, const struct adl_butterfly_step *s)
{
    for (int i = 0; i < 2 * ADL_BUTTERFLY_OTHERS; i++)
        r->request[i] = MPI_REQUEST_NULL;
    memcpy(r->ours, r->words, (size_t)r->bytes);
    for (int i = 0; s->takes && i < s->n; i++)
        PMPI_Irecv(r->theirs[i], r->bytes, MPI_BYTE, s->other[i], r->tag,
                   *r->comm, &r->request[i]);
    for (int i = 0; s->sends && i < s->n; i++)
        PMPI_Isend(r->ours, r->bytes, MPI_BYTE, s->other[i], r->tag, *r->comm,
                   &r->request[ADL_BUTTERFLY_OTHERS + i]);
    r->begun = 1;
}

/* All are tested, so that those left say which ranks have not come. */
static int step_is_over(struct adl_reduce *r)
{
    int over = 1;

    for (int i = 0; i < 2 * ADL_BUTTERFLY_OTHERS; i++)
        if (r->request[i] != MPI_REQUEST_NULL &&
            !adl_progress_test(&r->request[i], MPI_STATUS_IGNORE))
            over = 0;
    return over;
}

/* Merge what has come and ours, in order; the last one is the sum. */
static void merge_step(struct adl_reduce *r, const struct adl_butterfly_step *s)
{
    const void *sum = NULL;

    for (int i = 0; i <= s->n; i++) {
        void *next = i == s->before ? (void *)r->ours
                                    : (void *)r->theirs[i - (i > s->before)];

        if (sum)
            r->merge(sum, next);
        sum = next;
    }
    memcpy(r->words, sum, (size_t)r->bytes);
}

int adl_reduce_test(struct adl_reduce *r)
{
    for (; r->at < r->nsteps; r->at++, r->begun = 0) {
        const struct adl_butterfly_step *s = &r->step[r->at];

        if (!r->begun)
            begin_step(r, s);
        if (!step_is_over(r))
            return 0;
        if (s->result)
            memcpy(r->words, r->theirs[0], (size_t)r->bytes);
        else if (s->takes)
            merge_step(r, s);
    }
    return 1;
}

/* The other ranks of requests that are not complete; returns their number. */
static int put_others(const struct adl_butterfly_step *s,
                      const MPI_Request *request, struct adl_strbuf *sb)
{
    int n = 0;

    for (int i = 0; i < s->n; i++)
        if (request[i] != MPI_REQUEST_NULL)
            adl_strbuf_printf(sb, "%s %d", n++ ? "," : " rank", s->other[i]);
    return n;
}

void adl_reduce_describe(const struct adl_reduce *r, struct adl_strbuf *sb)
{
    const struct adl_butterfly_step *s = &r->step[r->at];
    const char *to = "send its";

    if (r->at < r->nsteps && r->begun && !put_others(s, r->request, sb)) {
        put_others(s, r->request + ADL_BUTTERFLY_OTHERS, sb);
        to = "receive this";
    }
    adl_strbuf_printf(sb,
                      " (another node's first) to %s node's words, step %d of "
                      "%d",
                      to, r->at + 1, r->nsteps);
}
