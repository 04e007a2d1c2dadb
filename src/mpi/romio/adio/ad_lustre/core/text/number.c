/* number.c - parse a number */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int adl_number_int(const char *text, int64_t *out)
{
    const char *p = text + strspn(text, " \t\n");
    const char *digits = p + (*p == '-' || *p == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;
    long long v;

    if (!isdigit((unsigned char)*digits))
        return -EINVAL;
    errno = 0;
    /* base 10 for "010": hints are decimal, never octal */
    v = strtoll(p, &end, hex ? 16 : 10);
    if (end[strspn(end, " \t\n")])
        return -EINVAL;
    if (errno == ERANGE)
        return -ERANGE;
    *out = v;
    return 0;
}
