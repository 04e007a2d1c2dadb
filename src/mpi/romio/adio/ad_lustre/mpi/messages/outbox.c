/* outbox.c - what the ranks of a node write to aggregators elsewhere */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "outbox.h"

#include <errno.h>
#include <stdlib.h>

#include "../../core/messages/message.h"
#include "../progress/progress.h"

/* Sends under way at a time; more would only make looking at them dearer. */
#define SENDS 32

struct adl_outbox {
    struct adl_peers peers;
    struct adl_pool *pool;
    int lazy;
    int block; /* that this rank is adding to, and how many bytes */
    size_t size;
    struct adl_traffic traffic;
    uint64_t ticks;
    int busy;
    MPI_Request req[SENDS];
    int sent[SENDS]; /* the blocks */
};

int adl_outbox_create(const struct adl_peers *peers, struct adl_pool *pool,
                      struct adl_outbox **out)
{
    struct adl_outbox *box = calloc(1, sizeof(*box));

    if (!box)
        return -ENOMEM;
    box->peers = *peers;
    box->pool = pool;
    for (int i = 0; i < SENDS; i++)
        box->req[i] = MPI_REQUEST_NULL;
    *out = box;
    return 0;
}

void adl_outbox_destroy(struct adl_outbox *box)
{
    free(box);
}

char *adl_outbox_add(struct adl_outbox *box, const struct adl_outbox_to *to,
                     const struct adl_pack *pack)
{
    struct adl_part part = {.kind = ADL_PART_DATA,
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    struct adl_pool_part place = {.agg = to->cell->owner,
                                  .call = to->call,
                                  .window = to->cell->window,
                                  .start = pack->start,
                                  .window_end = to->window_end,
                                  .size = adl_part_size(&part)};
    char *at = adl_pool_add(box->pool, &place, to->courier, &box->block);

    if (!at)
        return NULL;
    box->size = place.size;
    box->traffic.copied += pack->bytes;
    return adl_part_put(at, &part, pack->pattern);
}

void adl_outbox_sealed(struct adl_outbox *box)
{
    adl_pool_filled(box->pool, box->block, box->size);
}

void adl_outbox_begin(struct adl_outbox *box, int lazy)
{
    box->lazy = lazy;
}

/* Synchronous: when it is complete the aggregator has it, so that the node can
 * say that it is through with the bytes; and what an aggregator does not take
 * yet stays here. In a small call that would only be one way more to wait
 * for. */
static void send_block(struct adl_outbox *box, int i,
                       const struct adl_pool_block *b)
{
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                MPI_Request *) = box->lazy ? PMPI_Isend : PMPI_Issend;

    send(b->bytes, (int)b->size, MPI_BYTE, box->peers.agg_rank[b->agg],
         adl_tag_window(b->window), *box->peers.comm, &box->req[i]);
    box->sent[i] = b->index;
    box->busy++;
    box->ticks++;
    box->traffic.messages++;
    box->traffic.bytes += (int64_t)b->size;
}

static void send_blocks(struct adl_outbox *box, int64_t placed)
{
    struct adl_pool_block b;

    for (int i = 0; i < SENDS && box->busy < SENDS; i++)
        if (box->req[i] == MPI_REQUEST_NULL) {
            if (!adl_pool_take(box->pool, placed, box->busy == SENDS - 1, &b))
                return;
            send_block(box, i, &b);
        }
}

static void see_sent(struct adl_outbox *box)
{
    MPI_Status status[SENDS];
    int index[SENDS];
    int n = adl_progress_test_some(SENDS, box->req, index, status);

    for (int i = 0; i < n; i++) {
        adl_pool_free(box->pool, box->sent[index[i]]);
        box->busy--;
        box->ticks++;
    }
}

int adl_outbox_step(struct adl_outbox *box, int64_t placed)
{
    if (box->busy)
        see_sent(box);
    send_blocks(box, placed);
    return placed == ADL_POS_END && !box->busy && !adl_pool_queued(box->pool);
}

void adl_outbox_count(struct adl_outbox *box, struct adl_traffic *sum)
{
    adl_traffic_take(&box->traffic, sum);
}

uint64_t adl_outbox_ticks(const struct adl_outbox *box)
{
    return box->ticks;
}
