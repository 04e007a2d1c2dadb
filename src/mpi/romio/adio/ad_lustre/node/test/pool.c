/* pool.c - test of node/pool: blocks that ranks of a node fill together
 *
 * First one rank, step by step; then threads that add parts and couriers that
 * take blocks and look at every part: none is lost, none comes twice, all are
 * of the block's window.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include "../../core/messages/message.h"
#include "../../core/test/limits.h"
#include "../../core/test/random.h"
#include "../pool.h"

#include <errno.h>
#include <sched.h>

#define WINDOW (64 << 10)
#define SMALL (64 << 10) /* a pool of four blocks */
#define FAR ADL_POS_END

/* What core/test/scale.c reckons with. */
_Static_assert(ADL_POOL_DEFAULT == LIMIT_POOL_DEFAULT, "size of the pool");
_Static_assert(sizeof(struct adl_seat) <= LIMIT_SEAT, "seat");
_Static_assert(sizeof(struct adl_windows) <= LIMIT_WINDOWS, "windows");
_Static_assert(sizeof(struct adl_node_state) <= LIMIT_NODE_STATE, "node state");

/* ---- one rank ---- */

struct bench {
    struct adl_segment *seg;
    struct adl_pool *pool;
};

static struct bench bench_begin(int64_t size, int naggs, int ranks)
{
    struct bench b;

    b.seg = ranks_segment(ranks, WINDOW,
                          adl_pool_memory(size, naggs, ranks, WINDOW));
    assert_int_equal(adl_pool_create(b.seg, size, naggs, WINDOW, &b.pool), 0);
    return b;
}

static void bench_end(struct bench *b)
{
    adl_pool_destroy(b->pool);
    adl_segment_destroy(b->seg);
}

/* A part of the aggregator's window, at the window's start. */
static struct adl_pool_part part_of(int agg, int64_t window, size_t size)
{
    return (struct adl_pool_part){.agg = agg,
                                  .call = 1,
                                  .window = window,
                                  .start = window * WINDOW,
                                  .window_end = (window + 1) * WINDOW,
                                  .size = size};
}

static int add(struct bench *b, int agg, int64_t window, size_t size)
{
    struct adl_pool_part part = part_of(agg, window, size);
    int block = -1;
    char *at = adl_pool_add(b->pool, &part, 0, &block);

    if (!at)
        return -1;
    memset(at, 'x', size);
    adl_pool_filled(b->pool, block, size);
    return block;
}

static const struct {
    int64_t size;
    int naggs;
    int64_t window, want;
} rooms[] = {
    {64 << 20, 1, 16 << 20, 1152 << 10},   /* what is sent well in one piece */
    {64 << 20, 1000, 1 << 20, 1152 << 10}, /* a stripe and its description */
    {64 << 20, 100000, 4 << 20, 1152 << 10},
    {64 << 20, 1, 4096, 16 << 10},     /* not below 16 KiB */
    {1 << 20, 1, 1 << 20, 20 << 10},   /* some dozens there are always */
    {64 << 20, 4, 64 << 10, 84 << 10}, /* a window and its descriptions */
};

static void test_shape(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(rooms) / sizeof(rooms[0]); row++) {
        int64_t room = adl_pool_room(rooms[row].size, rooms[row].window);
        int64_t bytes = adl_pool_memory(rooms[row].size, rooms[row].naggs, 100,
                                        rooms[row].window);

        if (room != rooms[row].want)
            fail_msg("row %zu: room %" PRId64, row, room);
        assert_true(bytes >= rooms[row].size - room);
        /* heads are a small part, but for absurdly many aggregators */
        if (bytes > rooms[row].size + rooms[row].size / 50 + 65536 +
                        16 * rooms[row].naggs)
            fail_msg("row %zu: memory %" PRId64, row, bytes);
    }
}

/* Parts of one window share a block; it goes when no rank can have more. */
static void test_one_window(void **state)
{
    struct bench b = bench_begin(4 << 20, 2, 1);
    struct adl_pool_block out;
    int first;

    (void)state;
    assert_true(adl_pool_lowest(b.pool, 0) == FAR);
    first = add(&b, 0, 5, 1000);
    assert_int_equal(add(&b, 0, 5, 64), first);
    assert_int_not_equal(add(&b, 1, 5, 64), first);
    assert_int_not_equal(add(&b, 0, 6, 64), first);
    assert_true(adl_pool_queued(b.pool));
    assert_int_equal(adl_pool_lowest(b.pool, 0), 5 * WINDOW);
    assert_int_equal(adl_pool_take(b.pool, 6 * WINDOW - 1, 0, &out), 0);
    assert_int_equal(adl_pool_take(b.pool, 6 * WINDOW, 0, &out), 1);
    assert_int_equal(out.index, first);
    assert_int_equal(out.agg, 0);
    assert_int_equal(out.window, 5);
    assert_int_equal(out.size, sizeof(struct adl_message) + 1064);
    /* taken is not yet arrived */
    assert_int_equal(adl_pool_lowest(b.pool, 0), 5 * WINDOW);
    adl_pool_free(b.pool, out.index);
    assert_int_equal(adl_pool_take(b.pool, 6 * WINDOW, 0, &out), 1);
    assert_int_equal(out.agg, 1);
    adl_pool_free(b.pool, out.index);
    assert_int_equal(adl_pool_lowest(b.pool, 0), 6 * WINDOW);
    assert_int_equal(adl_pool_take(b.pool, 6 * WINDOW, 0, &out), 0);
    assert_int_equal(adl_pool_take(b.pool, FAR, 0, &out), 1);
    adl_pool_free(b.pool, out.index);
    assert_int_equal(adl_pool_queued(b.pool), 0);
    assert_true(adl_pool_lowest(b.pool, 0) == FAR);
    assert_int_equal(adl_pool_peak(b.pool), 3 * adl_pool_room(4 << 20, WINDOW));
    bench_end(&b);
}

/* Every block that is in use is looked at, also the one that was taken last. */
static void test_lowest(void **state)
{
    struct bench b = bench_begin(4 << 20, 2, 1);

    (void)state;
    for (int w = 9; w > 0; w--) {
        add(&b, 0, w, 64);
        assert_int_equal(adl_pool_lowest(b.pool, 0), w * WINDOW);
    }
    bench_end(&b);
}

/* A block knows nothing of what it was before: parts that were written are not
 * to be picked, bytes that came back are not to come again. */
static void test_used_again(void **state)
{
    struct bench b = bench_begin(4 << 20, 2, 1);
    int64_t room = adl_pool_room(4 << 20, WINDOW);
    struct adl_pool_part part = part_of(0, 5, 64);
    struct adl_pool_block out;
    int block;

    (void)state;
    part.answer = room / 2;
    for (int turn = 0; turn < 3; turn++) {
        int written = add(&b, 0, 5, 64);

        assert_int_equal(adl_pool_take(b.pool, FAR, 0, &out), 1);
        adl_pool_free(b.pool, out.index);
        assert_non_null(adl_pool_add(b.pool, &part, 0, &block));
        assert_int_equal(block, written);
        adl_pool_filled(b.pool, block, 64);
        assert_int_equal(adl_pool_take(b.pool, FAR, 0, &out), 1);
        adl_pool_answered(b.pool, block, 0, part.answer);
        adl_pool_picked(b.pool, block);
        assert_true(adl_pool_lowest(b.pool, 0) == FAR);
    }
    bench_end(&b);
}

/* What is full goes at once, what is not yet there does not go. */
static void test_full(void **state)
{
    struct bench b = bench_begin(4 << 20, 2, 1);
    size_t size = (size_t)adl_pool_room(4 << 20, WINDOW) - 100;
    struct adl_pool_part part = part_of(0, 5, size);
    struct adl_pool_block out;
    int full, next;

    (void)state;
    assert_non_null(adl_pool_add(b.pool, &part, 0, &full));
    next = add(&b, 0, 5, 200);
    assert_int_not_equal(next, full);
    assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 0);
    adl_pool_filled(b.pool, full, size);
    assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 1);
    assert_int_equal(out.index, full);
    assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 0);
    bench_end(&b);
}

/* The last two blocks are for the rank that is behind. */
static void test_reserve(void **state)
{
    struct bench b = bench_begin(SMALL, 8, 2);
    struct adl_pool_block out;

    (void)state;
    adl_mark_set(&b.seg->seat[0].mark[ADL_AT_PLACED], 0);
    adl_mark_set(&b.seg->seat[1].mark[ADL_AT_PLACED], 9 * WINDOW);
    assert_true(add(&b, 0, 9, 64) >= 0);
    assert_int_equal(adl_pool_has_room(b.pool, 9 * WINDOW), 1);
    assert_true(add(&b, 1, 9, 64) >= 0);
    assert_int_equal(adl_pool_has_room(b.pool, 9 * WINDOW), 0);
    assert_int_equal(add(&b, 2, 9, 64), -1);
    assert_int_equal(adl_pool_has_room(b.pool, 0), 1);
    assert_true(add(&b, 3, 0, 64) >= 0);
    assert_true(add(&b, 4, 0, 64) >= 0);
    assert_int_equal(adl_pool_has_room(b.pool, 0), 0);
    assert_int_equal(add(&b, 5, 0, 64), -1);
    /* now blocks need not wait for more; in the order of opening */
    assert_true(adl_pool_short(b.pool));
    for (int agg = 0; agg < 2; agg++) {
        assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 1);
        assert_int_equal(out.agg, agg);
    }
    adl_pool_free(b.pool, out.index);
    assert_false(adl_pool_short(b.pool));
    assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 0);
    assert_int_equal(adl_pool_peak(b.pool), 4 * adl_pool_room(SMALL, WINDOW));
    bench_end(&b);
}

/* Reading, the rank that is behind with its requests: what it has got so far
 * says nothing. */
static void test_reserve_reading(void **state)
{
    struct bench b = bench_begin(SMALL, 8, 2);

    (void)state;
    adl_pool_begin(b.pool, 1);
    for (int r = 0; r < 2; r++)
        adl_mark_set(&b.seg->seat[r].mark[ADL_AT_PLACED], 0);
    adl_mark_set(&b.seg->seat[0].mark[ADL_AT_ASKED], 3 * WINDOW);
    adl_mark_set(&b.seg->seat[1].mark[ADL_AT_ASKED], 9 * WINDOW);
    assert_true(add(&b, 0, 9, 64) >= 0);
    assert_true(add(&b, 1, 9, 64) >= 0);
    assert_int_equal(adl_pool_has_room(b.pool, 9 * WINDOW), 0);
    assert_int_equal(add(&b, 2, 9, 64), -1);
    assert_int_equal(adl_pool_has_room(b.pool, 3 * WINDOW), 1);
    assert_true(add(&b, 3, 3, 64) >= 0);
    adl_pool_begin(b.pool, 0);
    assert_int_equal(adl_pool_has_room(b.pool, 3 * WINDOW), 0);
    bench_end(&b);
}

/* A forwarder's last send is for a block before which no rank of the node can
 * add another: else sends that no aggregator receives yet would keep it back
 * for ever. */
static void test_last_send(void **state)
{
    struct bench b = bench_begin(4 << 20, 2, 1);
    struct adl_pool_block out;

    (void)state;
    assert_true(add(&b, 0, 9, 64) >= 0);
    assert_int_equal(adl_pool_take(b.pool, 9 * WINDOW - 1, 1, &out), 0);
    assert_true(add(&b, 1, 2, 64) >= 0);
    assert_int_equal(adl_pool_take(b.pool, FAR, 1, &out), 1);
    assert_int_equal(out.agg, 1);
    /* the lowest is under way: the rest waits for it */
    assert_int_equal(adl_pool_take(b.pool, FAR, 1, &out), 0);
    adl_pool_free(b.pool, out.index);
    assert_int_equal(adl_pool_take(b.pool, FAR, 1, &out), 1);
    assert_int_equal(out.agg, 0);
    bench_end(&b);
}

/* A rank that looks for room before it adds, and finds none, counts as waiting,
 * too: otherwise open blocks would never be sent. */
static void test_looking_is_waiting(void **state)
{
    struct bench b = bench_begin(SMALL, 8, 1);
    struct adl_pool_block out;
    int agg = 0;

    (void)state;
    adl_mark_set(&b.seg->seat[0].mark[ADL_AT_PLACED], 0);
    while (adl_pool_has_room(b.pool, 0))
        assert_true(add(&b, agg++, 0, 64) >= 0);
    assert_int_equal(agg, 4);
    assert_int_equal(adl_pool_take(b.pool, 0, 0, &out), 1);
    assert_int_equal(out.agg, 0);
    adl_pool_free(b.pool, out.index);
    assert_int_equal(adl_pool_has_room(b.pool, 0), 1);
    bench_end(&b);
}

/* ---- many ranks ---- */

#define RANKS 4
#define AGGS 6
#define LAST 40 /* windows of each aggregator */

struct rank {
    struct adl_segment seg;
    struct adl_sink sink;
    struct adl_pool *pool;
    struct rng rng;
    int64_t (*got)[AGGS][LAST]; /* [rank] bytes that came, by its couriers */
    int *left;                  /* ranks that still add */
};

/* Every part says whose it is. */
static void add_part(struct rank *me, int agg, int64_t window, int64_t bytes)
{
    struct adl_part part = {
        .kind = ADL_PART_DATA, .pattern = 8, .bytes = bytes};
    struct adl_pool_part place = part_of(agg, window, adl_part_size(&part));
    char whose[8] = {(char)me->seg.rank}, *at;
    int block;

    while (!adl_pool_has_room(me->pool, place.start) ||
           !(at = adl_pool_add(me->pool, &place, agg % 2, &block)))
        sched_yield();
    memset(adl_part_put(at, &part, whose), me->seg.rank, (size_t)bytes);
    adl_pool_filled(me->pool, block, place.size);
}

static void *add_all(void *arg)
{
    struct rank *me = arg;
    struct adl_mark *placed = &me->seg.seat[me->seg.rank].mark[ADL_AT_PLACED];

    for (int64_t w = 0; w < LAST; w++) {
        adl_mark_publish(placed, w * WINDOW);
        for (int agg = 0; agg < AGGS; agg++)
            for (int n = (int)rng_in(&me->rng, 1, 4); n > 0; n--) {
                int64_t bytes = rng_in(&me->rng, 1, 3000);

                add_part(me, agg, w, bytes);
                __atomic_sub_fetch(&me->got[me->seg.rank][agg][w], bytes,
                                   __ATOMIC_RELAXED);
            }
    }
    adl_mark_publish(placed, FAR);
    __atomic_sub_fetch(me->left, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void open_letter(struct rank *me, const struct adl_pool_block *b)
{
    struct adl_message_iter it;
    struct adl_message head;
    const char *pattern, *bytes;
    struct adl_part part;
    int rc;

    assert_int_equal(adl_message_open(&it, b->bytes, b->size, &head), 0);
    assert_true(head.window == b->window && head.call == 1);
    while ((rc = adl_message_next(&it, &part, &pattern, &bytes)) == 1) {
        int who = pattern[0];

        for (int64_t i = 0; i < part.bytes; i++)
            assert_int_equal(bytes[i], who);
        __atomic_add_fetch(&me->got[who][b->agg][b->window], part.bytes,
                           __ATOMIC_RELAXED);
    }
    assert_int_equal(rc, 0);
}

/* Also looks, as a leader does, how far the node has come. */
static void *carry(void *arg)
{
    struct rank *me = arg;
    struct adl_pool_block b;
    int64_t blocks = 0;

    for (;;) {
        int over = __atomic_load_n(me->left, __ATOMIC_SEQ_CST) == 0;
        int64_t placed = adl_segment_lowest(&me->seg, ADL_AT_PLACED);

        assert_true(adl_pool_lowest(me->pool, 0) >= 0);
        if (adl_pool_take(me->pool, placed, 0, &b)) {
            assert_int_equal(b.agg % 2, me->seg.rank);
            open_letter(me, &b);
            adl_pool_free(me->pool, b.index);
            blocks++;
        } else if (over) {
            break;
        } else {
            sched_yield();
        }
    }
    printf("# forwarder %d: %d blocks\n", me->seg.rank, (int)blocks);
    return NULL;
}

/* Ranks 0 and 1 are couriers too, each in a thread of its own. */
static void run_ranks(int64_t size)
{
    struct bench b = bench_begin(size, AGGS, RANKS);
    static int64_t got[RANKS][AGGS][LAST];
    struct rank rank[RANKS];
    pthread_t adder[RANKS], forwarder[2];
    int left = RANKS;

    memset(got, 0, sizeof(got));
    for (int r = 0; r < RANKS; r++) {
        rank[r] =
            (struct rank){.rng = {(uint64_t)r}, .got = got, .left = &left};
        rank[r].seg = ranks_seen_by(b.seg, r, &rank[r].sink);
        assert_int_equal(
            r ? adl_pool_create(&rank[r].seg, size, AGGS, WINDOW, &rank[r].pool)
              : (rank[r].pool = b.pool, 0),
            0);
        adl_mark_set(&b.seg->seat[r].mark[ADL_AT_PLACED], 0);
    }
    for (int r = 0; r < RANKS; r++)
        pthread_create(&adder[r], NULL, add_all, &rank[r]);
    for (int r = 0; r < 2; r++)
        pthread_create(&forwarder[r], NULL, carry, &rank[r]);
    for (int r = 0; r < RANKS; r++)
        pthread_join(adder[r], NULL);
    for (int r = 0; r < 2; r++)
        pthread_join(forwarder[r], NULL);
    for (int r = 0; r < RANKS; r++)
        for (int agg = 0; agg < AGGS; agg++)
            for (int w = 0; w < LAST; w++)
                assert_int_equal(got[r][agg][w], 0);
    assert_true(adl_pool_lowest(b.pool, 0) == FAR);
    for (int r = 1; r < RANKS; r++)
        adl_pool_destroy(rank[r].pool);
    bench_end(&b);
}

static void test_ranks(void **state)
{
    (void)state;
    run_ranks(8 << 20);
}

/* Fewer blocks than aggregators. */
static void test_ranks_small_pool(void **state)
{
    (void)state;
    run_ranks(SMALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_one_window),
        cmocka_unit_test(test_lowest),
        cmocka_unit_test(test_used_again),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_reserve_reading),
        cmocka_unit_test(test_last_send),
        cmocka_unit_test(test_looking_is_waiting),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_ranks_small_pool),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
