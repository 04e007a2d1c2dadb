/* service.c - test of node/service: an aggregator's windows and the file
 *
 * Aggregator 0 of two serves a file in memory (disk.h) on a thread of its own.
 * Ranks of its node are threads; so are messages from other nodes. Its stripes
 * are the even ones, two a window:
 *
 *   stripe   0   1   2   3   4   5   6   7 ...
 *   window   0   -   0   -   1   -   1   -
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "ranks.h"

#include <sched.h>

#include "../../core/test/random.h"
#include "../service.h"
#include "disk.h"

#define RANKS 3
#define STRIPE 1024
#define WINDOW (2 * STRIPE)
#define END (16 * WINDOW) /* the file has eight windows of ours */
#define CALL 5

struct bench {
    struct adl_owner *owner;
    struct adl_window *window;
    struct adl_segment *seg;
    struct adl_sink *sink;
    struct adl_terms terms;
    struct adl_service service;
    pthread_t io;
    char want[DISK_SIZE];   /* the file as it should be */
    char marked[DISK_SIZE]; /* bytes that are to be moved */
    int locked;             /* a group lock was held where none may be */
};

/* ---- what the service calls and is not under test ---- */

static int announced; /* accesses that the locks were told of */

void adl_locks_begin(struct adl_locks *lm, int write)
{
    (void)lm, (void)write;
    announced = 0;
}

void adl_locks_access(struct adl_locks *lm, int write, int64_t off)
{
    (void)lm, (void)write, (void)off;
    announced++;
}

/* ---- the bench ---- */

static char byte_at(int64_t off)
{
    return (char)('a' + (off * 7 + off / 1000) % 26);
}

static void bench_begin(struct bench *b, int ranks, int many, int64_t size)
{
    static const int agg[] = {0};
    struct adl_segment_shape shape = {
        .nsinks = 1, .agg = agg, .window = WINDOW};
    struct adl_layout *layout;

    memset(b, 0, sizeof(*b));
    assert_int_equal(adl_layout_plain(STRIPE, 2, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 2, &b->owner), 0);
    adl_layout_destroy(layout);
    assert_int_equal(adl_window_create(b->owner, 4 * WINDOW, &b->window), 0);
    assert_int_equal(adl_window_size(b->window), WINDOW);
    shape.depth = adl_window_depth(b->window);
    b->seg = ranks_allocate(&shape, ranks);
    for (int r = 0; r < ranks; r++) {
        adl_mark_set(&b->seg->seat[r].mark[ADL_AT_PLACED], 0);
        adl_mark_set(&b->seg->seat[r].mark[ADL_AT_ASKED], 0);
    }
    b->terms = (struct adl_terms){
        .call = CALL, .end = END, .write = 1, .fresh = INT64_MAX};
    b->sink = &b->seg->sink[0];
    adl_windows_begin(b->sink, &b->terms, b->window, many);
    b->service =
        (struct adl_service){.seg = b->seg, .sink = b->sink, .fd_direct = -1};
    disk_begin(size);
    memcpy(b->want, disk.data, sizeof(b->want));
}

static void *serve(void *arg)
{
    struct adl_service *s = arg;

    if (!s->in_steps) {
        adl_service_run(&s->task);
        return NULL;
    }
    adl_service_begin(s);
    while (!adl_service_is_over(s))
        if (!adl_service_step(s))
            sched_yield();
    return NULL;
}

static void bench_start(struct bench *b)
{
    adl_windows_begin(b->sink, &b->terms, b->window, b->sink->many);
    pthread_create(&b->io, NULL, serve, &b->service);
}

/* The service leaves nothing behind for the next call. */
static void bench_close(struct bench *b)
{
    struct adl_windows *ws = b->sink->windows;

    assert_true(adl_windows_freed(b->sink) == ADL_WINDOW_NONE);
    for (int slot = 0; slot < b->seg->depth; slot++) {
        struct adl_cover cover;
        int64_t start, len;

        adl_windows_cover(b->sink, slot, &cover);
        assert_false(adl_cover_next(&cover, 0, WINDOW, &start, &len));
        assert_int_equal(ws->held[slot], 0);
        assert_int_equal(ws->moved[slot], 0);
    }
    adl_service_end(&b->service);
    adl_segment_destroy(b->seg);
    adl_window_destroy(b->window);
    adl_owner_destroy(b->owner);
}

/* It ends by itself. */
static void bench_end(struct bench *b)
{
    pthread_join(b->io, NULL);
    bench_close(b);
}

static int is_ours(int64_t off)
{
    return off / STRIPE % 2 == 0;
}

/* [off, off + len) is written by a rank. */
static void expect(struct bench *b, int64_t off, int64_t len)
{
    for (int64_t i = off; i < off + len; i++)
        if (is_ours(i)) {
            b->want[i] = byte_at(i);
            b->marked[i] = 1;
        }
}

static int64_t marked_bytes(const struct bench *b)
{
    int64_t sum = 0;

    for (int i = 0; i < DISK_SIZE; i++)
        sum += b->marked[i];
    return sum;
}

static void assert_file(const struct bench *b)
{
    for (int i = 0; i < DISK_SIZE; i++)
        if (disk.data[i] != b->want[i])
            fail_msg("byte %d is %d and should be %d", i, disk.data[i],
                     b->want[i]);
}

/* Only marked bytes were moved, each once. */
static void assert_once(const struct bench *b)
{
    char left[DISK_SIZE];
    int64_t sum = 0;

    memcpy(left, b->marked, sizeof(left));
    for (int i = 0; i < disk.n; i++)
        for (int64_t at = disk.list[i].off;
             at < disk.list[i].off + disk.list[i].len; at++) {
            assert_int_equal(left[at], 1);
            left[at] = 0;
            sum++;
        }
    assert_int_equal(sum, marked_bytes(b));
    assert_int_equal(announced, disk.n);
    assert_int_equal(b->service.counts.bytes, sum);
}

/* Whole stripes of ours, one after the other. */
static void assert_stripes(void)
{
    assert_int_equal(disk.n, END / STRIPE / 2);
    for (int i = 0; i < disk.n; i++) {
        assert_int_equal(disk.list[i].off, i * 2 * STRIPE);
        assert_int_equal(disk.list[i].len, STRIPE);
    }
}

/* ---- into the windows ---- */

static void await_buffer(const struct bench *b, int64_t window)
{
    while (window - adl_windows_freed(b->sink) >= b->sink->depth)
        sched_yield();
}

/* As a message does. */
static int hold(struct bench *b, int64_t window)
{
    if (b->sink->many && adl_windows_admit(b->sink, window) != ADL_NOW)
        return 0;
    adl_windows_hold(b->sink, window);
    return 1;
}

/* A stretch of one cell of ours; 0: its window is past. */
static int store(struct bench *b, const struct adl_cell *cell, int64_t off,
                 int64_t len)
{
    int64_t at = cell->buf + (off - cell->start);
    char *to = adl_windows_buf(b->sink, cell->window) + at;
    struct adl_cover cover;

    await_buffer(b, cell->window);
    if (!hold(b, cell->window))
        return 0;
    for (int64_t i = 0; i < len; i++)
        to[i] = byte_at(off + i);
    if (!b->terms.exact) {
        adl_windows_cover(b->sink, cell->window, &cover);
        adl_cover_add(&cover, at, len);
    }
    adl_windows_release(b->sink, cell->window, len);
    return 1;
}

/* Our part of [off, off + len); 0: some of it was late. */
static int put(struct bench *b, int64_t off, int64_t len)
{
    struct adl_cell cell;
    int came = 1;

    for (int64_t end = off + len; off < end; off = cell.end) {
        adl_window_locate(b->window, off, &cell);
        len = (end < cell.end ? end : cell.end) - off;
        if (cell.owner == 0)
            came &= store(b, &cell, off, len);
    }
    return came;
}

/* A rank of the node, or the messages of another node: every RANKS-th piece of
 * the call. */
struct rank {
    struct bench *b;
    int rank;
    int failed;
    pthread_t thread;
};

#define PIECE 100

static void *put_pieces(void *arg)
{
    struct rank *me = arg;
    const struct adl_terms *t = &me->b->terms;
    struct adl_mark *placed = &me->b->seg->seat[me->rank].mark[ADL_AT_PLACED];

    for (int64_t off = me->rank * PIECE; off < END; off += RANKS * PIECE) {
        int64_t from = off > t->start ? off : t->start;
        int64_t to = off + PIECE < t->end ? off + PIECE : t->end;

        if (to > from && !put(me->b, from, to - from))
            me->failed = 1;
        adl_mark_publish(placed, off + PIECE);
    }
    adl_mark_publish(placed, ADL_POS_END);
    return NULL;
}

static void run_ranks(struct bench *b, void *(*function)(void *))
{
    struct rank rank[RANKS];

    for (int r = 0; r < RANKS; r++) {
        rank[r] = (struct rank){.b = b, .rank = r};
        pthread_create(&rank[r].thread, NULL, function, &rank[r]);
    }
    for (int r = 0; r < RANKS; r++) {
        pthread_join(rank[r].thread, NULL);
        assert_false(rank[r].failed);
    }
}

/* ---- writing: when a window is complete ---- */

static void test_all_placed(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct bench b;

        bench_begin(&b, RANKS, 0, 1000);
        b.terms.exact = exact;
        expect(&b, 0, END);
        bench_start(&b);
        run_ranks(&b, put_pieces);
        bench_end(&b);
        assert_int_equal(b.service.rc, 0);
        assert_file(&b);
        assert_once(&b);
        assert_stripes();
    }
}

/* No frontier ever moves: each byte comes once, and counting is enough. */
static void test_counted(void **state)
{
    (void)state;
    for (int in_steps = 0; in_steps < 2; in_steps++) {
        struct bench b;

        bench_begin(&b, RANKS, 1, 0);
        b.service.in_steps = in_steps;
        b.terms.start = 300;
        b.terms.end = END - STRIPE - 200;
        b.terms.exact = 1;
        expect(&b, b.terms.start, b.terms.end - b.terms.start);
        bench_start(&b);
        run_ranks(&b, put_pieces);
        bench_end(&b);
        assert_int_equal(b.service.rc, 0);
        assert_file(&b);
        assert_once(&b);
        assert_int_equal(disk.n, END / STRIPE / 2);
    }
}

/* Step by step, who holds the window may be the one who steps. */
static void test_held(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 1, 0);
    b.service.in_steps = b.terms.exact = 1;
    b.terms.end = STRIPE;
    expect(&b, 0, STRIPE);
    adl_service_begin(&b.service);
    assert_true(hold(&b, 0));
    assert_true(put(&b, 0, STRIPE));
    assert_int_equal(adl_service_step(&b.service), 0);
    adl_windows_release(b.sink, 0, 0);
    assert_int_equal(adl_service_step(&b.service), 1);
    assert_true(adl_service_is_over(&b.service));
    assert_file(&b);
    bench_close(&b);
}

/* As many bytes as the window holds, but some of them twice: it is kept until
 * all ranks are past it. */
static void test_counted_twice(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 1, 0);
    b.terms.end = 2 * WINDOW - STRIPE; /* stripes 0 and 2: one window */
    expect(&b, 0, b.terms.end);
    bench_start(&b);
    assert_true(put(&b, 0, STRIPE));
    assert_true(put(&b, 0, STRIPE));
    usleep(20000); /* for who would be wrong to write now */
    assert_true(put(&b, 2 * STRIPE, STRIPE));
    adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
    bench_end(&b);
    assert_file(&b);
    assert_once(&b);
}

/* Somewhere in the stretch before `end`, at most; with holes. */
static int64_t random_piece(struct rng *rng, int64_t *off, int64_t end)
{
    int64_t len = rng_in(rng, 1, 300);

    *off += rng_in(rng, 0, 300);
    return *off + len < end ? len : end - *off;
}

/* Where bytes are not counted, a window is written when all nodes are past it,
 * and neither sooner nor later. */
static void test_frontier(void **state)
{
    struct rng rng = rng_begin();
    int64_t off = 0;
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 1, END / 2);
    bench_start(&b);
    while (off < END) {
        int64_t len = random_piece(&rng, &off, END), first;

        if (len > 0) {
            expect(&b, off, len);
            assert_true(put(&b, off, len));
            off += len;
        }
        if (!rng_chance(&rng, 30))
            continue;
        adl_node_set(b.seg, CALL, off, ADL_POS_END);
        first = adl_window_first_at(b.window, 0, off);
        while (adl_windows_freed(b.sink) < first)
            sched_yield();
        assert_int_equal(adl_windows_freed(b.sink), first);
    }
    adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
    bench_end(&b);
    assert_file(&b);
    assert_once(&b);
}

/* ---- sieving ---- */

/* One read and one write a cell with holes, both under the lock; what lies in
 * the holes stays, past the end of the file they are zeros. */
static void test_sieve(void **state)
{
    struct rng rng = rng_begin();
    int64_t last = 0;
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 0, END / 2 + 100);
    b.service.sieve = 1;
    bench_start(&b);
    for (int64_t off = 0; off < END;) {
        int64_t len = random_piece(&rng, &off, END);

        if (len <= 0)
            break;
        expect(&b, off, len);
        assert_true(put(&b, off, len));
        off += len;
        adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], off);
    }
    adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], ADL_POS_END);
    bench_end(&b);
    assert_int_equal(b.service.rc, 0);
    assert_file(&b);
    for (int i = 0; i < END; i++)
        if (b.marked[i])
            last = i + 1;
    assert_int_equal(disk.size, last > END / 2 + 100 ? last : END / 2 + 100);
    for (int i = 0; i < disk.n; i++)
        if (!disk.list[i].write) {
            assert_true(disk.list[i].locked);
            assert_true(i + 1 < disk.n && disk.list[i + 1].locked);
            assert_true(disk.list[i + 1].write);
            assert_int_equal(disk.list[i + 1].off, disk.list[i].off);
            assert_int_equal(disk.list[i + 1].len, disk.list[i].len);
        }
}

/* ---- gaps in a new part of the file ---- */

/* In a part that has no bytes yet gaps are written as zeros, in one write. */
static void test_fill(void **state)
{
    static const int64_t off[] = {10, 60, 300};
    static const struct {
        int64_t fresh;
        int writes;
    } row[] = {{0, 1}, {1, 3}, {INT64_MAX, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct bench b;

        bench_begin(&b, 1, 1, 0);
        b.terms.fresh = row[i].fresh;
        adl_service_begin(&b.service);
        for (int k = 0; k < 3; k++) {
            expect(&b, off[k], 20);
            assert_true(put(&b, off[k], 20));
        }
        adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
        while (adl_service_step(&b.service))
            ;
        assert_int_equal(disk.n, row[i].writes);
        bench_close(&b);
        assert_file(&b);
    }
}

/* ---- after an error ---- */

/* No rank waits for ever, and nothing more is written. */
static void test_write_error(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        struct bench b;

        bench_begin(&b, RANKS, many, 0);
        b.terms.exact = 1;
        disk.fail_at = 3;
        bench_start(&b);
        run_ranks(&b, put_pieces);
        bench_end(&b);
        assert_int_equal(b.service.rc, -EIO);
        assert_int_equal(b.service.rc_offset, 3 * 2 * STRIPE);
        assert_int_equal(disk.n, 4);
        assert_int_equal(b.service.counts.bytes, 3 * STRIPE);
    }
}

/* A byte in eight, the group lock given or refused. */
static void write_ragged(int refused)
{
    struct bench b;

    bench_begin(&b, 1, 0, END);
    b.terms.ragged = 1;
    b.service.gid = 7;
    disk.no_group = refused;
    bench_start(&b);
    for (int64_t off = 0; off < END; off += 8) {
        expect(&b, off, 1);
        assert_true(put(&b, off, 1));
        adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], off + 1);
    }
    adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], ADL_POS_END);
    bench_end(&b);
    assert_int_equal(b.service.rc, 0);
    assert_file(&b);
    disk.no_group = 0;
}

/* Many gaps: a read and a write a cell, all others excluded from before the
 * read until after the write. */
static void test_ragged(void **state)
{
    (void)state;
    write_ragged(0);
    assert_int_equal(disk.n, END / STRIPE); /* half of it is ours */
    for (int i = 0; i < disk.n; i++)
        assert_true(disk.list[i].locked);
    for (int i = 0; i < disk.n; i += 2) {
        assert_true(!disk.list[i].write && disk.list[i + 1].write);
        assert_int_equal(disk.list[i + 1].off, disk.list[i].off);
        assert_int_equal(disk.list[i + 1].len, disk.list[i].len);
    }
    assert_int_equal(disk.lock_end, 0);
}

static void put_ragged(struct bench *b, int64_t from, int64_t to)
{
    for (int64_t off = from; off < to; off += 8) {
        expect(b, off, 1);
        assert_true(put(b, off, 1));
    }
}

/* Windows that are complete at a time have one group lock; the aggregator does
 * not keep it when it must wait for a window. */
static void test_ragged_together(void **state)
{
    struct bench b;
    struct adl_mark *placed;

    (void)state;
    bench_begin(&b, 1, 0, END);
    placed = &b.seg->seat[0].mark[ADL_AT_PLACED];
    b.terms.ragged = 1;
    b.service.gid = 7;
    adl_service_begin(&b.service);
    put_ragged(&b, 0, 2 * WINDOW);
    adl_mark_publish(placed, 2 * WINDOW);
    assert_int_equal(adl_service_step(&b.service), 1);
    assert_int_equal(disk.groups, 1);
    assert_int_equal(disk.lock_end, 0);
    put_ragged(&b, 2 * WINDOW, 6 * WINDOW);
    adl_mark_publish(placed, ADL_POS_END);
    while (adl_service_step(&b.service))
        ;
    assert_int_equal(disk.n, 2 * 6);
    assert_int_equal(disk.groups, 2);
    assert_int_equal(disk.lock_end, 0);
    bench_close(&b);
    assert_file(&b);
}

/* A message: lets go of window 1 when the aggregator waits for it. */
static void *release_late(void *arg)
{
    struct bench *b = arg;

    while (!__atomic_load_n(&b->sink->windows->awaited, __ATOMIC_SEQ_CST) ||
           !adl_windows_freed(b->sink))
        sched_yield();
    pthread_mutex_lock(&disk.mutex);
    b->locked = disk.lock_end > 0;
    pthread_mutex_unlock(&disk.mutex);
    adl_windows_release(b->sink, 1, 1);
    return NULL;
}

/* The rank that receives the message may wait for a reader of the file. */
static void test_ragged_held(void **state)
{
    struct bench b;
    pthread_t message;

    (void)state;
    bench_begin(&b, 1, 1, END);
    b.terms.ragged = 1;
    b.service.gid = 7;
    adl_service_begin(&b.service);
    put_ragged(&b, 0, 4 * WINDOW);
    assert_true(hold(&b, 1));
    pthread_create(&message, NULL, release_late, &b);
    adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
    while (adl_service_step(&b.service))
        ;
    pthread_join(message, NULL);
    assert_false(b.locked);
    assert_int_equal(disk.groups, 2);
    assert_int_equal(disk.lock_end, 0);
    bench_close(&b);
    assert_file(&b);
}

/* No such lock: run by run, nothing is read. */
static void test_ragged_refused(void **state)
{
    (void)state;
    write_ragged(1);
    assert_int_equal(disk.n, END / 8 / 2);
    for (int i = 0; i < disk.n; i++)
        assert_true(disk.list[i].write && disk.list[i].len == 1);
}

/* The read of a sieve fails: the window is not written. */
static void test_sieve_error(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 0, END);
    b.service.sieve = 1;
    disk.fail_at = 0;
    bench_start(&b);
    for (int64_t off = 10; off < END; off += STRIPE / 2) {
        assert_true(put(&b, off, 20));
        adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], off + 20);
    }
    adl_mark_publish(&b.seg->seat[0].mark[ADL_AT_PLACED], ADL_POS_END);
    bench_end(&b);
    assert_int_equal(b.service.rc, -EIO);
    assert_int_equal(b.service.rc_offset, 10);
    assert_int_equal(disk.n, 1);
    assert_file(&b);
    assert_int_equal(disk.lock_end, 0);
}

/* ---- reading ---- */

/* A file of `size` bytes that are all different from what buffers start with.
 */
static void begin_read(struct bench *b, int ranks, int many, int64_t size)
{
    bench_begin(b, ranks, many, size);
    for (int64_t i = 0; i < size; i++)
        b->want[i] = disk.data[i] = byte_at(i);
    b->terms.write = 0;
}

static void await_ready(const struct bench *b, int64_t window)
{
    while (adl_windows_ready(b->sink) <= window)
        sched_yield();
}

/* Are the bytes there that lie before the end of the file? */
static int compare(const struct bench *b, const struct adl_cell *cell,
                   int64_t off, int64_t len)
{
    const char *from = adl_windows_buf(b->sink, cell->window) + cell->buf +
                       (off - cell->start);
    int64_t eof = __atomic_load_n(&b->sink->windows->eof, __ATOMIC_SEQ_CST);

    if (eof < INT64_MAX && off + len > eof)
        len = eof > off ? eof - off : 0;
    return len == 0 || memcmp(from, b->want + off, (size_t)len) == 0;
}

/* Our part of [off, off + len), which does not cross a stripe. */
static int take(struct bench *b, int64_t off, int64_t len)
{
    struct adl_cell cell;
    int right;

    adl_window_locate(b->window, off, &cell);
    if (cell.owner != 0)
        return 1;
    await_ready(b, cell.window);
    if (!hold(b, cell.window))
        return 0;
    right = compare(b, &cell, off, len);
    adl_windows_release(b->sink, cell.window, len);
    return right;
}

/* Want it; 0: not now, the window has no buffer, or is read already. */
static int ask(struct bench *b, int64_t off, int64_t len)
{
    struct adl_cover cover;
    struct adl_cell cell;

    adl_window_locate(b->window, off, &cell);
    if (cell.owner != 0)
        return 1;
    if (cell.window - adl_windows_freed(b->sink) >= b->sink->depth)
        return 0;
    if (!adl_windows_hold_open(b->sink, cell.window))
        return 0;
    adl_windows_cover(b->sink, cell.window, &cover);
    adl_cover_add(&cover, cell.buf + (off - cell.start), len);
    adl_windows_release(b->sink, cell.window, 0);
    return 1;
}

#define WANTED 64 /* bytes of every 128, and those are dealt to the ranks */

/* Ask for as much as has a buffer, and for the piece at `need` in any case. */
static int64_t ask_ahead(struct rank *me, int64_t at, int64_t need)
{
    struct adl_mark *mark = &me->b->seg->seat[me->rank].mark[ADL_AT_ASKED];

    while (at < END) {
        if (ask(me->b, at, WANTED))
            at += 2 * WANTED * RANKS;
        else if (at > need)
            break;
        else
            sched_yield();
        adl_mark_publish(mark, at < END ? at : ADL_POS_END);
    }
    return at;
}

static void *take_pieces(void *arg)
{
    struct rank *me = arg;
    struct adl_mark *placed = &me->b->seg->seat[me->rank].mark[ADL_AT_PLACED];
    int64_t asked = me->rank * 2 * WANTED;

    for (int64_t off = asked; off < END; off += 2 * WANTED * RANKS) {
        if (!me->b->terms.whole)
            asked = ask_ahead(me, asked, off);
        if (!take(me->b, off, WANTED))
            me->failed = 1;
        adl_mark_publish(placed, off + WANTED);
    }
    adl_mark_publish(placed, ADL_POS_END);
    return NULL;
}

static void test_read_whole(void **state)
{
    struct bench b;

    (void)state;
    begin_read(&b, RANKS, 0, END);
    b.terms.whole = 1;
    bench_start(&b);
    run_ranks(&b, take_pieces);
    bench_end(&b);
    assert_int_equal(b.service.rc, 0);
    assert_true(b.service.eof == INT64_MAX);
    assert_int_equal(b.service.counts.bytes, END / 2);
    assert_stripes();
}

/* Nothing is read behind the end, which readers learn. */
static void test_read_eof(void **state)
{
    const int64_t size = 5 * WINDOW + 300;
    struct bench b;

    (void)state;
    begin_read(&b, RANKS, 0, size);
    b.terms.whole = 1;
    bench_start(&b);
    run_ranks(&b, take_pieces);
    assert_int_equal(b.sink->windows->eof, size);
    bench_end(&b);
    assert_int_equal(b.service.rc, 0);
    assert_int_equal(b.service.eof, size);
    assert_int_equal(disk.n, 6);
    assert_int_equal(b.service.counts.bytes, 5 * STRIPE + 300);
}

static void test_read_parts(void **state)
{
    struct bench b;

    (void)state;
    begin_read(&b, RANKS, 0, END);
    for (int64_t off = 0; off < END; off += 2 * WANTED)
        memset(b.marked + off, is_ours(off), WANTED);
    bench_start(&b);
    run_ranks(&b, take_pieces);
    bench_end(&b);
    assert_once(&b);
    assert_int_equal(disk.n, END / 2 / (2 * WANTED));
}

/* Short gaps are read as well: one read a stripe. */
static void test_read_through_gaps(void **state)
{
    struct bench b;

    (void)state;
    begin_read(&b, RANKS, 0, END);
    b.service.sieve = 1;
    bench_start(&b);
    run_ranks(&b, take_pieces);
    bench_end(&b);
    assert_int_equal(disk.n, END / STRIPE / 2);
    for (int i = 0; i < disk.n; i++)
        assert_int_equal(disk.list[i].len, STRIPE - WANTED);
}

/* Ranks elsewhere: every byte is taken once, counting frees the windows. */
static void *take_all(void *arg)
{
    struct rank *me = arg;

    for (int64_t off = me->rank * WANTED; off < END; off += RANKS * WANTED)
        if (!take(me->b, off, WANTED))
            me->failed = 1;
    return NULL;
}

static void test_read_counted(void **state)
{
    (void)state;
    for (int in_steps = 0; in_steps < 2; in_steps++) {
        struct bench b;

        begin_read(&b, RANKS, 1, END);
        b.service.in_steps = in_steps;
        b.terms.whole = b.terms.exact = 1;
        bench_start(&b);
        run_ranks(&b, take_all);
        bench_end(&b);
        assert_int_equal(b.service.rc, 0);
        assert_stripes();
    }
}

/* A rank cannot send more requests and waits: the window is read with the
 * requests that have come, and takes no more; the next one does. The frontier
 * frees. */
static void test_read_hurry(void **state)
{
    struct bench b;

    (void)state;
    begin_read(&b, 1, 1, END);
    bench_start(&b);
    while (__atomic_load_n(&b.sink->windows->call, __ATOMIC_SEQ_CST) != CALL)
        sched_yield();
    assert_true(ask(&b, 100, 50));
    adl_windows_hurry(b.sink, 1);
    assert_true(take(&b, 100, 50));
    assert_false(ask(&b, 200, 50));
    assert_true(ask(&b, 4 * STRIPE, 70));
    adl_node_set(b.seg, CALL, 0, 8 * STRIPE);
    assert_true(take(&b, 4 * STRIPE, 70));
    assert_int_equal(adl_windows_freed(b.sink), 0);
    adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
    bench_end(&b);
    memset(b.marked + 100, 1, 50);
    memset(b.marked + 4 * STRIPE, 1, 70);
    assert_once(&b);
}

/* Readers go through to the end; nothing more is read. */
static void *pass_by(void *arg)
{
    struct rank *me = arg;
    struct adl_seat *seat = &me->b->seg->seat[me->rank];

    adl_mark_publish(&seat->mark[ADL_AT_ASKED], ADL_POS_END);
    for (int64_t w = 0; w < END / WINDOW / 2; w++) {
        await_ready(me->b, w);
        adl_mark_publish(&seat->mark[ADL_AT_PLACED], (w + 1) * 2 * WINDOW);
    }
    adl_mark_publish(&seat->mark[ADL_AT_PLACED], ADL_POS_END);
    return NULL;
}

static void test_read_error(void **state)
{
    struct bench b;

    (void)state;
    begin_read(&b, RANKS, 0, END);
    b.terms.whole = 1;
    disk.fail_at = 3;
    bench_start(&b);
    run_ranks(&b, pass_by);
    bench_end(&b);
    assert_int_equal(b.service.rc, -EIO);
    assert_int_equal(b.service.rc_offset, 3 * 2 * STRIPE);
    assert_int_equal(disk.n, 4);
}

/* ---- asked for after the window was read ---- */

/* A pattern of one run of the window, as it comes in a message. */
static struct adl_runs_of one_run(struct adl_pattern *pat, int64_t off,
                                  int64_t len)
{
    struct adl_runs_of runs = {.window = WINDOW};

    adl_pattern_reset(pat);
    assert_int_equal(adl_pattern_add(pat, off, len), 0);
    assert_int_equal(adl_pattern_finish(pat, &runs.pattern, &runs.size), 0);
    return runs;
}

/* Read them, and pack `n` bytes. Returns where the file ends. */
static int64_t read_late(struct bench *b, const struct adl_runs_of *runs,
                         char *packed, int64_t n)
{
    const char *window;
    int64_t eof;

    assert_int_equal(adl_service_read_late(&b->service, 0, runs, &window, &eof),
                     0);
    assert_int_equal(adl_pack_gather(runs, window, packed, n), 0);
    return eof;
}

/* Runs with short gaps between them are one read, up to the end of
 * their cell; the file may end between them. */
static void test_late_gaps(void **state)
{
    static const int64_t off[] = {10, 50, WINDOW - 5};
    static const struct {
        int sieve;
        int64_t size; /* of the file */
        int reads;
        int64_t bytes;
    } row[] = {
        {1, END, 2, 45}, {0, END, 3, 45}, {1, 60, 1, 30}, {0, 60, 2, 30}};

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct adl_runs_of runs = {.window = WINDOW};
        char packed[64] = {0}, want[64];
        struct adl_pattern *pat;
        struct bench b;
        int64_t eof, n = 0;

        begin_read(&b, 1, 1, row[i].size);
        b.service.sieve = row[i].sieve;
        assert_int_equal(adl_pattern_create(&pat), 0);
        for (int k = 0; k < 3; k++) {
            int64_t len = k == 2 ? 5 : 20;

            adl_pattern_add(pat, off[k], len);
            for (int64_t at = off[k]; at < off[k] + len; at++)
                want[n++] = byte_at(at < STRIPE ? at : at + STRIPE);
        }
        assert_int_equal(adl_pattern_finish(pat, &runs.pattern, &runs.size), 0);
        eof = read_late(&b, &runs, packed, n);
        assert_true(eof == (row[i].size == END ? INT64_MAX : row[i].size));
        assert_memory_equal(packed, want, (size_t)row[i].bytes);
        assert_int_equal(disk.n, row[i].reads);
        adl_pattern_destroy(pat);
        adl_service_end(&b.service);
        adl_segment_destroy(b.seg);
        adl_window_destroy(b.window);
        adl_owner_destroy(b.owner);
    }
}

/* A run over the border of two cells comes from both stripes, and ends with the
 * file; one that ends outside the window comes from nowhere. */
static void test_late(void **state)
{
    struct adl_runs_of runs;
    struct adl_pattern *pat;
    char bytes[200], want[200];
    const char *window;
    int64_t eof;
    struct bench b;

    (void)state;
    begin_read(&b, 1, 1, END);
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < 200; i++)
        want[i] = byte_at(i < 100 ? STRIPE - 100 + i : 2 * STRIPE + i - 100);
    runs = one_run(pat, STRIPE - 100, 200);
    assert_true(read_late(&b, &runs, bytes, 200) == INT64_MAX);
    assert_memory_equal(bytes, want, 200);
    disk.size = 2 * STRIPE + 30;
    assert_int_equal(read_late(&b, &runs, bytes, 200), disk.size);
    assert_memory_equal(bytes, want, 130);
    runs = one_run(pat, WINDOW - 10, 20);
    disk.n = 0;
    assert_int_equal(adl_service_read_late(&b.service, 0, &runs, &window, &eof),
                     -EPROTO);
    assert_int_equal(disk.n, 0);
    adl_pattern_destroy(pat);
    bench_start(&b); /* with nothing to do */
    adl_node_set(b.seg, CALL, ADL_POS_END, ADL_POS_END);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_placed),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_counted_twice),
        cmocka_unit_test(test_frontier),
        cmocka_unit_test(test_sieve),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_write_error),
        cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_ragged_together),
        cmocka_unit_test(test_ragged_held),
        cmocka_unit_test(test_ragged_refused),
        cmocka_unit_test(test_sieve_error),
        cmocka_unit_test(test_read_whole),
        cmocka_unit_test(test_read_eof),
        cmocka_unit_test(test_read_parts),
        cmocka_unit_test(test_read_through_gaps),
        cmocka_unit_test(test_read_counted),
        cmocka_unit_test(test_read_hurry),
        cmocka_unit_test(test_read_error),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_late_gaps),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
