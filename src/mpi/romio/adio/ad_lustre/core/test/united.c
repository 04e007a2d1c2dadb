/* united.c - test of core/united
 *
 * Requests of random runs, which overlap, against a char for each byte of the
 * window. Then a message that is damaged, and the next one after it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../messages/message.h"
#include "../messages/united.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 2000
#define WINDOW 3000
#define ROOM 65536
#define HEAD sizeof(struct adl_message)

struct block {
    char bytes[ROOM];
    size_t size;
    char asked[WINDOW];
};

static void begin_block(struct block *b)
{
    struct adl_message head = {.call = 7, .window = 9};

    memset(b->asked, 0, sizeof(b->asked));
    memcpy(b->bytes, &head, HEAD);
    b->size = HEAD;
}

/* A request of one rank: some runs of whole units. */
static void add_request(struct rng *rng, struct block *b, int shift,
                        struct adl_pattern *pat)
{
    struct adl_part part = {.kind = ADL_PART_READ, .tag = 1};
    int64_t unit = INT64_C(1) << shift, at = rng_in(rng, 0, 20) * unit;
    const void *pattern;
    size_t size;

    adl_pattern_reset(pat);
    for (int n = (int)rng_in(rng, 1, 30); n > 0; n--) {
        int64_t len = rng_in(rng, 1, 9) * unit;

        if (at + len > WINDOW)
            break;
        assert_int_equal(adl_pattern_add(pat, at, len), 0);
        memset(b->asked + at, 1, (size_t)len);
        part.bytes += len;
        at += len + rng_in(rng, 0, 9) * unit;
    }
    assert_int_equal(adl_pattern_finish(pat, &pattern, &size), 0);
    part.pattern = (uint32_t)size;
    if (part.bytes == 0)
        return;
    adl_part_put(b->bytes + b->size, &part, pattern);
    b->size += adl_part_size(&part);
}

/* One part, which names each byte that was asked for, once. */
static void check_request(const struct block *b, uint32_t tag, int64_t bytes)
{
    struct adl_message_iter it;
    struct adl_pattern_iter runs;
    struct adl_message head;
    struct adl_part part;
    const char *pattern, *none;
    int64_t off, len, at = 0, sum = 0;

    assert_int_equal(adl_message_open(&it, b->bytes, b->size, &head), 0);
    assert_true(head.call == 7 && head.window == 9);
    assert_int_equal(adl_message_next(&it, &part, &pattern, &none), 1);
    assert_int_equal(part.kind, ADL_PART_READ);
    assert_int_equal(part.tag, tag);
    adl_pattern_open(&runs, pattern, part.pattern, WINDOW);
    while (adl_pattern_next(&runs, &off, &len) == 1) {
        for (; at < off; at++)
            assert_int_equal(b->asked[at], 0);
        for (; at < off + len; at++)
            assert_int_equal(b->asked[at], 1);
        sum += len;
    }
    assert_null(memchr(b->asked + at, 1, (size_t)(WINDOW - at)));
    assert_int_equal(part.bytes, sum);
    assert_int_equal(bytes, sum);
    assert_int_equal(adl_message_next(&it, &part, &pattern, &none), 0);
}

/* The ranks find the runs, also when the part has been sent apart. */
static void check_runs(struct block *b, int64_t bytes)
{
    struct adl_message head;
    struct adl_runs_of runs;

    memcpy(&head, b->bytes, HEAD);
    head.apart = (uint32_t)(b->size - HEAD);
    memcpy(b->bytes, &head, HEAD);
    assert_int_equal(adl_united_runs(b->bytes, b->size, WINDOW, &runs), 0);
    assert_int_equal(adl_pack_before(&runs, WINDOW), bytes);
    assert_int_equal(adl_united_runs(b->bytes, HEAD - 1, WINDOW, &runs),
                     -EPROTO);
    assert_int_equal(adl_united_runs(b->bytes, HEAD, WINDOW, &runs), -EPROTO);
}

static void test_random(void **state)
{
    struct rng rng = rng_begin();
    static struct block b;
    struct adl_united *u;
    struct adl_pattern *pat;
    int64_t bytes;

    (void)state;
    assert_int_equal(adl_united_create(WINDOW, ROOM, &u), 0);
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < CASES; i++) {
        int shift = (int)rng_in(&rng, 0, 3), parts = (int)rng_in(&rng, 1, 8);

        begin_block(&b);
        for (int k = 0; k < parts; k++)
            add_request(&rng, &b, shift, pat);
        assert_int_equal(
            adl_united_make(u, shift, 100 + i, b.bytes, &b.size, &bytes), 0);
        check_request(&b, 100 + i, bytes);
        check_runs(&b, bytes);
    }
    adl_pattern_destroy(pat);
    adl_united_destroy(u);
    adl_united_destroy(NULL);
}

/* The runs before the damage must not be part of the next request. */
static void test_damaged(void **state)
{
    struct rng rng = rng_begin();
    static struct block b;
    struct adl_united *u;
    struct adl_pattern *pat;
    int64_t bytes;

    (void)state;
    assert_int_equal(adl_united_create(WINDOW, ROOM, &u), 0);
    assert_int_equal(adl_pattern_create(&pat), 0);
    for (int i = 0; i < CASES / 10; i++) {
        begin_block(&b);
        add_request(&rng, &b, 2, pat);
        b.size += rng_in(&rng, 1, sizeof(struct adl_part) - 1);
        assert_int_equal(adl_united_make(u, 2, 1, b.bytes, &b.size, &bytes),
                         -EPROTO);
        begin_block(&b);
        add_request(&rng, &b, 2, pat);
        assert_int_equal(adl_united_make(u, 2, 1, b.bytes, &b.size, &bytes), 0);
        check_request(&b, 1, bytes);
    }
    adl_pattern_destroy(pat);
    adl_united_destroy(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_damaged),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
