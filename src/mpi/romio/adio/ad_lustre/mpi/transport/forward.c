/* forward.c - a rank sends its node's blocks to aggregators elsewhere */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "forward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/message.h"
#include "../../core/messages/packing.h"
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
    int64_t window;
    const struct adl_terms *terms;
    int small;
    int nsent;
    struct sent sent[WRITES];
    struct adl_inflight inflight; /* number: KINDS * place in `sent` + which */
    /* ---- reading: for the union of requests ---- */
    struct adl_pattern *pattern;
    void *bits;
    int clean; /* they are zero but for what is marked: from first use on */
    struct adl_cover cover;
};

static size_t bits_size(const struct adl_forward *f)
{
    return adl_cover_memory(f->window + 4096, 0);
}

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
    f->window = window;
    f->bits = malloc(bits_size(f));
    if (!f->bits || adl_pattern_create(&f->pattern) < 0 ||
        adl_pattern_reserve(f->pattern, (size_t)room) < 0) {
        adl_forward_destroy(f);
        return -ENOMEM;
    }
    *out = f;
    return 0;
}

void adl_forward_destroy(struct adl_forward *f)
{
    if (!f)
        return;
    adl_pattern_destroy(f->pattern);
    free(f->bits);
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
    if (size <= ADL_HEADER_MAX && (f->small || !f->terms->write)) {
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

/* ---- reading: one request for all of a block ---- */

static void make_cover(struct adl_forward *f)
{
    if (!f->clean)
        memset(f->bits, 0, bits_size(f));
    f->clean = 1;
    adl_cover_init(&f->cover, f->bits, f->window, f->terms->shift);
}

/* Mark the runs of all parts of a block. */
static int mark_parts(struct adl_forward *f, const struct adl_pool_block *b,
                      struct adl_message *head)
{
    struct adl_message_iter it;
    struct adl_part part;
    const char *pattern, *bytes;
    int64_t n;
    int more, rc = adl_message_open(&it, b->bytes, b->size, head);

    while (rc == 0 && (more = adl_message_next(&it, &part, &pattern, &bytes))) {
        struct adl_runs_of runs = {pattern, part.pattern, f->window};

        rc = more < 0 ? more : adl_pack_mark(&runs, &f->cover, &n);
    }
    return rc;
}

/* Describe what is marked, and unmark it. */
static int describe_union(struct adl_forward *f, struct adl_part *part,
                          const void **pattern)
{
    int64_t start, len;
    size_t size = 0;
    int rc = 0;

    adl_pattern_reset(f->pattern);
    part->bytes = 0;
    for (int64_t from = 0;
         adl_cover_next(&f->cover, from, f->window, &start, &len);
         from = start + len) {
        if (rc == 0)
            rc = adl_pattern_add(f->pattern, start, len);
        part->bytes += len;
        adl_cover_remove(&f->cover, start, len);
    }
    if (rc == 0)
        rc = adl_pattern_finish(f->pattern, pattern, &size);
    part->pattern = (uint32_t)size;
    return rc;
}

/* Replace the block's content by one request, with room for the answer after
 * it. After an error the ranks get no bytes, and the call fails. */
static void ask_for_block(struct adl_forward *f, int i,
                          const struct adl_pool_block *b)
{
    struct adl_part part = {.kind = ADL_PART_READ,
                            .tag = (uint32_t)(ADL_TAG_REPLY + i)};
    const void *pattern = NULL;
    struct adl_message head;
    int rc, rc2;
    size_t size;

    make_cover(f);
    rc = mark_parts(f, b, &head);
    rc2 = describe_union(f, &part, &pattern);
    if (rc < 0 || rc2 < 0) {
        adl_wire_fail(f->wire, rc < 0 ? rc : rc2);
        adl_pool_answered(f->pool, b->index, 0, 0);
        return;
    }
    size = sizeof(head) + adl_part_size(&part);
    memcpy(b->bytes, &head, sizeof(head));
    adl_part_put(b->bytes + sizeof(head), &part, pattern);
    f->sent[i].head = (int64_t)size;
    f->sent[i].pending++;
    adl_inflight_receive(&f->inflight, KINDS * i + REPLY, b->bytes + size,
                         part.bytes, f->wire->agg_rank[b->agg], (int)part.tag);
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
