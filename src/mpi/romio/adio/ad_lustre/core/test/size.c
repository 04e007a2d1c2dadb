/* size.c - test of core/size */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../text/size.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct {
    const char *text;
    int rc;
    int64_t value;
} cases[] = {
    {"0", 0, 0},
    {"1", 0, 1},
    {"+7", 0, 7},
    {"-1", 0, -1},
    {" 12 ", 0, 12},
    {"64k", 0, 65536},
    {"64K", 0, 65536},
    {"64kb", 0, 65536},
    {"64KiB", 0, 65536},
    {"4M", 0, 4 << 20},
    {"1GiB", 0, 1 << 30},
    {"1 ", 0, 1},
    {"2t", 0, 2LL << 40},
    {"3P", 0, 3LL << 50},
    {"7E", 0, 7LL << 60},
    {"512b", 0, 512},
    {"512B", 0, 512},
    {"-4k", 0, -4096},
    {"0x10", 0, 16},
    {"0XfF", 0, 255},
    {"0x1b", 0, 27}, /* a digit, not a unit */
    {"0x10k", 0, 16384},
    {"010", 0, 10}, /* no octal */
    {"9223372036854775807", 0, INT64_MAX},
    {"-9223372036854775807", 0, -INT64_MAX},
    {"9223372036854775808", -ERANGE, 0},
    {"8E", -ERANGE, 0},
    {"18446744073709551616", -ERANGE, 0},
    {"99999999999999999999999999", -ERANGE, 0},
    {"0xfffffffffffffffff", -ERANGE, 0},
    {"99999999999999999999999999z", -EINVAL, 0},
    {"", -EINVAL, 0},
    {" ", -EINVAL, 0},
    {"-", -EINVAL, 0},
    {"--1", -EINVAL, 0},
    {"k", -EINVAL, 0},
    {"0x", -EINVAL, 0},
    {"0xk", -EINVAL, 0},
    {"1.5M", -EINVAL, 0},
    {"4 M", -EINVAL, 0},
    {"4Mi4", -EINVAL, 0},
    {"4Mx", -EINVAL, 0},
    {"4MM", -EINVAL, 0},
    {"1e3", -EINVAL, 0},
    {"auto", -EINVAL, 0},
    {NULL, -EINVAL, 0},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t value = 42;
        int rc = adl_size_parse(cases[i].text, &value);
        int64_t want = cases[i].rc ? 42 : cases[i].value;

        if (rc != cases[i].rc || value != want)
            fail_msg("\"%s\": rc %d value %lld",
                     cases[i].text ? cases[i].text : "(null)", rc,
                     (long long)value);
    }
}

/* A number is a size without a unit. */
static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        int rc;
        int64_t value;
    } rows[] = {{" -12\n", 0, -12},
                {"0x1b", 0, 27},
                {"010", 0, 10},
                {"9223372036854775807", 0, INT64_MAX},
                {"9223372036854775808", -ERANGE, 42},
                {"64k", -EINVAL, 42},
                {"512b", -EINVAL, 42},
                {"5 s", -EINVAL, 42},
                {"", -EINVAL, 42}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 42;

        assert_int_equal(adl_number_parse(rows[i].text, &value), rows[i].rc);
        assert_int_equal(value, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_numbers)};

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
