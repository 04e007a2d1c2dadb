/* receive.c - test of transport/receive and reply over a false transport
 *
 * Rank 0 is an aggregator whose windows the test opens and frees itself; ranks
 * 1 and more send it whatever the test wants, wrong messages too.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../../node/test/ranks.h"
#include "../../node/test/disk.h"

#include "../../core/messages/message.h"
#include "../file/failure.h"
#include "../transport/receive.h"
#include "transport.h"

#define WINDOW 4096
#define ROOM 65536
#define CALL 7
#define STEPS 200 /* of the aggregator: more than any message takes */

static struct rng rng;

struct bench {
    struct adl_owner *owner;
    struct adl_window *window;
    struct adl_segment *seg;
    struct adl_sink *sink;
    struct adl_terms terms;
    struct adl_service service;
    struct adl_receive *in;
    struct adl_pattern *pattern;
    MPI_Comm comm;
    struct adl_wire wire;
};

/* ---- what the receiver calls and is not under test ---- */

_Noreturn void adl_failure_cannot(const char *name, const char *what, int rc)
{
    (void)name, (void)what, (void)rc;
    abort();
}

void adl_locks_begin(struct adl_locks *lm, int write)
{
    (void)lm, (void)write;
}

void adl_locks_access(struct adl_locks *lm, int write, int64_t off)
{
    (void)lm, (void)write, (void)off;
}

/* ---- the bench ---- */

static void bench_begin(struct bench *b, int write, int exact)
{
    static const int agg[] = {0};
    struct adl_segment_shape shape = {
        .nsinks = 1, .agg = agg, .window = WINDOW};
    struct adl_layout *layout;

    memset(b, 0, sizeof(*b));
    b->wire = (struct adl_wire){.comm = &b->comm, .ranks = 5};
    transport_begin(&rng, 5);
    disk_begin(DISK_SIZE);
    assert_int_equal(adl_layout_plain(WINDOW, 1, &layout), 0);
    assert_int_equal(adl_owner_create(layout, 1, &b->owner), 0);
    adl_layout_destroy(layout);
    assert_int_equal(adl_window_create(b->owner, 3 * WINDOW, &b->window), 0);
    assert_int_equal(adl_window_size(b->window), WINDOW);
    shape.depth = adl_window_depth(b->window);
    b->seg = ranks_allocate(&shape, 1);
    b->terms = (struct adl_terms){.call = CALL,
                                  .end = DISK_SIZE,
                                  .write = write,
                                  .exact = exact,
                                  .whole = !write && exact};
    b->sink = &b->seg->sink[0];
    adl_windows_begin(b->sink, &b->terms, b->window, 1);
    b->service = (struct adl_service){.seg = b->seg, .sink = b->sink};
    assert_int_equal(adl_pattern_create(&b->pattern), 0);
    assert_int_equal(adl_receive_create(&b->wire, ROOM, &b->in), 0);
    transport.me = 0;
    adl_receive_open(b->in);
    adl_receive_begin(b->in, &b->service);
    adl_windows_open(b->sink, 0);
    adl_windows_free(b->sink, 0);
}

static void bench_end(struct bench *b)
{
    transport.me = 0;
    adl_receive_destroy(b->in);
    adl_service_end(&b->service);
    adl_pattern_destroy(b->pattern);
    adl_segment_destroy(b->seg);
    adl_window_destroy(b->window);
    adl_owner_destroy(b->owner);
}

static struct adl_windows *windows_of(const struct bench *b)
{
    return b->sink->windows;
}

static void step(struct bench *b)
{
    transport.me = 0;
    for (int i = 0; i < STEPS; i++)
        adl_receive_step(b->in, 0);
}

static void free_below(struct bench *b, int64_t window)
{
    adl_windows_free(b->sink, window);
}

static char *buffer_of(const struct bench *b, int64_t window)
{
    return adl_windows_buf(b->sink, window);
}

/* ---- messages ---- */

/* Runs of 10 bytes, one every 20, from `off` on. */
static const void *runs_at(struct bench *b, int64_t off, int n, size_t *size)
{
    const void *pattern;

    adl_pattern_reset(b->pattern);
    for (int i = 0; i < n; i++)
        assert_int_equal(adl_pattern_add(b->pattern, off + 20 * i, 10), 0);
    assert_int_equal(adl_pattern_finish(b->pattern, &pattern, size), 0);
    return pattern;
}

/* A header with one part of `n` runs; what was sent of it. */
static int send_header(struct bench *b, int from, int64_t window,
                       enum adl_part_kind kind, int64_t off, int n)
{
    struct adl_message head = {.call = CALL, .window = window};
    struct adl_part part = {.kind = kind, .tag = 50, .bytes = 10 * n};
    char bytes[ADL_HEADER_MAX];
    const void *pattern;
    size_t size;
    MPI_Request request;

    pattern = runs_at(b, off, n, &size);
    part.pattern = (uint32_t)size;
    memcpy(bytes, &head, sizeof(head));
    memset(adl_part_put(bytes + sizeof(head), &part, pattern), 'd',
           kind == ADL_PART_DATA ? 10 * (size_t)n : 0);
    transport.me = from;
    PMPI_Isend(bytes, (int)(sizeof(head) + adl_part_size(&part)), MPI_BYTE, 0,
               ADL_TAG_HEADER, b->comm, &request);
    return transport.nletters - 1;
}

static int send_bytes_of(struct bench *b, int from, int n, char byte)
{
    MPI_Request request;
    char bytes[WINDOW];

    memset(bytes, byte, (size_t)n);
    transport.me = from;
    PMPI_Issend(bytes, n, MPI_BYTE, 0, 50, b->comm, &request);
    return transport.nletters - 1;
}

static void assert_runs(const char *at, int n, char byte)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10; k++)
            assert_int_equal(at[20 * i + k], byte);
}

/* ---- writing ---- */

/* Bytes stay at their sender until the window has a buffer, whatever comes
 * meanwhile; then they are in the window, and counted. */
static void test_later(void **state)
{
    struct bench b;
    int bytes, next;

    (void)state;
    for (int runs = 1; runs < 4; runs += 2) { /* one: straight into it */
        bench_begin(&b, 1, 1);
        send_header(&b, 1, 5, ADL_PART_APART, 100, runs);
        bytes = send_bytes_of(&b, 1, 10 * runs, 'x');
        step(&b);
        assert_false(transport.letter[bytes].matched);
        send_header(&b, 2, 1, ADL_PART_APART, 0, runs);
        next = send_bytes_of(&b, 2, 10 * runs, 'y');
        step(&b);
        assert_true(transport.letter[next].matched);
        assert_false(transport.letter[bytes].matched);
        assert_runs(buffer_of(&b, 1), runs, 'y');
        assert_int_equal(windows_of(&b)->moved[1], 10 * runs);
        free_below(&b, 3);
        step(&b);
        assert_true(transport.letter[bytes].matched);
        assert_runs(buffer_of(&b, 5) + 100, runs, 'x');
        assert_int_equal(windows_of(&b)->moved[5 % 3], 10 * runs);
        assert_false(adl_windows_is_held(b.sink, 5));
        assert_int_equal(b.wire.rc, 0);
        transport.me = 0;
        assert_int_equal(adl_receive_step(b.in, 1), 1);
        bench_end(&b);
    }
}

/* A call with gaps: what has come is marked. */
static void test_marked(void **state)
{
    struct adl_cover cover;
    int64_t start, len;
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 0);
    send_header(&b, 1, 0, ADL_PART_DATA, 40, 2);
    step(&b);
    assert_runs(buffer_of(&b, 0) + 40, 2, 'd');
    adl_windows_cover(b.sink, 0, &cover);
    assert_true(adl_cover_next(&cover, 0, WINDOW, &start, &len));
    assert_int_equal(start, 40);
    assert_int_equal(len, 10);
    bench_end(&b);
}

/* More headers than receives are posted, all for later windows: each is taken,
 * and one whose window has a buffer does not wait behind them. */
static void test_flood(void **state)
{
    struct bench b;
    int bytes;

    (void)state;
    bench_begin(&b, 1, 1);
    for (int i = 0; i < 500; i++)
        send_header(&b, 1 + i % 9, 4 + i % 7, ADL_PART_APART, 0, 1 + i % 3);
    send_header(&b, 10, 0, ADL_PART_APART, 0, 1);
    bytes = send_bytes_of(&b, 10, 10, 'z');
    for (int i = 0; i < 100; i++)
        step(&b);
    assert_true(transport.letter[bytes].matched);
    assert_int_equal(transport_left(), 0);
    assert_runs(buffer_of(&b, 0), 1, 'z');
    bench_end(&b);
}

/* More parts of windows at hand than there are buffers. */
static void test_buffers(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, 1, 1);
    for (int i = 0; i < 100; i++) {
        send_header(&b, 1 + i % 9, i % 3, ADL_PART_APART, 30 * i, 2);
        send_bytes_of(&b, 1 + i % 9, 20, (char)('a' + i % 9));
    }
    for (int i = 0; i < 20; i++)
        step(&b);
    assert_int_equal(transport_left(), 0);
    assert_int_equal(windows_of(&b)->moved[0] + windows_of(&b)->moved[1] +
                         windows_of(&b)->moved[2],
                     100 * 20);
    transport.me = 0;
    assert_int_equal(adl_receive_step(b.in, 1), 1);
    bench_end(&b);
}

/* All buffers wait for bytes, and before their headers came one for a later
 * window. It gets the first buffer that becomes free. */
static void test_second_look(void **state)
{
    struct bench b;
    int bytes;

    (void)state;
    bench_begin(&b, 1, 1);
    send_header(&b, 1, 4, ADL_PART_APART, 0, 2);
    bytes = send_bytes_of(&b, 1, 20, 'w');
    step(&b);
    for (int i = 0; i < 32; i++) {
        send_header(&b, 2 + i, 2, ADL_PART_APART, 30 * i, 2);
        step(&b);
    }
    free_below(&b, 2);
    step(&b);
    assert_false(transport.letter[bytes].matched);
    send_bytes_of(&b, 5, 20, 'x');
    step(&b);
    assert_true(transport.letter[bytes].matched);
    assert_runs(buffer_of(&b, 4), 2, 'w');
    bench_end(&b);
}

/* ---- what makes no sense ---- */

static void send_raw(struct bench *b, const struct adl_message *head,
                     const struct adl_part *part, size_t size)
{
    char bytes[ADL_HEADER_MAX] = {0};
    MPI_Request request;

    memcpy(bytes, head, sizeof(*head));
    memcpy(bytes + sizeof(*head), part, sizeof(*part));
    transport.me = 1;
    PMPI_Isend(bytes, (int)size, MPI_BYTE, 0, ADL_TAG_HEADER, b->comm,
               &request);
}

static void test_refused(void **state)
{
    enum { HEAD = sizeof(struct adl_message), PART = sizeof(struct adl_part) };
    static const struct {
        struct adl_message head;
        struct adl_part part;
        size_t size;
    } row[] = {
        {{CALL, 0, 0, 0}, {ADL_PART_APART, 5, 8, 0, 10}, HEAD - 1},
        {{CALL, 0, 0, 0}, {ADL_PART_APART, 5, 8, 0, 10}, HEAD},
        {{CALL - 1, 0, 0, 0}, {ADL_PART_APART, 5, 8, 0, 10}, HEAD + PART + 8},
        {{CALL, -1, 0, 0}, {ADL_PART_APART, 5, 8, 0, 10}, HEAD + PART + 8},
        {{CALL, 0, 9, 1}, {ADL_PART_APART, 5, 8, 0, 10}, HEAD + PART + 8},
        {{CALL, 0, UINT32_MAX, 1}, {0}, HEAD},
        {{CALL, 0, 0, 0}, {ADL_PART_READ, 5, 8, 0, 10}, HEAD + PART + 8},
        {{CALL, 0, 0, 0}, {ADL_PART_APART, 5, 8, 0, 1 << 30}, HEAD + PART + 8},
        {{CALL, 0, 0, 0}, {ADL_PART_DATA, 5, 8, 0, 90}, HEAD + PART + 8},
        {{CALL, 0, 0, 0}, {9, 5, 8, 0, 10}, HEAD + PART + 8},
    };
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        bench_begin(&b, 1, 1);
        send_raw(&b, &row[i].head, &row[i].part, row[i].size);
        step(&b);
        if (b.wire.rc != -EPROTO)
            fail_msg("row %zu: %d", i, b.wire.rc);
        /* and the next one is taken all the same */
        send_header(&b, 2, 0, ADL_PART_DATA, 0, 1);
        step(&b);
        assert_runs(buffer_of(&b, 0), 1, 'd');
        bench_end(&b);
    }
    /* a window that is done with */
    bench_begin(&b, 1, 1);
    free_below(&b, 3);
    send_header(&b, 1, 2, ADL_PART_DATA, 0, 1);
    step(&b);
    assert_int_equal(b.wire.rc, -EPROTO);
    bench_end(&b);
    /* runs that end outside the window */
    bench_begin(&b, 1, 1);
    send_header(&b, 1, 0, ADL_PART_DATA, WINDOW - 25, 2);
    step(&b);
    assert_int_equal(b.wire.rc, -EPROTO);
    bench_end(&b);
}

/* ---- reading ---- */

/* The answer to `request` that rank 1 has got; -1: none. */
static int reply_bytes(const char **bytes)
{
    for (int i = 0; i < transport.nletters; i++)
        if (transport.letter[i].from == 0 && transport.letter[i].tag == 50) {
            *bytes = transport.letter[i].bytes;
            return transport.letter[i].n;
        }
    return -1;
}

/* A request waits until its window is in memory; the answer ends with the file,
 * and counts as much as was asked for. */
static void test_reply(void **state)
{
    const char *bytes = NULL;
    struct bench b;

    (void)state;
    for (int runs = 1; runs < 4; runs += 2) {
        int64_t eof = runs == 1 ? DISK_SIZE : WINDOW + 125;

        bench_begin(&b, 0, 1);
        send_header(&b, 1, 1, ADL_PART_READ, 100, runs);
        step(&b);
        assert_int_equal(reply_bytes(&bytes), -1);
        memset(buffer_of(&b, 1), 'r', WINDOW);
        adl_windows_set_ready(b.sink, 2, eof);
        step(&b);
        assert_int_equal(reply_bytes(&bytes), runs == 1 ? 10 : 15);
        assert_int_equal(bytes[0], 'r');
        step(&b);
        assert_int_equal(windows_of(&b)->moved[1], 10 * runs);
        assert_false(adl_windows_is_held(b.sink, 1));
        assert_int_equal(disk.n, 0);
        bench_end(&b);
    }
}

/* Parts of windows: what is asked for before the window is read is marked; what
 * is asked for after that comes from the file. */
static void test_late(void **state)
{
    struct adl_cover cover;
    const char *bytes = NULL;
    struct bench b;

    (void)state;
    bench_begin(&b, 0, 0);
    send_header(&b, 1, 0, ADL_PART_READ, 100, 1);
    step(&b);
    adl_windows_cover(b.sink, 0, &cover);
    assert_true(adl_cover_full(&cover, 100, 10));
    assert_true(windows_of(&b)->urgent >= 1); /* no more can be asked for */
    adl_windows_close(b.sink, 1);
    memset(buffer_of(&b, 0), 'r', WINDOW);
    memset(disk.data, 'f', DISK_SIZE);
    adl_windows_set_ready(b.sink, 1, DISK_SIZE);
    step(&b);
    assert_int_equal(reply_bytes(&bytes), 10);
    assert_int_equal(bytes[0], 'r');
    transport.letter[1].tag = 51; /* that was the first */
    send_header(&b, 1, 0, ADL_PART_READ, 200, 2);
    step(&b);
    assert_int_equal(reply_bytes(&bytes), 20);
    assert_int_equal(bytes[0], 'f');
    assert_false(adl_cover_full(&cover, 200, 10));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_later),       cmocka_unit_test(test_marked),
        cmocka_unit_test(test_flood),       cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_second_look), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_reply),       cmocka_unit_test(test_late),
    };

    alarm(SECONDS_MAX);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    rng = rng_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
