/* send.c - a rank sends its pieces to aggregators on other nodes, or requests
 * them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "send.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/messages/message.h"
#include "../../core/messages/united.h"
#include "../../core/messages/usercopy.h"
#include "../../core/text/minmax.h"
#include "inflight.h"

#define PENDING 64 /* parts in blocks whose answer this rank waits for */

/* Bytes of a block that are left for heads, in either direction. */
#define BLOCK_HEADS 256
/* Bytes that describe one run, at the most. */
#define RUN_BYTES 18
/* Bytes of a description that fits into a header. */
#define HEADER_PATTERN \
    (ADL_HEADER_MAX - sizeof(struct adl_message) - sizeof(struct adl_part) - 8)

enum { HEADER, BYTES }; /* the two messages of a part that goes alone */

/* Where the bytes of a part belong. */
struct place {
    int64_t start, end; /* file offsets: first byte, end of the cell */
    char *user;
    struct adl_extents ext; /* at its first piece */
};

struct direct {
    int pending; /* messages that are not complete: 0, 1 or 2 */
    struct place place;
    char *header; /* memory that is kept */
    char *stage;
    size_t stage_room;
    int reads;
    int staged;
};

struct pending {
    int block; /* -1: none */
    struct place place;
    int64_t bytes;
    int64_t shift; /* from file offset to place in the window */
};

struct adl_send {
    struct adl_wire *wire;
    struct adl_pool *pool;
    int64_t window, room;
    struct adl_pattern *pattern;
    int most; /* parts that go alone, at a time */
    int ndirect, npending;
    struct direct direct[ADL_DIRECT_MOST];
    struct pending pending[PENDING];
    struct adl_inflight inflight; /* number: 2 * place in `direct` + which */
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
    for (int i = 0; i < PENDING; i++)
        s->pending[i].block = -1;
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
        free(s->direct[i].header);
        free(s->direct[i].stage);
    }
    free(s);
}

/* ---- parts ---- */

/* The next part of the cell, of at most so many bytes. A part ends on a
 * multiple of the coverage's unit: all pieces of the call do, and so does a
 * cut. */
static void describe_part(struct adl_send *s, const struct adl_send_to *to,
                          struct adl_extents *ext, int64_t bytes, int64_t runs,
                          struct adl_pack *pack)
{
    const struct adl_cell *cell = to->cell;
    int64_t unit = INT64_C(1) << to->terms->shift;
    struct adl_pack_limit limit = {cell->end, bytes & -unit, runs};

    adl_pack_describe(ext, cell->buf - cell->start, &limit, s->pattern, pack);
    pack->contig &= !to->device;
}

/* Does a part fit into a block of the pool? Writing, its description and its
 * bytes travel together. Reading, the answer takes the request's place, and the
 * requests of several ranks are united: their description may need as much as
 * single runs do. */
static int fits_block(const struct adl_send *s, const struct adl_send_to *to,
                      const struct adl_pack *pack)
{
    int64_t words =
        to->terms->write ? (int64_t)pack->pattern_size : RUN_BYTES * pack->runs;

    return pack->bytes + words + BLOCK_HEADS <= s->room;
}

/* A part so small that it fits into a block: half of it for the bytes, half for
 * the description. */
static void describe_less(struct adl_send *s, const struct adl_send_to *to,
                          struct adl_extents *ext, struct adl_pack *pack)
{
    int64_t half = s->room / 2;

    describe_part(s, to, ext, half - BLOCK_HEADS,
                  adl_min(half / (RUN_BYTES + 2), ADL_DIRECT_RUNS), pack);
}

static struct place place_of(const struct adl_send_to *to,
                             const struct adl_extents *ext,
                             const struct adl_pack *pack)
{
    return (struct place){pack->start, to->cell->end, to->user, *ext};
}

/* ---- alone ---- */

static int goes_alone(const struct adl_send_to *to, const struct adl_pack *pack)
{
    return pack->bytes >= ADL_DIRECT_MIN &&
           pack->pattern_size <= HEADER_PATTERN &&
           (pack->contig || !to->terms->write);
}

/* Memory for the header, and for bytes that lie apart in the user's. */
static int make_memory(struct direct *d, const struct adl_pack *pack)
{
    if (!d->header)
        d->header = malloc(ADL_HEADER_MAX);
    if (!pack->contig && d->stage_room < (size_t)pack->bytes) {
        free(d->stage);
        d->stage = malloc((size_t)pack->bytes);
        d->stage_room = d->stage ? (size_t)pack->bytes : 0;
    }
    return d->header && (pack->contig || d->stage) ? 0 : -ENOMEM;
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
    char *at = s->direct[i].header;

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
    int rank = s->wire->agg_rank[to->cell->owner], i = 0;
    struct direct *d;
    char *at;

    while (s->direct[i].pending)
        i++;
    d = &s->direct[i];
    if (make_memory(d, pack) < 0)
        return -ENOMEM;
    d->place = place_of(to, ext, pack);
    d->reads = !to->terms->write;
    d->staged = !pack->contig;
    d->pending = 2;
    at = d->staged ? d->stage : to->user + pack->mem;
    if (to->terms->write)
        adl_inflight_send(&s->inflight, 2 * i + BYTES, at, pack->bytes, rank,
                          ADL_TAG_DIRECT + i, 1);
    else
        adl_inflight_receive(&s->inflight, 2 * i + BYTES, at, pack->bytes, rank,
                             ADL_TAG_DIRECT + i);
    send_header(s, i, to, pack);
    s->ndirect++;
    s->wire->traffic.messages++;
    s->wire->traffic.large++;
    s->wire->traffic.bytes += pack->bytes;
    return 0;
}

/* ---- with others' ---- */

static void keep_pending(struct adl_send *s, const struct adl_send_to *to,
                         const struct adl_extents *ext,
                         const struct adl_pack *pack, int block)
{
    const struct adl_cell *cell = to->cell;
    int i = 0;

    while (s->pending[i].block >= 0)
        i++;
    s->pending[i] = (struct pending){.block = block,
                                     .place = place_of(to, ext, pack),
                                     .bytes = pack->bytes,
                                     .shift = cell->buf - cell->start};
    s->npending++;
}

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
    int write = to->terms->write, block;
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
        .answer = write ? 0 : pack->bytes + RUN_BYTES * pack->runs};
    char *at = adl_pool_add(s->pool, &place, to->forwarder, &block);

    if (!at)
        return 0;
    at = adl_part_put(at, &part, pack->pattern);
    if (write)
        copy_part(s, to, ext, pack, at);
    else
        keep_pending(s, to, ext, pack, block);
    adl_pool_filled(s->pool, block, place.size);
    return 1;
}

int adl_send_part(struct adl_send *s, const struct adl_send_to *to,
                  struct adl_extents *ext)
{
    struct adl_extents from = *ext;
    struct adl_pack pack;

    if (s->ndirect == s->most || s->npending == PENDING ||
        !adl_pool_has_room(s->pool, adl_extents_at(ext)))
        return 0;
    describe_part(s, to, ext, ADL_DIRECT_BYTES, ADL_DIRECT_RUNS, &pack);
    if (goes_alone(to, &pack) && send_alone(s, to, &from, &pack) == 0)
        return 1;
    if (!fits_block(s, to, &pack)) {
        *ext = from;
        describe_less(s, to, ext, &pack);
    }
    if (add_to_block(s, to, &from, &pack))
        return 1;
    *ext = from;
    return 0;
}

/* ---- what has come ---- */

/* A message of a part that was sent alone is complete. Returns the bytes that
 * were read: fewer than requested at the end of the file. */
static int64_t take_direct(struct adl_send *s, const struct adl_arrival *a)
{
    struct direct *d = &s->direct[a->id / 2];
    int got = d->reads && a->id % 2 == BYTES ? adl_inflight_bytes(a) : 0;

    if (d->staged && got > 0) {
        adl_pack_to_user(&d->place.ext, d->place.end, d->place.user, d->stage,
                         got);
        s->wire->traffic.copied += got;
    }
    if (--d->pending == 0)
        s->ndirect--;
    return got;
}

/* Copy this rank's bytes out of the answer. -1: the answer has not come. */
static int64_t pick_part(struct adl_send *s, struct pending *p)
{
    struct adl_pack_limit limit = {p->place.end, p->bytes, 0};
    const char *message, *bytes;
    struct adl_runs_of runs;
    int64_t got, n = 0;

    if (!adl_pool_answer(s->pool, p->block, &message, &bytes, &got))
        return -1;
    if (adl_united_runs(message, (size_t)(bytes - message), s->window, &runs) ==
        0)
        n = adl_pack_pick(&runs, bytes, got, &p->place.ext, p->shift, &limit,
                          p->place.user);
    adl_pool_picked(s->pool, p->block);
    p->block = -1;
    return n;
}

/* Copy from all answers that have come. A rank with PENDING requests cannot
 * send another one: its blocks are then sent at once, not when they are full.
 */
static int64_t pick_parts(struct adl_send *s)
{
    int64_t sum = 0;

    for (int i = 0; s->npending > 0 && i < PENDING; i++) {
        int64_t n = s->pending[i].block < 0 ? -1 : pick_part(s, &s->pending[i]);

        if (n < 0)
            continue;
        sum += n;
        s->npending--;
        s->wire->ticks++;
    }
    s->wire->traffic.copied += sum;
    if (s->npending == PENDING)
        adl_pool_hurry(s->pool);
    return sum;
}

/* Returns the bytes that were read; written bytes are counted by the exchange.
 */
int64_t adl_send_step(struct adl_send *s)
{
    struct adl_arrival done[ADL_INFLIGHT];
    int n = adl_inflight_poll(&s->inflight, done);
    int64_t bytes = 0;

    for (int i = 0; i < n; i++)
        bytes += take_direct(s, &done[i]);
    return bytes + pick_parts(s);
}

int adl_send_busy(const struct adl_send *s)
{
    return s->ndirect + s->npending;
}

int64_t adl_send_lowest(const struct adl_send *s)
{
    int64_t low = INT64_MAX;

    for (int i = 0; s->ndirect > 0 && i < s->most; i++)
        if (s->direct[i].pending)
            low = adl_min(low, s->direct[i].place.start);
    for (int i = 0; s->npending > 0 && i < PENDING; i++)
        if (s->pending[i].block >= 0)
            low = adl_min(low, s->pending[i].place.start);
    return low;
}
