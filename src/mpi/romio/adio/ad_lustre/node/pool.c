/* pool.c - the node's memory for messages to aggregators elsewhere
 *
 *   | head | queues, one a rank | open blocks, 4 an aggregator | block heads |
 *   | blocks ...
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../core/messages/message.h"

#define NONE (-1)
#define HEADS 128 /* of a message and its one part, at the most */

enum state { FREE, OPEN, CLOSED, TAKEN, ANSWERED };

struct head {
    pthread_mutex_t lock; /* of the free list */
    int32_t free;         /* first of the list */
    int32_t nfree;
    int32_t low; /* the lowest nfree so far */
    int32_t waiting;
    struct adl_bell bell; /* a block has become free */
};

/* The blocks that one rank of the node sends, in the order of opening. */
struct queue {
    pthread_mutex_t lock; /* of the queue and of its aggregators' open blocks */
    int32_t first, last;
    int32_t count;
} __attribute__((aligned(64)));

struct block {
    int32_t next;
    int32_t agg;
    int32_t state;
    int32_t used;   /* bytes given away */
    int32_t filled; /* of them there, atomic */
    int64_t window;
    int64_t start;
    int64_t window_end;
    int64_t answer;    /* reading: bytes that will come back at the most */
    int64_t head, got; /* ANSWERED */
    int32_t parts;     /* to be picked */
};

struct adl_pool {
    struct adl_segment *seg;
    struct head *head;
    struct queue *queue; /* [ranks of the node] */
    int32_t *open;       /* [aggs][ADL_POOL_WINDOWS] */
    struct block *block; /* [count] */
    char *memory;
    int64_t room; /* bytes of a block */
    int count;
    enum adl_position positions; /* what the ranks advance by in this call */
};

/* The room that core/poolshape reckons with. */
_Static_assert(sizeof(struct head) <= ADL_POOL_HEAD, "head of the pool");
_Static_assert(sizeof(struct queue) <= ADL_POOL_QUEUE, "queue of a rank");
_Static_assert(sizeof(struct block) <= ADL_POOL_BLOCK, "head of a block");

static void init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void lay_out(struct adl_pool *pool, int naggs)
{
    init_lock(&pool->head->lock);
    for (int r = 0; r < pool->seg->size; r++) {
        init_lock(&pool->queue[r].lock);
        pool->queue[r].first = pool->queue[r].last = NONE;
    }
    for (int i = 0; i < naggs * ADL_POOL_WINDOWS; i++)
        pool->open[i] = NONE;
    for (int i = 0; i < pool->count; i++)
        pool->block[i].next = i + 1 < pool->count ? i + 1 : NONE;
    pool->head->free = 0;
    pool->head->nfree = pool->head->low = pool->count;
}

int adl_pool_create(struct adl_segment *seg, int64_t size, int naggs,
                    int64_t window, struct adl_pool **out)
{
    struct adl_pool *pool = calloc(1, sizeof(*pool));
    char *at = seg->pool;

    if (!pool)
        return -ENOMEM;
    pool->seg = seg;
    pool->room = adl_pool_room(size, window);
    pool->count = adl_pool_count(size, window);
    pool->head = (struct head *)at;
    at += ADL_POOL_HEAD;
    pool->queue = (struct queue *)at;
    at += seg->size * ADL_POOL_QUEUE;
    pool->open = (int32_t *)at;
    at += ((int64_t)naggs * ADL_POOL_WINDOWS * 4 + 63) / 64 * 64;
    pool->block = (struct block *)at;
    pool->memory = seg->pool + adl_pool_heads(pool->count, naggs, seg->size);
    if (seg->rank == 0)
        lay_out(pool, naggs);
    *out = pool;
    return 0;
}

void adl_pool_destroy(struct adl_pool *pool)
{
    free(pool);
}

/* ---- blocks ---- */

static char *block_memory(const struct adl_pool *pool, int i)
{
    return pool->memory + i * pool->room;
}

/* Where the open block of an aggregator's window is noted. */
static int32_t *open_of(struct adl_pool *pool, int agg, int64_t window)
{
    return &pool->open[agg * ADL_POOL_WINDOWS + window % ADL_POOL_WINDOWS];
}

/* The two that adl_pool_lowest reads without a lock. */
static void set_state(struct block *b, enum state state)
{
    __atomic_store_n(&b->state, state, __ATOMIC_SEQ_CST);
}

static void set_start(struct block *b, int64_t start)
{
    __atomic_store_n(&b->start, start, __ATOMIC_SEQ_CST);
}

void adl_pool_begin(struct adl_pool *pool, int reading)
{
    pool->positions = reading ? ADL_AT_ASKED : ADL_AT_PLACED;
}

/* Is a part that starts here one of the rank that is behind all others of the
 * node? In a read the positions of the requests count: what a rank has got
 * says nothing about what it still has to ask for. */
static int behind_all(const struct adl_pool *pool, int64_t start)
{
    return start <= adl_segment_lowest(pool->seg, pool->positions);
}

/* A rank for which this returns 0 waits, and does not try to allocate a block.
 * The answer is certain under the lock only. */
int adl_pool_has_room(const struct adl_pool *pool, int64_t start)
{
    int n = __atomic_load_n(&pool->head->nfree, __ATOMIC_RELAXED);

    if (n > ADL_POOL_RESERVE || (n > 0 && behind_all(pool, start)))
        return 1;
    __atomic_store_n(&pool->head->waiting, 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* A free block, or NONE. */
static int32_t allocate(struct adl_pool *pool, int64_t start)
{
    struct head *h = pool->head;
    int32_t i = NONE;

    pthread_mutex_lock(&h->lock);
    if (adl_pool_has_room(pool, start)) {
        i = h->free;
        h->free = pool->block[i].next;
        __atomic_store_n(&h->nfree, h->nfree - 1, __ATOMIC_RELAXED);
        if (h->nfree < h->low)
            __atomic_store_n(&h->low, h->nfree, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&h->lock);
    return i;
}

void adl_pool_free(struct adl_pool *pool, int i)
{
    struct head *h = pool->head;

    set_state(&pool->block[i], FREE);
    pthread_mutex_lock(&h->lock);
    pool->block[i].next = h->free;
    h->free = i;
    __atomic_store_n(&h->nfree, h->nfree + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&h->waiting, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&h->lock);
    adl_bell_ring(&h->bell);
}

static void enqueue(struct adl_pool *pool, struct queue *q, int32_t i)
{
    pool->block[i].next = NONE;
    if (q->last == NONE)
        q->first = i;
    else
        pool->block[q->last].next = i;
    q->last = i;
    __atomic_store_n(&q->count, q->count + 1, __ATOMIC_SEQ_CST);
}

static int32_t open_block(struct adl_pool *pool, struct queue *q,
                          const struct adl_pool_part *part)
{
    int32_t i = allocate(pool, part->start);
    struct adl_message head = {.call = part->call, .window = part->window};
    struct block *b;

    if (i == NONE)
        return i;
    b = &pool->block[i];
    b->agg = part->agg;
    b->window = part->window;
    b->window_end = part->window_end;
    b->used = b->filled = sizeof(head);
    b->answer = 0;
    b->parts = 0;
    memcpy(block_memory(pool, i), &head, sizeof(head));
    set_start(b, part->start);
    set_state(b, OPEN);
    enqueue(pool, q, i);
    return i;
}

/* What comes back has to have room in place of what was sent. */
static int fits(const struct adl_pool *pool, const struct block *b,
                const struct adl_pool_part *part)
{
    return b->used + (int64_t)part->size <= pool->room &&
           b->answer + part->answer <= pool->room - HEADS;
}

/* The window's open block, if the part fits in, else a new one. */
static int32_t block_for(struct adl_pool *pool, struct queue *q,
                         const struct adl_pool_part *part)
{
    int32_t *open = open_of(pool, part->agg, part->window);
    struct block *b = *open == NONE ? NULL : &pool->block[*open];

    if (b && b->window == part->window && fits(pool, b, part))
        return *open;
    if (b)
        set_state(b, CLOSED);
    *open = open_block(pool, q, part);
    return *open;
}

char *adl_pool_add(struct adl_pool *pool, const struct adl_pool_part *part,
                   int forwarder, int *block)
{
    struct queue *q = &pool->queue[forwarder];
    char *at = NULL;
    int32_t i;

    pthread_mutex_lock(&q->lock);
    i = block_for(pool, q, part);
    if (i != NONE) {
        struct block *b = &pool->block[i];

        at = block_memory(pool, i) + b->used;
        b->used += (int32_t)part->size;
        b->answer += part->answer;
        b->parts++;
        if (part->start < b->start)
            set_start(b, part->start);
        *block = i;
    }
    pthread_mutex_unlock(&q->lock);
    return at;
}

void adl_pool_filled(struct adl_pool *pool, int block, size_t size)
{
    __atomic_add_fetch(&pool->block[block].filled, (int32_t)size,
                       __ATOMIC_SEQ_CST);
}

/* ---- the forwarder ---- */

int adl_pool_queued(const struct adl_pool *pool)
{
    const struct queue *q = &pool->queue[pool->seg->rank];

    return __atomic_load_n(&q->count, __ATOMIC_SEQ_CST) > 0;
}

/* How many blocks have been in use so far: the first ones, as the free list is
 * a stack that begins in their order. */
static int32_t used_once(const struct adl_pool *pool)
{
    return pool->count - __atomic_load_n(&pool->head->low, __ATOMIC_SEQ_CST);
}

/* A rank registers a block before it publishes a position behind it: a caller
 * that reads the positions first misses no block. */
int64_t adl_pool_lowest(const struct adl_pool *pool, int queued)
{
    int32_t most = queued ? CLOSED : ANSWERED;
    int64_t low = ADL_POS_END;
    int32_t n = used_once(pool);

    for (int32_t i = 0; i < n; i++) {
        const struct block *b = &pool->block[i];
        int32_t state = __atomic_load_n(&b->state, __ATOMIC_SEQ_CST);
        int64_t start;

        if (state == FREE || state > most)
            continue;
        start = __atomic_load_n(&b->start, __ATOMIC_SEQ_CST);
        low = start < low ? start : low;
    }
    return low;
}

/* No more will come into it, or it must not wait for more; and all is there. */
static int can_go(const struct adl_pool *pool, const struct block *b,
                  int64_t placed)
{
    if (__atomic_load_n(&b->filled, __ATOMIC_SEQ_CST) != b->used)
        return 0;
    return b->state == CLOSED || b->window_end <= placed ||
           adl_pool_short(pool);
}

static void dequeue(struct adl_pool *pool, struct queue *q, int32_t i,
                    int32_t before)
{
    struct block *b = &pool->block[i];
    int32_t *open = open_of(pool, b->agg, b->window);

    if (*open == i)
        *open = NONE;
    if (before == NONE)
        q->first = b->next;
    else
        pool->block[before].next = b->next;
    if (q->last == i)
        q->last = before;
    __atomic_store_n(&q->count, q->count - 1, __ATOMIC_SEQ_CST);
    set_state(b, TAKEN);
}

int adl_pool_take(struct adl_pool *pool, int64_t placed, int last,
                  struct adl_pool_block *out)
{
    struct queue *q = &pool->queue[pool->seg->rank];
    int64_t most = last ? adl_pool_lowest(pool, 0) : ADL_POS_END;
    int32_t i, before = NONE;

    if (last && placed < most)
        most = placed;
    if (!adl_pool_queued(pool))
        return 0;
    pthread_mutex_lock(&q->lock);
    for (i = q->first; i != NONE; before = i, i = pool->block[i].next)
        if (pool->block[i].start <= most &&
            can_go(pool, &pool->block[i], placed))
            break;
    if (i != NONE) {
        struct block *b = &pool->block[i];

        dequeue(pool, q, i, before);
        *out = (struct adl_pool_block){i, b->agg, b->window,
                                       block_memory(pool, i), b->used};
    }
    pthread_mutex_unlock(&q->lock);
    return i != NONE;
}

/* ---- answers ---- */

void adl_pool_answered(struct adl_pool *pool, int block, int64_t head,
                       int64_t got)
{
    struct block *b = &pool->block[block];

    b->head = head;
    b->got = got;
    __atomic_store_n(&b->state, ANSWERED, __ATOMIC_SEQ_CST);
    adl_bell_ring(&pool->seg->node->windows);
}

int adl_pool_answer(const struct adl_pool *pool, int block,
                    const char **message, const char **bytes, int64_t *got)
{
    const struct block *b = &pool->block[block];

    if (__atomic_load_n(&b->state, __ATOMIC_SEQ_CST) != ANSWERED)
        return 0;
    *message = block_memory(pool, block);
    *bytes = *message + b->head;
    *got = b->got;
    return 1;
}

void adl_pool_picked(struct adl_pool *pool, int block)
{
    struct block *b = &pool->block[block];

    if (__atomic_sub_fetch(&b->parts, 1, __ATOMIC_SEQ_CST) == 0)
        adl_pool_free(pool, block);
}

void adl_pool_hurry(struct adl_pool *pool)
{
    __atomic_store_n(&pool->head->waiting, 1, __ATOMIC_SEQ_CST);
}

int adl_pool_short(const struct adl_pool *pool)
{
    return __atomic_load_n(&pool->head->waiting, __ATOMIC_SEQ_CST);
}

struct adl_bell *adl_pool_bell(struct adl_pool *pool)
{
    return &pool->head->bell;
}

int64_t adl_pool_peak(const struct adl_pool *pool)
{
    return used_once(pool) * pool->room;
}
