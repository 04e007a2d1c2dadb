/* glob.c - shell patterns for file and host names */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "glob.h"

#include <stddef.h>

static unsigned char literal(const char **p)
{
    if (**p == '\\' && (*p)[1])
        (*p)++;
    return (unsigned char)*(*p)++;
}

/* Behind the ']' of the set that starts at p (a '['), or NULL. */
static const char *class_end(const char *p)
{
    p++;
    if (*p == '!' || *p == '^')
        p++;
    if (*p == ']')
        p++;
    for (; *p && *p != ']'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : NULL;
}

static bool set_has(const char *p, const char *end, unsigned char c)
{
    bool negate = p[1] == '!' || p[1] == '^', found = false;

    p += negate ? 2 : 1;
    while (p < end - 1) {
        unsigned char lo = literal(&p), hi = lo;

        if (*p == '-' && p + 1 < end - 1) {
            p++;
            hi = literal(&p);
        }
        found |= lo <= c && c <= hi;
    }
    return found != negate;
}

/* Match one byte against one element of the pattern, and step behind it. */
static bool match_one(const char **p, unsigned char c)
{
    const char *end;

    if (**p == '?') {
        (*p)++;
        return true;
    }
    if (**p == '[' && (end = class_end(*p))) {
        bool has = set_has(*p, end, c);

        *p = end;
        return has;
    }
    return literal(p) == c;
}

bool adl_glob_match(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;

    for (;;) {
        const char *p = pattern;

        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (!*name) {
            return !*pattern;
        } else if (*pattern && match_one(&p, (unsigned char)*name)) {
            pattern = p;
            name++;
        } else if (star) {
            /* only the last star can help: earlier ones are satisfied */
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
}
