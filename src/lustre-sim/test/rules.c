/* rules.c - how extent locks grow and conflict, as tables */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "world.h"

#include "../rules.h"

#define EOFL LSIM_RULE_EOF
#define PR LSIM_RULE_PR
#define PW LSIM_RULE_PW
#define GR LSIM_RULE_GROUP

static void test_pages(void **state)
{
    static const struct {
        uint64_t start, end, want_start, want_end;
    } cases[] = {
        {0, 1, 0, 4096},    {4095, 4097, 0, 8192},  {4096, 8192, 4096, 8192},
        {1, EOFL, 0, EOFL}, {0, EOFL - 1, 0, EOFL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t start = cases[i].start, end = cases[i].end;

        lsim_rule_pages(&start, &end);
        assert_int_equal(start, cases[i].want_start);
        assert_int_equal(end, cases[i].want_end);
    }
}

static void test_conflict(void **state)
{
    static const struct {
        struct lsim_rule_lock want, held;
        int conflict;
    } cases[] = {
        {{PR, 0, 0, 0, 1}, {PR, 1, 0, 0, 1}, 0},
        {{PR, 0, 0, 0, 1}, {PW, 1, 0, 0, 1}, 1},
        {{PW, 0, 0, 0, 1}, {PR, 1, 0, 0, 1}, 1},
        {{PW, 0, 0, 0, 1}, {PW, 1, 0, 0, 1}, 1},
        {{PW, 0, 0, 0, 1}, {PW, 0, 0, 0, 1}, 0},
        {{PR, 0, 0, 0, 1}, {PW, 0, 0, 0, 1}, 0},
        {{PW, 0, 0, 0, 1}, {PR, 0, 0, 0, 1}, 1}, /* its own, too */
        {{GR, 0, 5, 0, 1}, {GR, 1, 5, 0, 1}, 0},
        {{GR, 0, 5, 0, 1}, {GR, 1, 6, 0, 1}, 1},
        {{GR, 0, 5, 0, 1}, {GR, 0, 6, 0, 1}, 1},
        {{PR, 0, 0, 0, 1}, {GR, 0, 5, 0, 1}, 1},
        {{GR, 0, 5, 0, 1}, {PR, 0, 0, 0, 1}, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (lsim_rule_conflict(&cases[i].want, &cases[i].held) !=
            cases[i].conflict)
            fail_msg("case %zu", i);
}

static void test_blocks(void **state)
{
    struct lsim_rule_lock want = {PW, 0, 0, 4096, 8192};
    struct lsim_rule_lock below = {PW, 1, 0, 0, 4096};
    struct lsim_rule_lock above = {PW, 1, 0, 8192, EOFL};
    struct lsim_rule_lock over = {PW, 1, 0, 8191, EOFL};

    (void)state;
    assert_false(lsim_rule_blocks(&want, &below));
    assert_false(lsim_rule_blocks(&want, &above));
    assert_true(lsim_rule_blocks(&want, &over));
}

static void test_covers(void **state)
{
    struct lsim_rule_lock pw = {PW, 0, 0, 4096, 8192};
    struct lsim_rule_lock pr = {PR, 0, 0, 4096, 8192};
    struct lsim_rule_lock more = {PR, 0, 0, 4096, 8193};

    (void)state;
    assert_true(lsim_rule_covers(&pw, &pw));
    assert_true(lsim_rule_covers(&pw, &pr));
    assert_false(lsim_rule_covers(&pr, &pw));
    assert_false(lsim_rule_covers(&pw, &more));
}

/* The request against n conflicting locks of 64 KiB every 128 KiB from
 * `from`, held or waiting, and perhaps one more at `next`. */
struct growth_case {
    const char *name;
    enum lsim_rule_mode mode;
    uint64_t start, end;
    unsigned held, waiting;
    uint64_t from, next;
    uint64_t want_start, want_end;
};

static void grow(const struct growth_case *t, uint64_t *start, uint64_t *end)
{
    struct lsim_rule_lock want = {t->mode, 0, 0, t->start, t->end};
    struct lsim_rule_lock other = {PW, 1, 0, t->from, t->from + 64 * KIB};
    struct lsim_rule_lock next = {PW, 2, 0, t->next, t->next + 64 * KIB};
    struct lsim_growth g;

    lsim_growth_begin(&g, &want);
    for (unsigned i = 0; i < t->held + t->waiting; i++) {
        if (i < t->held)
            lsim_growth_held(&g, &other);
        else
            lsim_growth_waiting(&g, &other);
        other.start += 128 * KIB;
        other.end += 128 * KIB;
    }
    if (t->next)
        lsim_growth_held(&g, &next);
    lsim_growth_end(&g, start, end);
}

static void test_growth(void **state)
{
    static const struct growth_case cases[] = {
        {"rule 1: alone", PW, 64 * MIB, 65 * MIB, 0, 0, 0, 0, 0, EOFL},
        {"rule 1: alone, odd pages", PW, 4096, 8192, 0, 0, 0, 0, 0, EOFL},
        {"rule 3: locks below", PW, 64 * MIB, 64 * MIB + 4096, 3, 0, 0, 0,
         64 * MIB, EOFL},
        {"rule 3: a lock above", PW, MIB, MIB + 4096, 1, 0, 64 * MIB, 0, MIB,
         64 * MIB},
        {"rule 3: alignment of the request", PW, MIB, 2 * MIB, 0, 0, 0,
         2 * MIB + 64 * KIB, MIB, 2 * MIB},
        {"rule 3: of a page", PW, MIB + 4096, MIB + 8192, 0, 0, 0,
         2 * MIB + 64 * KIB, MIB + 4096, 2 * MIB + 64 * KIB},
        {"rule 4: 32 locks", PW, 64 * MIB, 64 * MIB + 4096, 32, 0, 0, 0,
         64 * MIB, EOFL},
        {"rule 4: 33 locks", PW, 64 * MIB, 64 * MIB + 4096, 33, 0, 0, 0,
         64 * MIB, 96 * MIB},
        {"rule 4: readers are not bounded", PR, 128 * MIB, 128 * MIB + 4096, 34,
         0, 0, 0, 128 * MIB, EOFL},
        {"rule 4: a larger request", PW, 64 * MIB, 128 * MIB, 33, 0, 0, 0,
         64 * MIB, EOFL},
        {"rule 9: a waiter below", PW, 192 * KIB, 256 * KIB, 0, 1, 64 * KIB, 0,
         128 * KIB, EOFL},
        {"rule 9: a waiter above", PW, 0, 64 * KIB, 0, 1, 128 * KIB, 0, 0,
         128 * KIB},
        {"rule 9: five waiters below", PW, 64 * MIB, 65 * MIB, 0, 5, 0, 0,
         64 * MIB, EOFL},
        {"rule 9: a waiter for the same bytes", PW, 0, 64 * KIB, 0, 1, 0, 0, 0,
         EOFL},
        {"a truncation", PW, 8 * MIB, EOFL, 1, 0, 0, 0, 8 * MIB, EOFL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t start, end;

        grow(&cases[i], &start, &end);
        if (start != cases[i].want_start || end != cases[i].want_end)
            fail_msg("%s: [%llu,%llu)", cases[i].name,
                     (unsigned long long)start, (unsigned long long)end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),  cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_covers),
        cmocka_unit_test(test_growth),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
