/* content.c - a byte's value is a function of file, time step and offset */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "content.h"

#include <string.h>

static uint64_t word_at(uint64_t version, int64_t index)
{
    uint64_t z = ((uint64_t)index + version * UINT64_C(0x632be59bd9b4e019)) *
                 UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 27);
}

void content_fill(uint64_t version, int64_t off, int64_t len, unsigned char *to)
{
    while (len > 0) {
        uint64_t word = word_at(version, off >> 3) >> (8 * (off & 7));
        int64_t n = 8 - (off & 7);

        if (n > len)
            n = len;
        memcpy(to, &word, (size_t)n);
        to += n;
        off += n;
        len -= n;
    }
}

static int64_t compare(uint64_t version, int64_t off, int64_t len,
                       const unsigned char *got, int zero_is_right,
                       int64_t *first)
{
    unsigned char want[4096];
    int64_t bad = 0;

    while (len > 0) {
        int64_t n = len < 4096 ? len : 4096;

        content_fill(version, off, n, want);
        if (memcmp(want, got, (size_t)n) != 0)
            for (int64_t i = 0; i < n; i++)
                if (want[i] != got[i] && (got[i] || !zero_is_right) &&
                    bad++ == 0)
                    *first = off + i;
        got += n;
        off += n;
        len -= n;
    }
    return bad;
}

int64_t content_differ(uint64_t version, int64_t off, int64_t len,
                       const unsigned char *got, int64_t *first)
{
    return compare(version, off, len, got, 0, first);
}

int64_t content_neither(uint64_t version, int64_t off, int64_t len,
                        const unsigned char *got, int64_t *first)
{
    return compare(version, off, len, got, 1, first);
}
