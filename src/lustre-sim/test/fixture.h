/* fixture.h - reading the pages recorded on a real Lustre
 *
 * locks.md and locks-2.md are text: sections "### title (set-up)", tables of
 * steps, sizes as 0, 64K, 1M or EOF, extents as [a,b) or [a,EOF].
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_TEST_FIXTURE_H
#define LSIM_TEST_FIXTURE_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../server.h"

#ifndef KIB
#define KIB 1024ULL
#define MIB (1024ULL * 1024)
#endif

/* The text of a page, for good. */
static inline char *fixture_read(const char *name)
{
    const char *top = getenv("srcdir");
    static char text[262144];
    char path[1024];
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, "%s/src/lustre-sim/test/%s", top ? top : ".",
             name);
    f = fopen(path, "r");
    if (!f) {
        printf("Bail out! cannot open %s\n", path);
        exit(1);
    }
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static inline char *fixture_trim(char *s)
{
    char *end;

    while (isspace((unsigned char)*s))
        s++;
    end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return s;
}

static inline uint64_t fixture_size(const char **s)
{
    char *end;
    uint64_t v;

    if (strncmp(*s, "EOF", 3) == 0) {
        *s += 3;
        return LSIM_EOF;
    }
    assert_true(isdigit((unsigned char)**s));
    v = strtoull(*s, &end, 10);
    if (*end == 'K')
        v *= KIB;
    if (*end == 'M')
        v *= MIB;
    *s = end + (*end == 'K' || *end == 'M');
    return v;
}

/* [a,b) or [a,EOF] at *s, which moves behind it. */
static inline void fixture_extent(const char **s, uint64_t *start,
                                  uint64_t *end)
{
    assert_int_equal(*(*s)++, '[');
    *start = fixture_size(s);
    assert_int_equal(*(*s)++, ',');
    *end = fixture_size(s);
    assert_non_null(strchr(")]", **s));
    ++*s;
}

/* "name=N" in a text of counters; the name must not be the end of another. */
static inline uint64_t fixture_counter(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at += len)
        if (at[len] == '=' && (at == text || at[-1] == ' '))
            return strtoull(at + len + 1, NULL, 10);
    return 0;
}

#endif
