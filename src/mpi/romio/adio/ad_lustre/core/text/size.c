/* size.c - sizes and numbers as people write them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "size.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static int digit(char c, int base)
{
    int d;

    if (c >= '0' && c <= '9')
        d = c - '0';
    else if (isxdigit((unsigned char)c))
        d = tolower((unsigned char)c) - 'a' + 10;
    else
        return -1;
    return d < base ? d : -1;
}

/* Digits up to the first other character; at least one. */
static int scan_number(const char **text, uint64_t *out)
{
    const char *p = *text;
    uint64_t n = 0;
    int base = 10, over = 0, d;

    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    if (digit(*p, base) < 0)
        return -EINVAL;
    for (; (d = digit(*p, base)) >= 0; p++)
        over |= __builtin_mul_overflow(n, (uint64_t)base, &n) ||
                __builtin_add_overflow(n, (uint64_t)d, &n);
    *text = p;
    *out = n;
    return over ? -ERANGE : 0;
}

/* The power of two of a unit; steps over it. */
static int scan_unit(const char **text)
{
    static const char letters[] = "kmgtpe";
    const char *p = *text, *hit;
    int shift = 0;

    hit = *p ? strchr(letters, tolower((unsigned char)*p)) : NULL;
    if (hit) {
        shift = 10 * (int)(hit - letters + 1);
        p++;
        if (*p == 'i' || *p == 'I')
            p++;
    }
    if (*p == 'b' || *p == 'B')
        p++;
    *text = p;
    return shift;
}

/* Sign and scale. INT64_MIN cannot be expressed; no setting needs it. */
static int finish_size(uint64_t n, int shift, int negative, int64_t *out)
{
    if (n > (uint64_t)INT64_MAX >> shift)
        return -ERANGE;
    n <<= shift;
    *out = negative ? -(int64_t)n : (int64_t)n;
    return 0;
}

static int parse(const char *text, int units, int64_t *out)
{
    const char *p = text;
    uint64_t n;
    int negative, shift = 0, rc;

    if (!p)
        return -EINVAL;
    while (isspace((unsigned char)*p))
        p++;
    negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    rc = scan_number(&p, &n);
    if (rc == -EINVAL)
        return rc;
    if (units)
        shift = scan_unit(&p);
    while (isspace((unsigned char)*p))
        p++;
    if (*p)
        return -EINVAL;
    return rc ? rc : finish_size(n, shift, negative, out);
}

int adl_size_parse(const char *text, int64_t *out)
{
    return parse(text, 1, out);
}

int adl_number_parse(const char *text, int64_t *out)
{
    return parse(text, 0, out);
}
