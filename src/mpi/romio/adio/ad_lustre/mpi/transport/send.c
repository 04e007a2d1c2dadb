/* send.c - a rank sends its pieces to aggregators on other nodes, or requests
 * them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "send.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/cut.h"
#include "../../core/messages/message.h"
#include "../../core/messages/united.h"
#include "../../core/messages/usercopy.h"
#include "../../core/text/minmax.h"
#include "inflight.h"

/* Parts under way at a time: with messages of their own (fewer in a large job),
 * and in blocks, whose answers this rank waits for. */
#define ALONE ADL_DIRECT_MOST
#define POOLED 64

enum { HEADER, BYTES }; /* the two messages of a part that goes alone */

/* A part under way, and where its bytes belong. */
struct under_way {
    int pending;        /* messages that are not complete; 0: not under way */
    int write;          /* the bytes were sent, none will come */
    int block;          /* of the pool, if the part is in one */
    int64_t start, end; /* file offsets: first byte, end of the cell */
    int64_t shift;      /* from file offset to place in the window */
    int64_t bytes;      /* of all runs */
    struct adl_extents ext; /* at its first piece */
    char *user;
    char *stage; /* for bytes that are not one range of memory, else NULL */
};

/* What the messages of a part need; it is kept. */
struct memory {
    char *header;
    char *stage;
    size_t room;
};

struct adl_send {
    struct adl_wire *wire;
    struct adl_pool *pool;
    int64_t window, room;
    struct adl_pattern *pattern;
    int most; /* parts that go alone, at a time */
    int nalone, npooled;
    struct under_way part[ALONE + POOLED];
    struct memory memory[ALONE];
    struct adl_inflight inflight; /* number: 2 * place in `part` + which */
};

int adl_send_create(struct adl_wire *wire, struct adl_pool *pool,
                    int64_t window, int64_t room, struct adl_send **out)
{
    struct adl_send *s = calloc(1, sizeof(*s));

    if (!s)
        return -ENOMEM;
    s->wire = s->inflight.wire = wire;
    s->pool = pool;
    s->window = window;
    s->room = room;
    s->most = adl_direct_most(wire->ranks);
    if (adl_pattern_create(&s->pattern) < 0 ||
        adl_pattern_reserve(s->pattern, ADL_DIRECT_WORDS) < 0) {
        adl_send_destroy(s);
        return -ENOMEM;
    }
    *out = s;
    return 0;
}

void adl_send_destroy(struct adl_send *s)
{
    if (!s)
        return;
    adl_pattern_destroy(s->pattern);
    for (int i = 0; i < s->most; i++) {
        free(s->memory[i].header);
        free(s->memory[i].stage);
    }
    free(s);
}

/* ---- parts ---- */

/* Note a part as under way, at the first idle place from `i` on. */
static int note_part(struct adl_send *s, int i, const struct adl_send_to *to,
                     const struct adl_extents *ext, const struct adl_pack *pack)
{
    while (s->part[i].pending)
        i++;
    s->part[i] = (struct under_way){.write = to->terms->write,
                                    .start = pack->start,
                                    .end = to->cell->end,
                                    .shift = to->cell->buf - to->cell->start,
                                    .bytes = pack->bytes,
                                    .ext = *ext,
                                    .user = to->user};
    return i;
}

/* ---- alone ---- */

/* Memory for the header, and for bytes that lie apart in the user's. */
static int make_memory(struct memory *m, const struct adl_pack *pack)
{
    if (!m->header)
        m->header = malloc(ADL_HEADER_MAX);
    if (!pack->contig && m->room < (size_t)pack->bytes) {
        free(m->stage);
        m->stage = malloc((size_t)pack->bytes);
        m->room = m->stage ? (size_t)pack->bytes : 0;
    }
    return m->header && (pack->contig || m->stage) ? 0 : -ENOMEM;
}

static void send_header(struct adl_send *s, int i, const struct adl_send_to *to,
                        const struct adl_pack *pack)
{
    struct adl_message head = {.call = to->terms->call,
                               .window = to->cell->window};
    struct adl_part part = {.kind = to->terms->write ? ADL_PART_APART
                                                     : ADL_PART_READ,
                            .tag = (uint32_t)(ADL_TAG_DIRECT + i),
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    char *at = s->memory[i].header;

    memcpy(at, &head, sizeof(head));
    adl_part_put(at + sizeof(head), &part, pack->pattern);
    adl_inflight_send(&s->inflight, 2 * i + HEADER, at,
                      (int64_t)(sizeof(head) + adl_part_size(&part)),
                      s->wire->agg_rank[to->cell->owner], ADL_TAG_HEADER, 0);
}

/* The bytes go synchronously: when that is complete the aggregator has begun to
 * receive them, and holds the window. */
static int send_alone(struct adl_send *s, const struct adl_send_to *to,
                      const struct adl_extents *ext,
                      const struct adl_pack *pack)
{
    int rank = s->wire->agg_rank[to->cell->owner];
    int i = note_part(s, 0, to, ext, pack);
    char *at = to->user + pack->mem;

    if (make_memory(&s->memory[i], pack) < 0)
        return -ENOMEM;
    if (!pack->contig)
        at = s->part[i].stage = s->memory[i].stage;
    s->part[i].pending = 2;
    if (to->terms->write)
        adl_inflight_send(&s->inflight, 2 * i + BYTES, at, pack->bytes, rank,
                          ADL_TAG_DIRECT + i, 1);
    else
        adl_inflight_receive(&s->inflight, 2 * i + BYTES, at, pack->bytes, rank,
                             ADL_TAG_DIRECT + i);
    send_header(s, i, to, pack);
    s->nalone++;
    s->wire->traffic.messages++;
    s->wire->traffic.large++;
    s->wire->traffic.bytes += pack->bytes;
    return 0;
}

/* ---- with others' ---- */

static void copy_part(struct adl_send *s, const struct adl_send_to *to,
                      const struct adl_extents *ext,
                      const struct adl_pack *pack, char *at)
{
    struct adl_extents pieces = *ext;

    if (pack->contig)
        adl_usercopy_in(at, to->user + pack->mem, pack->bytes);
    else
        adl_pack_from_user(&pieces, to->cell->end, to->user, at, pack->bytes);
    s->wire->traffic.copied += pack->bytes;
}

/* Add the part to a block of its window. 0: no block has room. The answer to a
 * request describes each run by at most two numbers. */
static int add_to_block(struct adl_send *s, const struct adl_send_to *to,
                        const struct adl_extents *ext,
                        const struct adl_pack *pack)
{
    int write = to->terms->write, block, i;
    struct adl_part part = {.kind = write ? ADL_PART_DATA : ADL_PART_READ,
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    struct adl_pool_part place = {
        .agg = to->cell->owner,
        .call = to->terms->call,
        .window = to->cell->window,
        .start = pack->start,
        .window_end =
            adl_window_end(to->window, to->cell->owner, to->cell->window),
        .size = adl_part_size(&part),
        .answer = write ? 0 : adl_cut_answer(pack)};
    char *at = adl_pool_add(s->pool, &place, to->forwarder, &block);

    if (!at)
        return 0;
    at = adl_part_put(at, &part, pack->pattern);
    if (write) {
        copy_part(s, to, ext, pack, at);
    } else {
        i = note_part(s, ALONE, to, ext, pack);
        s->part[i].block = block;
        s->part[i].pending = 1;
        s->npooled++;
    }
    adl_pool_filled(s->pool, block, place.size);
    return 1;
}

int adl_send_part(struct adl_send *s, const struct adl_send_to *to,
                  struct adl_extents *ext)
{
    struct adl_cut cut = {to->terms, to->cell, s->pattern, s->room, to->device};
    struct adl_extents from = *ext;
    struct adl_pack pack;

    if (s->nalone == s->most || s->npooled == POOLED ||
        !adl_pool_has_room(s->pool, adl_extents_at(ext)))
        return 0;
    if (adl_cut_alone(&cut, ext, &pack) && send_alone(s, to, &from, &pack) == 0)
        return 1;
    adl_cut_block(&cut, &from, ext, &pack);
    if (add_to_block(s, to, &from, &pack))
        return 1;
    *ext = from;
    return 0;
}

/* ---- what has come ---- */

/* A message of a part that was sent alone is complete. Returns the bytes that
 * were read: fewer than requested at the end of the file. */
static int64_t take_alone(struct adl_send *s, const struct adl_arrival *a)
{
    struct under_way *p = &s->part[a->id / 2];
    int got = !p->write && a->id % 2 == BYTES ? adl_inflight_bytes(a) : 0;

    if (p->stage && got > 0) {
        adl_pack_to_user(&p->ext, p->end, p->user, p->stage, got);
        s->wire->traffic.copied += got;
    }
    if (--p->pending == 0)
        s->nalone--;
    return got;
}

/* Copy this rank's bytes out of the answer, if it has come. */
static int64_t take_pooled(struct adl_send *s, struct under_way *p)
{
    struct adl_pack_limit limit = {p->end, p->bytes, 0};
    const char *message, *bytes;
    struct adl_runs_of runs;
    int64_t got, n = 0;

    if (!adl_pool_answer(s->pool, p->block, &message, &bytes, &got))
        return 0;
    if (adl_united_runs(message, (size_t)(bytes - message), s->window, &runs) ==
        0)
        n = adl_pack_pick(&runs, bytes, got, &p->ext, p->shift, &limit,
                          p->user);
    adl_pool_picked(s->pool, p->block);
    s->wire->traffic.copied += n;
    s->wire->ticks++;
    s->npooled--;
    p->pending = 0;
    return n;
}

/* Returns the bytes that were read; written bytes are counted by the exchange.
 */
int64_t adl_send_step(struct adl_send *s)
{
    struct adl_arrival done[ADL_INFLIGHT];
    int n = adl_inflight_poll(&s->inflight, done);
    int64_t bytes = 0;

    for (int i = 0; i < n; i++)
        bytes += take_alone(s, &done[i]);
    for (int i = ALONE; s->npooled > 0 && i < ALONE + POOLED; i++)
        if (s->part[i].pending)
            bytes += take_pooled(s, &s->part[i]);
    /* It cannot send another request: its blocks must not wait to be full. */
    if (s->npooled == POOLED)
        adl_pool_hurry(s->pool);
    return bytes;
}

int adl_send_busy(const struct adl_send *s)
{
    return s->nalone + s->npooled;
}

int64_t adl_send_lowest(const struct adl_send *s)
{
    int end = s->npooled > 0 ? ALONE + POOLED : ALONE;
    int64_t low = INT64_MAX;

    for (int i = s->nalone > 0 ? 0 : ALONE; i < end; i++)
        if (s->part[i].pending)
            low = adl_min(low, s->part[i].start);
    return low;
}
