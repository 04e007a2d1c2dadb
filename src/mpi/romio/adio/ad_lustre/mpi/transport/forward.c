/* forward.c - a rank sends its node's blocks to aggregators elsewhere */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "forward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/message.h"
#include "../../core/messages/united.h"
#include "inflight.h"

/* Blocks under way at a time. With more of them each poll takes longer. */
#define WRITES 32
#define READS 16

enum { HEADER, PARTS, REPLY, KINDS }; /* messages of a block */

struct sent {
    int pending; /* messages that are not complete */
    int block;
    int64_t head, got; /* reading: bytes of the request, of the answer */
};

struct adl_forward {
    struct adl_wire *wire;
    struct adl_pool *pool;
    struct adl_united *united; /* of requests, reading */
    const struct adl_terms *terms;
    int small;
    int nsent;
    struct sent sent[WRITES];
    struct adl_inflight inflight; /* number: KINDS * place in `sent` + which */
};

/* A rank that has sent a request waits for this rank: a malloc must not fail
 * then, so all memory is allocated here. */
int adl_forward_create(struct adl_wire *wire, struct adl_pool *pool,
                       int64_t window, int64_t room, struct adl_forward **out)
{
    struct adl_forward *f = calloc(1, sizeof(*f));

    if (!f)
        return -ENOMEM;
    f->wire = f->inflight.wire = wire;
    f->pool = pool;
    if (adl_united_create(window, (size_t)room, &f->united) < 0) {
        free(f);
        return -ENOMEM;
    }
    *out = f;
    return 0;
}

void adl_forward_destroy(struct adl_forward *f)
{
    if (!f)
        return;
    adl_united_destroy(f->united);
    free(f);
}

void adl_forward_begin(struct adl_forward *f, const struct adl_terms *terms,
                       int small)
{
    f->terms = terms;
    f->small = small;
}

/* ---- messages ---- */

static void send_one(struct adl_forward *f, int i, int kind, int rank,
                     const char *at, size_t size)
{
    f->sent[i].pending++;
    adl_inflight_send(&f->inflight, KINDS * i + kind, at, (int64_t)size, rank,
                      kind == PARTS ? ADL_TAG_PARTS + i : ADL_TAG_HEADER,
                      kind == PARTS && f->terms->write);
}

/* A request is kept until its window is read: only a call of few bytes may have
 * long ones. */
static int fits_header(const struct adl_forward *f, size_t size)
{
    if (f->small)
        return size <= ADL_HEADER_ROOM;
    return !f->terms->write && size <= ADL_HEADER_MAX;
}

/* Send the message of `size` bytes at the block's beginning. A message without
 * bytes to write goes in one piece; otherwise the header goes first, and the
 * parts wait here until the aggregator has a buffer for them. The parts are
 * sent synchronously: when the send is complete, the aggregator holds the
 * window, and the node may publish that these bytes are settled. The aggregator
 * has then received them, so the tag can be used again. */
static void send_message(struct adl_forward *f, int i,
                         const struct adl_pool_block *b, size_t size)
{
    int rank = f->wire->agg_rank[b->agg];
    struct adl_message head;

    f->sent[i].block = b->index;
    f->nsent++;
    f->wire->traffic.messages++;
    f->wire->traffic.bytes += (int64_t)size;
    if (fits_header(f, size)) {
        send_one(f, i, HEADER, rank, b->bytes, size);
        return;
    }
    memcpy(&head, b->bytes, sizeof(head));
    head.apart = (uint32_t)(size - sizeof(head));
    head.tag = (uint32_t)(ADL_TAG_PARTS + i);
    memcpy(b->bytes, &head, sizeof(head));
    send_one(f, i, HEADER, rank, b->bytes, sizeof(head));
    send_one(f, i, PARTS, rank, b->bytes + sizeof(head), head.apart);
}

/* Replace the block's requests by one, with room for the answer after it. After
 * an error the ranks get no bytes, and the call fails. */
static void ask_for_block(struct adl_forward *f, int i,
                          const struct adl_pool_block *b)
{
    int tag = ADL_TAG_REPLY + i, rc;
    size_t size = b->size;
    int64_t bytes;

    rc = adl_united_make(f->united, f->terms->shift, (uint32_t)tag, b->bytes,
                         &size, &bytes);
    if (rc < 0) {
        adl_wire_fail(f->wire, rc);
        adl_pool_answered(f->pool, b->index, 0, 0);
        return;
    }
    f->sent[i].head = (int64_t)size;
    f->sent[i].pending++;
    adl_inflight_receive(&f->inflight, KINDS * i + REPLY, b->bytes + size,
                         bytes, f->wire->agg_rank[b->agg], tag);
    send_message(f, i, b, size);
}

/* ---- step ---- */

static void send_blocks(struct adl_forward *f, int64_t pos)
{
    int most = f->terms->write ? WRITES : READS;
    struct adl_pool_block b;

    for (int i = 0; i < most && adl_pool_queued(f->pool); i++) {
        if (f->sent[i].pending)
            continue;
        if (!adl_pool_take(f->pool, pos, f->nsent == most - 1, &b))
            return;
        if (f->terms->write)
            send_message(f, i, &b, b.size);
        else
            ask_for_block(f, i, &b);
    }
}

static void see_done(struct adl_forward *f, const struct adl_arrival *a)
{
    struct sent *s = &f->sent[a->id / KINDS];

    if (a->id % KINDS == REPLY) {
        s->got = adl_inflight_bytes(a);
        f->wire->traffic.bytes += s->got;
    }
    if (--s->pending > 0)
        return;
    f->nsent--;
    if (f->terms->write)
        adl_pool_free(f->pool, s->block);
    else
        adl_pool_answered(f->pool, s->block, s->head, s->got);
}

int adl_forward_step(struct adl_forward *f, int64_t pos)
{
    struct adl_arrival done[ADL_INFLIGHT];
    int n = adl_inflight_poll(&f->inflight, done);

    for (int i = 0; i < n; i++)
        see_done(f, &done[i]);
    send_blocks(f, pos);
    return pos == ADL_POS_END && f->nsent == 0 && !adl_pool_queued(f->pool);
}
