/* units.c - numbers as people read them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *lp_count_text(uint64_t n, char out[LP_UNIT_MAX])
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n), to = 0;

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = '\0';
    return out;
}

uint64_t lp_count_of(double sum)
{
    if (!(sum > 0))
        return 0;
    return sum < 0x1p64 ? (uint64_t)sum : UINT64_MAX;
}

/* Three digits that mean something. */
static int decimals(double value)
{
    return value == floor(value) || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

const char *lp_bytes_text(double bytes, char out[LP_UNIT_MAX])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int i = 0;

    while (bytes >= 1023.995 && i < 5) {
        bytes /= 1024;
        i++;
    }
    snprintf(out, LP_UNIT_MAX, "%.*f %s", decimals(bytes), bytes, units[i]);
    return out;
}

const char *lp_rate_text(double rate, char out[LP_UNIT_MAX])
{
    size_t len;

    lp_bytes_text(rate, out);
    len = strlen(out);
    snprintf(out + len, LP_UNIT_MAX - len, "/s");
    return out;
}

const char *lp_time_text(double us, char out[LP_UNIT_MAX])
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{86400e6, "d"}, {3600e6, "h"}, {60e6, "min"},
                 {1e6, "s"},     {1e3, "ms"},   {1, "µs"}};
    int i = 0;

    while (i < 5 && us < units[i].size)
        i++;
    us /= units[i].size;
    snprintf(out, LP_UNIT_MAX, "%.*f %s", decimals(us), us, units[i].unit);
    return out;
}

const char *lp_percent_text(double part, char out[LP_UNIT_MAX])
{
    double percent = part * 100;

    snprintf(out, LP_UNIT_MAX, "%.*f %%",
             percent >= 9.95 || percent == floor(percent) ? 0 : 1, percent);
    return out;
}

int lp_time_parse(const char *text, int64_t *us)
{
    static const struct {
        const char *unit;
        double size;
    } units[] = {{"", 1e6},   {"us", 1},     {"ms", 1e3},   {"s", 1e6},
                 {"m", 60e6}, {"min", 60e6}, {"h", 3600e6}, {"d", 86400e6}};
    char *stop;
    double n = strtod(text, &stop);

    if (stop == text || !(n > 0))
        return -EINVAL;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(stop, units[i].unit) == 0) {
            if (n * units[i].size > 1e15 || n * units[i].size < 1)
                return -EINVAL;
            *us = (int64_t)(n * units[i].size);
            return 0;
        }
    return -EINVAL;
}

int lp_moment_parse(const char *text, int64_t *us)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    char *stop;
    double n;

    if (end && *end == '\0') {
        *us = (int64_t)timegm(&tm) * 1000000;
        return *us > 0 ? 0 : -EINVAL;
    }
    n = strtod(text, &stop);
    if (stop == text || *stop || !(n > 0 && n < 1e11))
        return -EINVAL;
    *us = (int64_t)(n * 1e6);
    return 0;
}
