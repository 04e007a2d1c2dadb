/* units.c - test of units: numbers as people read and write them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "../units.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_counts(void **state)
{
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {12345, "12,345"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char out[LP_UNIT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(lp_count_text(cases[i].n, out), cases[i].text);
}

static void test_count_of_sums(void **state)
{
    (void)state;
    assert_int_equal(lp_count_of(0), 0);
    assert_int_equal(lp_count_of(-5), 0);
    assert_int_equal(lp_count_of(NAN), 0);
    assert_int_equal(lp_count_of(41.9), 41);
    assert_true(lp_count_of(INFINITY) == UINT64_MAX);
    assert_true(lp_count_of(0x1p64) == UINT64_MAX);
    assert_true(lp_count_of(0x1p63) == UINT64_C(1) << 63);
}

static void test_bytes(void **state)
{
    static const struct {
        double n;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1, "1 B"},
                 {1023, "1023 B"},
                 {1024, "1 KiB"},
                 {1536, "1.50 KiB"},
                 {10240, "10 KiB"},
                 {12.34 * 1024, "12.3 KiB"},
                 {123.4 * 1024, "123 KiB"},
                 {65536, "64 KiB"},
                 {1048575.9, "1.00 MiB"},
                 {1048576, "1 MiB"},
                 {5.0 * 1048576 * 1024, "5 GiB"},
                 {0x1p50, "1 PiB"},
                 {0x1p61, "2048 PiB"}};
    char out[LP_UNIT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(lp_bytes_text(cases[i].n, out), cases[i].text);
    assert_string_equal(lp_rate_text(1536, out), "1.50 KiB/s");
    assert_string_equal(lp_rate_text(0, out), "0 B/s");
}

static void test_times(void **state)
{
    static const struct {
        double us;
        const char *text;
    } cases[] = {{0, "0 µs"},        {1, "1 µs"},        {999, "999 µs"},
                 {1000, "1 ms"},     {1500, "1.50 ms"},  {15500, "15.5 ms"},
                 {1e6, "1 s"},       {59.5e6, "59.5 s"}, {60e6, "1 min"},
                 {90e6, "1.50 min"}, {3600e6, "1 h"},    {86400e6, "1 d"},
                 {864000e6, "10 d"}};
    char out[LP_UNIT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(lp_time_text(cases[i].us, out), cases[i].text);
}

static void test_percents(void **state)
{
    static const struct {
        double part;
        const char *text;
    } cases[] = {{0, "0 %"},        {0.005, "0.5 %"}, {0.0949, "9.5 %"},
                 {0.0975, "9.8 %"}, {0.0996, "10 %"}, {0.05, "5 %"},
                 {0.615, "62 %"},   {1, "100 %"},     {2.5, "250 %"}};
    char out[LP_UNIT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(lp_percent_text(cases[i].part, out), cases[i].text);
}

static void test_time_parse(void **state)
{
    static const struct {
        const char *text;
        int64_t us; /* 0: refused */
    } cases[] = {{"2", 2000000},
                 {"2s", 2000000},
                 {"250ms", 250000},
                 {"0.5", 500000},
                 {"7us", 7},
                 {"5m", 300000000},
                 {"5min", 300000000},
                 {"1h", 3600000000},
                 {"2d", 172800000000},
                 {"", 0},
                 {"s", 0},
                 {"0", 0},
                 {"-1s", 0},
                 {"5x", 0},
                 {"5 s", 0},
                 {"nan", 0},
                 {"1e300h", 0},
                 {"0.1us", 0}};
    int64_t us;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        us = 0;
        assert_int_equal(lp_time_parse(cases[i].text, &us),
                         cases[i].us ? 0 : -EINVAL);
        assert_true(us == cases[i].us);
    }
}

static void test_moment_parse(void **state)
{
    static const struct {
        const char *text;
        int64_t us; /* 0: refused */
    } cases[] = {{"1458939850.66", 1458939850660000},
                 {"1", 1000000},
                 {"2026-11-16T21:00:00", INT64_C(1794862800000000)},
                 {"1970-01-01T00:00:01", 1000000},
                 {"", 0},
                 {"0", 0},
                 {"-5", 0},
                 {"1e12", 0},
                 {"yesterday", 0},
                 {"2026-11-16T21:00", 0},
                 {"2026-11-16T21:00:00Z", 0}};
    int64_t us;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        us = 0;
        assert_int_equal(lp_moment_parse(cases[i].text, &us),
                         cases[i].us ? 0 : -EINVAL);
        assert_in_range(us, cases[i].us ? cases[i].us - 1 : 0, cases[i].us);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_count_of_sums),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_percents),
        cmocka_unit_test(test_time_parse),
        cmocka_unit_test(test_moment_parse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
