/* terms.c - test of core/terms */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../coll/terms.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define CASES 3000
#define SPAN 64

/* ---- what follows from the claims of all ranks ---- */

static const struct {
    int64_t start, end, bytes, bits;
    int64_t grain;
    int write, exact, sieve;
    int shift, whole;
} cases[] = {
    {0, 4096, 4096, 4096, 4096, 1, 1, 0, 12, 0},
    {8192, 12288, 1000, 8, 4096, 1, 0, 0, 3, 0},
    /* the unit: the finest of accesses and windows, not above a page */
    {0, 4096, 4096, 3 << 20, 1 << 20, 1, 0, 0, 12, 0},
    {0, 4096, 4096, 4096, 512, 1, 0, 0, 9, 0},
    {0, 4096, 4096, 24, 4096, 1, 0, 0, 3, 0},
    {0, 4095, 4095, 4095, 4096, 1, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 1, 0, 0, 12, 0},
    /* reading whole windows: no hole, or half the span and sieving allowed */
    {0, 4096, 4096, 4096, 4096, 0, 1, 0, 12, 1},
    {0, 4096, 2048, 4096, 4096, 0, 0, 1, 12, 1},
    {0, 4096, 2047, 1, 4096, 0, 0, 1, 0, 0},
    {0, 4096, 4096, 4096, 4096, 0, 0, 0, 12, 0},
    {100, 4196, 2048, 4, 4096, 0, 0, 1, 2, 1},
    /* writing never */
    {0, 4096, 4096, 4096, 4096, 1, 1, 1, 12, 0},
    /* beyond 32 bits */
    {INT64_C(1) << 50, (INT64_C(1) << 50) + (INT64_C(1) << 40),
     INT64_C(1) << 40, INT64_C(1) << 40, 1 << 20, 1, 1, 0, 12, 0},
};

static void test_set(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof(cases) / sizeof(cases[0]); row++) {
        struct adl_claim all = {.start = cases[row].start,
                                .end = cases[row].end,
                                .bytes = cases[row].bytes,
                                .bits = cases[row].bits};
        struct adl_terms t = {.call = 17, .write = cases[row].write};

        adl_terms_set(&t, &all, cases[row].exact, cases[row].grain,
                      cases[row].sieve);
        assert_int_equal(t.call, 17);
        assert_int_equal(t.write, cases[row].write);
        assert_true(t.start == all.start && t.end == all.end &&
                    t.bytes == all.bytes && t.exact == cases[row].exact);
        if (t.shift != cases[row].shift || t.whole != cases[row].whole)
            fail_msg("row %zu: shift %d whole %d", row, t.shift, t.whole);
    }
}

/* ---- the part of a range in the span, byte by byte ---- */

static void test_part(void **state)
{
    struct rng rng = rng_begin();

    (void)state;
    for (int i = 0; i < CASES; i++) {
        int64_t base = rng_chance(&rng, 50) ? 0 : INT64_C(1) << 60;
        struct adl_terms t = {.start = base + rng_in(&rng, 0, SPAN)};
        int64_t start = base + rng_in(&rng, 0, SPAN), off = -1;
        int64_t end = start + rng_in(&rng, 0, SPAN);
        int64_t want = 0, first = -1, len;

        t.end = t.start + rng_in(&rng, 0, SPAN);
        for (int64_t b = start; b < end; b++)
            if (b >= t.start && b < t.end) {
                first = want ? first : b;
                want++;
            }
        len = adl_terms_part(&t, start, end, &off);
        if (len != want || (len && off != first))
            fail_msg("[%" PRId64 ", %" PRId64 ") in [%" PRId64 ", %" PRId64
                     "): %" PRId64 " at %" PRId64,
                     start, end, t.start, t.end, len, off);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_part),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
