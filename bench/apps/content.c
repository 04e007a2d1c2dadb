/* content.c - what every byte of every file is */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "content.h"
#include <string.h>

/* Spreads every bit of x over the whole word, so that neither a shift nor a
 * mix-up of pieces goes unnoticed. Odd constants, xor-shift: a bijection. */
static uint64_t scatter(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint64_t content_key(uint64_t seed, int file)
{
    return scatter(scatter(seed + 1) + (uint64_t)file);
}

/* The part of an 8-byte word that begins at `off`: bytes of it, at most len. */
static int64_t word_at(uint64_t key, int64_t off, int64_t len,
                       unsigned char *out)
{
    uint64_t word = scatter(key + (uint64_t)(off / 8));
    int64_t skip = off % 8, n = 8 - skip < len ? 8 - skip : len;

    memcpy(out, (unsigned char *)&word + skip, n);
    return n;
}

void content_fill(uint64_t key, int64_t off, unsigned char *buf, int64_t len)
{
    unsigned char word[8];

    for (int64_t i = 0, n; i < len; i += n) {
        n = word_at(key, off + i, len - i, word);
        memcpy(buf + i, word, n);
    }
}

int64_t content_check(uint64_t key, int64_t off, const unsigned char *buf,
                      int64_t len, int64_t *first)
{
    unsigned char word[8];
    int64_t wrong = 0;

    for (int64_t i = 0, n; i < len; i += n) {
        n = word_at(key, off + i, len - i, word);
        if (!memcmp(buf + i, word, n))
            continue;
        for (int64_t k = 0; k < n; k++)
            if (buf[i + k] != word[k] && wrong++ == 0)
                *first = off + i + k;
    }
    return wrong;
}
