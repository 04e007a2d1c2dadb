/* glob.c - test shell patterns */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../text/glob.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct row {
    const char *pattern, *name;
    bool match;
};

static const struct row rows[] = {
    {"", "", true},          {"", "a", false},
    {"a", "", false},        {"*", "", true},
    {"*", "a/b.c", true},    {"**", "x", true},
    {"a*", "a", true},       {"a*b", "ab", true},
    {"a*b", "acb", true},    {"a*b", "acbc", false},
    {"*.nc", ".nc", true},   {"*a*b*", "xaybz", true},
    {"?", "", false},        {"??", "ab", true},
    {"[ab]", "b", true},     {"[ab]", "c", false},
    {"[a-c]x", "bx", true},  {"[!a-c]", "d", true},
    {"[!a-c]", "b", false},  {"[]]", "]", true},
    {"[]-]", "-", true},     {"[a-]", "-", true},
    {"[\\]]", "]", true},    {"[a", "[a", true},
    {"[", "[", true},        {"\\*", "*", true},
    {"\\*", "a", false},     {"a\\", "a\\", true},
    {"*[0-9]", "a7", true},  {"*[0-9]", "a", false},
    {"\xff*", "\xff", true}, {"[\x80-\xff]", "\xc3", true},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (adl_glob_match(rows[i].pattern, rows[i].name) != rows[i].match)
            fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].name);
}

/* Many stars on a long name that fails at the end: not exponential. */
static void test_worst_case(void **state)
{
    char name[4001], pattern[201];

    (void)state;
    memset(name, 'a', 4000);
    name[4000] = '\0';
    for (int i = 0; i < 100; i++)
        memcpy(pattern + 2 * i, "*a", 2);
    pattern[199] = 'b';
    pattern[200] = '\0';
    assert_false(adl_glob_match(pattern, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_worst_case),
    };

    return cmocka_run_group_tests_name("glob", tests, NULL, NULL);
}
