/* wishes.c - what the ranks of a node want from aggregators elsewhere, reading
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "wishes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/text/err.h"
#include "../../core/messages/message.h"
#include "../progress/progress.h"

#define PENDING 64 /* wishes of a rank that can be under way */
#define ASKED 16   /* blocks of a courier that can be */

/* A wish of this rank. */
struct pending {
    int block; /* -1: none */
    int64_t bytes;
    int64_t start, end; /* file offsets: first byte, end of the cell */
    int64_t shift;      /* from file offset to place in the window */
    char *user;
    struct adl_extents ext;
};

struct adl_wishes {
    struct adl_peers peers;
    struct adl_pool *pool;
    int64_t window;
    int shift;
    int rc;
    uint64_t ticks;
    struct adl_traffic traffic;
    int npending;
    struct pending pending[PENDING];
    /* ---- courier ---- */
    struct adl_pattern *pattern;
    void *bits; /* for the union of wishes */
    int clean;  /* they are zero but for what is marked: from first use on */
    struct adl_cover cover;
    int asked;
    int block[ASKED];
    int64_t head[ASKED], got[ASKED]; /* bytes of its message, of the answer */
    int left[ASKED];            /* requests that are not complete: 0, 1, 2 */
    MPI_Request req[2 * ASKED]; /* the message, the answer */
    MPI_Status status[2 * ASKED];
};

static size_t bits_size(const struct adl_wishes *w)
{
    return adl_cover_memory(w->window + 4096, 0);
}

/* What a courier needs. Who wished waits until it has asked: there must be no
 * memory missing then. */
static int reserve_memory(struct adl_wishes *w, int64_t room)
{
    w->bits = malloc(bits_size(w));
    return w->bits ? adl_pattern_reserve(w->pattern, (size_t)room) : -ENOMEM;
}

int adl_wishes_create(const struct adl_peers *peers, struct adl_pool *pool,
                      int64_t window, int64_t room, struct adl_wishes **out)
{
    struct adl_wishes *w = calloc(1, sizeof(*w));

    if (!w)
        return -ENOMEM;
    w->peers = *peers;
    w->pool = pool;
    w->window = window;
    for (int i = 0; i < PENDING; i++)
        w->pending[i].block = -1;
    for (int i = 0; i < 2 * ASKED; i++)
        w->req[i] = MPI_REQUEST_NULL;
    if (adl_pattern_create(&w->pattern) < 0 ||
        (room > 0 && reserve_memory(w, room) < 0)) {
        adl_wishes_destroy(w);
        return -ENOMEM;
    }
    *out = w;
    return 0;
}

void adl_wishes_destroy(struct adl_wishes *w)
{
    if (!w)
        return;
    adl_pattern_destroy(w->pattern);
    free(w->bits);
    free(w);
}

void adl_wishes_begin(struct adl_wishes *w, int shift)
{
    w->shift = shift;
    w->rc = 0;
}

/* ---- this rank ---- */

int adl_wishes_has_room(const struct adl_wishes *w)
{
    return w->npending < PENDING;
}

int adl_wishes_pending(const struct adl_wishes *w)
{
    return w->npending;
}

static void keep(struct adl_wishes *w, int block,
                 const struct adl_outbox_to *to, const struct adl_pack *pack,
                 const struct adl_extents *ext, char *user)
{
    int i = 0;

    while (w->pending[i].block >= 0)
        i++;
    w->pending[i] = (struct pending){.block = block,
                                     .bytes = pack->bytes,
                                     .start = pack->start,
                                     .end = to->cell->end,
                                     .shift = to->cell->buf - to->cell->start,
                                     .user = user,
                                     .ext = *ext};
    w->npending++;
}

/* What comes back is described by at most two numbers a run. */
int adl_wishes_add(struct adl_wishes *w, const struct adl_outbox_to *to,
                   const struct adl_pack *pack, const struct adl_extents *ext,
                   char *user)
{
    struct adl_part part = {.kind = ADL_PART_WISH,
                            .pattern = (uint32_t)pack->pattern_size,
                            .bytes = pack->bytes};
    struct adl_pool_part place = {.agg = to->cell->owner,
                                  .call = to->call,
                                  .window = to->cell->window,
                                  .start = pack->start,
                                  .window_end = to->window_end,
                                  .size = adl_part_size(&part),
                                  .answer = pack->bytes + 18 * pack->runs};
    int block;
    char *at = adl_pool_add(w->pool, &place, to->courier, &block);

    if (!at)
        return 0;
    adl_part_put(at, &part, pack->pattern);
    keep(w, block, to, pack, ext, user);
    adl_pool_filled(w->pool, block, place.size);
    return 1;
}

/* The one part of a message that this node's courier has made. */
static int runs_of_message(const struct adl_wishes *w, const char *message,
                           size_t size, struct adl_runs_of *runs)
{
    struct adl_message_iter it;
    struct adl_message head;
    struct adl_part part;
    const char *pattern, *bytes;

    if (adl_message_open(&it, message, size, &head) < 0 ||
        adl_message_next(&it, &part, &pattern, &bytes) != 1)
        return -EPROTO;
    *runs = (struct adl_runs_of){pattern, part.pattern, w->window};
    return 0;
}

static int64_t pick(struct adl_wishes *w, struct pending *p)
{
    struct adl_pack_limit limit = {p->end, p->bytes, 0};
    const char *message, *bytes;
    struct adl_runs_of runs;
    int64_t got, n = 0;

    if (!adl_pool_answer(w->pool, p->block, &message, &bytes, &got))
        return -1;
    if (runs_of_message(w, message, (size_t)(bytes - message), &runs) == 0)
        n = adl_pack_pick(&runs, bytes, got, &p->ext, p->shift, &limit,
                          p->user);
    adl_pool_picked(w->pool, p->block);
    p->block = -1;
    return n;
}

int64_t adl_wishes_pick(struct adl_wishes *w)
{
    int64_t sum = 0;

    for (int i = 0; w->npending > 0 && i < PENDING; i++) {
        int64_t n = w->pending[i].block < 0 ? -1 : pick(w, &w->pending[i]);

        if (n < 0)
            continue;
        sum += n;
        w->npending--;
        w->ticks++;
    }
    w->traffic.copied += sum;
    /* Who can wish for no more must not wait for others who could. */
    if (w->npending == PENDING)
        adl_pool_hurry(w->pool);
    return sum;
}

int64_t adl_wishes_lowest(const struct adl_wishes *w)
{
    int64_t low = INT64_MAX;

    for (int i = 0; w->npending > 0 && i < PENDING; i++)
        if (w->pending[i].block >= 0 && w->pending[i].start < low)
            low = w->pending[i].start;
    return low;
}

/* ---- the courier ---- */

static void make_cover(struct adl_wishes *w)
{
    if (!w->clean)
        memset(w->bits, 0, bits_size(w));
    w->clean = 1;
    adl_cover_init(&w->cover, w->bits, w->window, w->shift);
}

/* Mark the runs of all parts of a block. */
static int unite(struct adl_wishes *w, const struct adl_pool_block *b,
                 struct adl_message *head)
{
    struct adl_message_iter it;
    struct adl_part part;
    const char *pattern, *bytes;
    int64_t n;
    int more, rc = adl_message_open(&it, b->bytes, b->size, head);

    while (rc == 0 && (more = adl_message_next(&it, &part, &pattern, &bytes))) {
        struct adl_runs_of runs = {pattern, part.pattern, w->window};

        rc = more < 0 ? more : adl_pack_mark(&runs, &w->cover, &n);
    }
    return rc;
}

/* Describe what is marked, and unmark it. */
static int describe_union(struct adl_wishes *w, struct adl_part *part,
                          const void **pattern)
{
    int64_t start, len;
    size_t size = 0;
    int rc = 0;

    adl_pattern_reset(w->pattern);
    part->bytes = 0;
    for (int64_t from = 0;
         adl_cover_next(&w->cover, from, w->window, &start, &len);
         from = start + len) {
        if (rc == 0)
            rc = adl_pattern_add(w->pattern, start, len);
        part->bytes += len;
        adl_cover_remove(&w->cover, start, len);
    }
    if (rc == 0)
        rc = adl_pattern_finish(w->pattern, pattern, &size);
    part->pattern = (uint32_t)size;
    return rc;
}

/* The block's new content: one message, and room for the answer behind it. */
static void ask(struct adl_wishes *w, int i, const struct adl_pool_block *b,
                const struct adl_message *head, const struct adl_part *part,
                const void *pattern)
{
    int rank = w->peers.agg_rank[b->agg];
    size_t size = sizeof(*head) + adl_part_size(part);

    memcpy(b->bytes, head, sizeof(*head));
    adl_part_put(b->bytes + sizeof(*head), part, pattern);
    w->block[i] = b->index;
    w->head[i] = (int64_t)size;
    w->left[i] = 2;
    w->asked++;
    w->ticks++;
    w->traffic.messages++;
    w->traffic.bytes += (int64_t)size;
    PMPI_Irecv(b->bytes + size, (int)part->bytes, MPI_BYTE, rank,
               (int)part->tag, *w->peers.comm, &w->req[2 * i + 1]);
    PMPI_Isend(b->bytes, (int)size, MPI_BYTE, rank, adl_tag_window(b->window),
               *w->peers.comm, &w->req[2 * i]);
}

/* After an error the ranks get nothing, and the call fails. */
static void ask_block(struct adl_wishes *w, int i,
                      const struct adl_pool_block *b)
{
    struct adl_part part = {.kind = ADL_PART_WISH,
                            .tag = (uint32_t)(ADL_TAG_NODE + i)};
    const void *pattern = NULL;
    struct adl_message head;
    int rc = unite(w, b, &head);
    int rc2 = describe_union(w, &part, &pattern);

    rc = rc < 0 ? rc : rc2;
    if (rc < 0) {
        w->rc = w->rc < 0 ? w->rc : rc;
        adl_pool_answered(w->pool, b->index, 0, 0);
        return;
    }
    ask(w, i, b, &head, &part, pattern);
}

static void ask_blocks(struct adl_wishes *w, int64_t wished)
{
    struct adl_pool_block b;

    if (!adl_pool_queued(w->pool))
        return;
    make_cover(w);
    for (int i = 0; i < ASKED; i++)
        if (w->left[i] == 0) {
            if (!adl_pool_take(w->pool, wished, w->asked == ASKED - 1, &b))
                return;
            ask_block(w, i, &b);
        }
}

static void see_answers(struct adl_wishes *w)
{
    int index[2 * ASKED];
    int n = adl_progress_test_some(2 * ASKED, w->req, index, w->status);

    for (int k = 0; k < n; k++) {
        int i = index[k] / 2, got;

        if (index[k] % 2) {
            PMPI_Get_count(&w->status[k], MPI_BYTE, &got);
            w->traffic.bytes += got;
            w->got[i] = got;
        }
        if (--w->left[i] == 0) {
            adl_pool_answered(w->pool, w->block[i], w->head[i], w->got[i]);
            w->asked--;
        }
        w->ticks++;
    }
}

int adl_wishes_step(struct adl_wishes *w, int64_t wished)
{
    if (w->asked)
        see_answers(w);
    ask_blocks(w, wished);
    return wished == ADL_POS_END && !w->asked && !adl_pool_queued(w->pool);
}

int adl_wishes_error(const struct adl_wishes *w)
{
    return w->rc;
}

void adl_wishes_count(struct adl_wishes *w, struct adl_traffic *sum)
{
    adl_traffic_take(&w->traffic, sum);
}

uint64_t adl_wishes_ticks(const struct adl_wishes *w)
{
    return w->ticks;
}
