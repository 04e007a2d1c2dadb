/* message.c - test of core/message
 *
 * A table of parts and of damage, then random messages that must come back as
 * they were, then the same with bytes changed or cut off: whatever comes, the
 * decoder stays inside the message, and once broken it stays broken.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../messages/message.h"
#include "random.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 3000
#define PARTS 6
#define DAMAGES 20

#define HEAD sizeof(struct adl_message)
#define PART sizeof(struct adl_part)

/* ---- sizes ---- */

static const struct {
    struct adl_part part;
    size_t want; /* in a message */
} sizes[] = {
    {{ADL_PART_DATA, 0, 1, 0, 1}, PART + 8},
    {{ADL_PART_DATA, 0, 7, 0, 1}, PART + 8},
    {{ADL_PART_DATA, 0, 8, 0, 1}, PART + 16},
    {{ADL_PART_DATA, 0, 3, 0, 1 << 20}, PART + 8 + (1 << 20)},
    /* no bytes of these travel with it */
    {{ADL_PART_APART, 9, 8, 0, 1 << 20}, PART + 8},
    {{ADL_PART_READ, 9, 9, 0, INT64_C(1) << 40}, PART + 16},
};

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(HEAD % 8, 0);
    assert_int_equal(PART % 8, 0);
    for (size_t row = 0; row < sizeof(sizes) / sizeof(sizes[0]); row++)
        if (adl_part_size(&sizes[row].part) != sizes[row].want)
            fail_msg("row %zu: %zu", row, adl_part_size(&sizes[row].part));
}

/* ---- a message whose only part is not right ---- */

static const struct {
    struct adl_part part;
    size_t behind; /* bytes after the part's head */
    int want;
} parts[] = {
    {{ADL_PART_DATA, 0, 4, 0, 4}, 8, 1},
    /* the last part's padding need not have come */
    {{ADL_PART_DATA, 0, 3, 0, 2}, 5, 1},
    {{ADL_PART_DATA, 0, 3, 0, 2}, 4, -EPROTO},
    {{ADL_PART_APART, 7, 8, 0, 1 << 20}, 8, 1},
    {{ADL_PART_APART, 7, 9, 0, 1 << 20}, 8, -EPROTO},
    {{ADL_PART_READ, 7, 8, 0, INT64_C(1) << 40}, 8, 1},
    {{ADL_PART_READ, 7, 8, 0, (INT64_C(1) << 40) + 1}, 8, -EPROTO},
    {{0, 0, 4, 0, 4}, 8, -EPROTO},
    {{ADL_PART_READ + 1, 0, 4, 0, 4}, 8, -EPROTO},
    {{UINT32_MAX, 0, 4, 0, 4}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 0, 0, 8}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, UINT32_MAX, 0, 4}, 8, -EPROTO},
    {{ADL_PART_READ, 0, UINT32_MAX, 0, 4}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 8, 0, 0}, 8, -EPROTO},
    {{ADL_PART_READ, 0, 8, 0, 0}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 4, 0, -4}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 4, 0, INT64_MIN}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 4, 0, INT64_MAX}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 4, 0, INT64_C(1) << 40}, 8, -EPROTO},
    {{ADL_PART_DATA, 0, 8, 0, -(int64_t)PART}, 8, -EPROTO},
};

/* Exactly `size` bytes, so that a sanitizer sees any look behind them. */
static char *exact(size_t size)
{
    char *bytes = calloc(1, size ? size : 1);

    assert_non_null(bytes);
    return bytes;
}

static void test_parts(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(parts) / sizeof(parts[0]); row++) {
        size_t size = HEAD + PART + parts[row].behind;
        struct adl_message head = {.call = 3, .window = 5};
        struct adl_message_iter it;
        const char *pattern, *bytes;
        char *msg = exact(size);
        struct adl_part part;
        int rc;

        memcpy(msg, &head, HEAD);
        memcpy(msg + HEAD, &parts[row].part, PART);
        assert_int_equal(adl_message_open(&it, msg, size, &head), 0);
        rc = adl_message_next(&it, &part, &pattern, &bytes);
        if (rc != parts[row].want)
            fail_msg("row %zu: %d", row, rc);
        if (rc == 1)
            assert_ptr_equal(pattern, msg + HEAD + PART);
        rc = adl_message_next(&it, &part, &pattern, &bytes);
        assert_int_equal(rc, parts[row].want == 1 ? 0 : -EPROTO);
        free(msg);
    }
}

static void test_heads(void **state)
{
    struct adl_message head = {.call = 41, .window = INT64_C(1) << 50},
                       got = {0};
    char msg[sizeof(head) + sizeof(struct adl_part)] = {0};
    struct adl_message_iter it;
    const char *pattern, *bytes;
    struct adl_part part;

    (void)state;
    memcpy(msg, &head, HEAD);
    for (size_t size = 0; size < HEAD; size++) {
        assert_int_equal(adl_message_open(&it, msg, size, &got), -EPROTO);
        assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes),
                         -EPROTO);
    }
    assert_int_equal(adl_message_open(&it, msg, HEAD, &got), 0);
    assert_memory_equal(&got, &head, HEAD);
    assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes), 0);
    assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes), 0);
    for (size_t more = 1; more < PART; more++) {
        assert_int_equal(adl_message_open(&it, msg, HEAD + more, &got), 0);
        assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes),
                         -EPROTO);
    }
    /* parts that come apart are not here as well */
    head.apart = 100;
    memcpy(msg, &head, HEAD);
    assert_int_equal(adl_message_open(&it, msg, HEAD, &got), 0);
    assert_int_equal(got.apart, 100);
    assert_int_equal(adl_message_open(&it, msg, HEAD + 1, &got), -EPROTO);
}

/* ---- there and back ---- */

struct sent {
    struct adl_part part;
    char pattern[40];
    char bytes[300];
};

struct letter {
    struct adl_message head;
    struct sent sent[PARTS];
    int n;
    char *msg;
    size_t size;
};

static void fill(struct rng *rng, char *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = (char)rng_next(rng);
}

static void pick_part(struct rng *rng, struct sent *s)
{
    int kind = (int)rng_in(rng, ADL_PART_DATA, ADL_PART_READ);

    s->part = (struct adl_part){
        .kind = (uint32_t)kind,
        .tag = kind == ADL_PART_DATA ? 0 : (uint32_t)rng_in(rng, 0, 32767),
        .pattern = (uint32_t)rng_in(rng, 1, sizeof(s->pattern)),
        .bytes = rng_in(rng, 1, sizeof(s->bytes))};
    fill(rng, s->pattern, s->part.pattern);
    fill(rng, s->bytes, s->part.bytes);
}

static void write_letter(struct rng *rng, struct letter *l)
{
    char *at;

    l->head = (struct adl_message){.call = rng_in(rng, 0, INT64_MAX - 1),
                                   .window = rng_in(rng, 0, INT64_MAX - 1)};
    l->n = (int)rng_in(rng, 0, PARTS);
    l->size = HEAD;
    for (int i = 0; i < l->n; i++) {
        pick_part(rng, &l->sent[i]);
        l->size += adl_part_size(&l->sent[i].part);
    }
    l->msg = exact(l->size);
    memcpy(l->msg, &l->head, HEAD);
    at = l->msg + HEAD;
    for (int i = 0; i < l->n; i++) {
        const struct sent *s = &l->sent[i];
        char *bytes = adl_part_put(at, &s->part, s->pattern);

        assert_ptr_equal(bytes, at + PART + s->part.pattern);
        if (s->part.kind == ADL_PART_DATA)
            memcpy(bytes, s->bytes, (size_t)s->part.bytes);
        at += adl_part_size(&s->part);
    }
}

static void read_letter(const struct letter *l)
{
    struct adl_message_iter it;
    struct adl_message head;
    const char *pattern, *bytes;
    struct adl_part part;

    assert_int_equal(adl_message_open(&it, l->msg, l->size, &head), 0);
    assert_memory_equal(&head, &l->head, HEAD);
    for (int i = 0; i < l->n; i++) {
        const struct sent *s = &l->sent[i];

        assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes), 1);
        assert_memory_equal(&part, &s->part, PART);
        assert_memory_equal(pattern, s->pattern, part.pattern);
        if (part.kind == ADL_PART_DATA)
            assert_memory_equal(bytes, s->bytes, (size_t)part.bytes);
    }
    assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes), 0);
}

static void test_random(void **state)
{
    struct rng rng = rng_begin();

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct letter l;

        write_letter(&rng, &l);
        read_letter(&l);
        free(l.msg);
    }
}

/* ---- damaged on its way ---- */

/* Sum of bytes, so that each is really looked at. */
static unsigned touch(const char *from, int64_t n)
{
    unsigned sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (unsigned char)from[i];
    return sum;
}

/* Everything that is decoded lies in the message, one after the other. */
static unsigned decode(const char *msg, size_t size)
{
    const char *pattern, *bytes, *last = msg + HEAD;
    struct adl_message head = {0};
    struct adl_message_iter it;
    struct adl_part part;
    unsigned sum = 0;
    int rc = adl_message_open(&it, msg, size, &head);

    if (rc < 0)
        assert_true(size < HEAD || head.apart > 0);
    while (rc >= 0 &&
           (rc = adl_message_next(&it, &part, &pattern, &bytes)) == 1) {
        int64_t n = part.kind == ADL_PART_DATA ? part.bytes : 0;

        assert_ptr_equal(pattern, last + PART);
        assert_ptr_equal(bytes, pattern + part.pattern);
        assert_true(part.pattern > 0 && part.bytes > 0);
        assert_true(n <= msg + size - bytes);
        sum += touch(pattern, part.pattern) + touch(bytes, n);
        last += adl_part_size(&part);
    }
    assert_true(rc == 0 || rc == -EPROTO);
    assert_int_equal(adl_message_next(&it, &part, &pattern, &bytes), rc);
    return sum;
}

/* Numbers that hurt more often than a random byte does. */
static void damage(struct rng *rng, char *msg, size_t size)
{
    static const int64_t bad[] = {0,         -1,        1,
                                  INT64_MAX, INT64_MIN, INT64_C(1) << 40,
                                  INT32_MAX, UINT32_MAX};
    size_t at = (size_t)rng_in(rng, 0, (int64_t)size - 1);
    size_t n = rng_chance(rng, 50) ? 8 : 4;

    if (rng_chance(rng, 40)) {
        msg[at] = (char)rng_next(rng);
        return;
    }
    at -= at % 4;
    n = n < size - at ? n : size - at;
    memcpy(msg + at, &bad[rng_in(rng, 0, 7)], n);
}

static void test_damage(void **state)
{
    struct rng rng = rng_begin();
    unsigned sum = 0;

    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct letter l;

        write_letter(&rng, &l);
        for (int k = 0; k < DAMAGES; k++) {
            size_t size = rng_chance(&rng, 50)
                              ? l.size
                              : (size_t)rng_in(&rng, 0, (int64_t)l.size);
            char *msg = exact(size);

            memcpy(msg, l.msg, size);
            for (int n = (int)rng_in(&rng, 0, 3); size > 0 && n > 0; n--)
                damage(&rng, msg, size);
            sum += decode(msg, size);
            free(msg);
        }
        free(l.msg);
    }
    printf("# %d messages, bytes sum up to %u\n", CASES * DAMAGES, sum);
}

/* The headers that all ranks together send to one aggregator stay few. */
static void test_direct_most(void **state)
{
    static const struct {
        int ranks, most;
    } rows[] = {{0, 32},    {1, 32},    {2048, 32},  {4096, 16},
                {16384, 4}, {65536, 2}, {100000, 2}, {1 << 30, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(adl_direct_most(rows[i].ranks), rows[i].most);
    for (int64_t ranks = 1; ranks <= 100000; ranks++)
        assert_true(ranks * adl_direct_most((int)ranks) <= 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_heads),
        cmocka_unit_test(test_parts),  cmocka_unit_test(test_random),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_direct_most),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
