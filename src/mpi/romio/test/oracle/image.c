/* image.c - what the file must hold */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 262144

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9fb21c651e98df25);
    return x ^ (x >> 28);
}

static uint64_t writer_key(uint64_t key, int call, int rank)
{
    return mix(key + (uint64_t)(call * MAX_RANKS + rank) *
                         UINT64_C(0xd6e8feb86659fd93));
}

static unsigned char value_at(uint64_t writer, int64_t off)
{
    return (unsigned char)(mix(writer + (uint64_t)(off >> 3)) >>
                           (8 * (off & 7)));
}

void image_values(uint64_t key, int call, int rank, int64_t off, int64_t len,
                  unsigned char *to)
{
    uint64_t writer = writer_key(key, call, rank), word = 0;

    for (int64_t i = 0; i < len; i++, off++) {
        if (i == 0 || (off & 7) == 0)
            word = mix(writer + (uint64_t)(off >> 3));
        to[i] = (unsigned char)(word >> (8 * (off & 7)));
    }
}

void image_begin(struct image *img, uint64_t key, int64_t base)
{
    memset(img, 0, sizeof(*img));
    img->key = key;
    img->base = base;
}

void image_free(struct image *img)
{
    free(img->call);
    free(img->mask);
    img->call = img->mask = NULL;
    img->room = 0;
}

static uint16_t *grown(uint16_t *old, int64_t from, int64_t to)
{
    uint16_t *v = realloc(old, to * sizeof(*v));

    if (!v)
        abort();
    memset(v + from, 0, (to - from) * sizeof(*v));
    return v;
}

static void reserve(struct image *img, int64_t end)
{
    int64_t room = end - img->base + (end - img->base) / 2 + CHUNK;

    if (end - img->base <= img->room)
        return;
    img->call = grown(img->call, img->room, room);
    img->mask = grown(img->mask, img->room, room);
    img->room = room;
}

void image_write(struct image *img, int call, int rank, int64_t off,
                 int64_t len)
{
    int64_t i = off - img->base;

    if (len == 0)
        return;
    if (i < 0 || call >= IMAGE_CALLS)
        abort();
    reserve(img, off + len);
    if (off + len > img->size)
        img->size = off + len;
    for (int64_t end = i + len; i < end; i++) {
        if (img->call[i] != call) {
            img->call[i] = (uint16_t)call;
            img->mask[i] = 0;
        }
        img->mask[i] |= (uint16_t)(1 << rank);
    }
}

void image_resize(struct image *img, int64_t size)
{
    int64_t i = size > img->base ? size - img->base : 0;

    for (; i < img->room; i++)
        img->call[i] = 0;
    img->size = size;
}

/* Which of the ranks that may have written the byte have this value? */
static unsigned winners(const struct image *img, int64_t i, unsigned char got)
{
    unsigned mask = img->mask[i], who = 0;

    for (int r = 0; r < MAX_RANKS; r++)
        if (mask >> r & 1 &&
            got ==
                value_at(writer_key(img->key, img->call[i], r), img->base + i))
            who |= 1u << r;
    return who;
}

static int byte_is_right(struct image *img, int64_t i, unsigned char got)
{
    unsigned who;

    if (i >= img->room || img->call[i] == 0)
        return got == 0;
    who = winners(img, i, got);
    if (who && img->atomic[img->call[i]] && !(who & (who - 1)))
        img->beats[img->call[i]][__builtin_ctz(who)] |=
            (uint16_t)(img->mask[i] & ~who);
    return who != 0;
}

static int wrong(struct image *img, int64_t off, unsigned char got, char *why,
                 size_t room)
{
    int64_t i = off - img->base;
    int call = i >= 0 && i < img->room ? img->call[i] : 0;
    int by_call = 0, by_rank = -1;

    for (int c = 1; c < IMAGE_CALLS && by_rank < 0; c++)
        for (int r = 0; r < MAX_RANKS; r++)
            if (got == value_at(writer_key(img->key, c, r), off)) {
                by_call = c;
                by_rank = r;
                break;
            }
    snprintf(why, room,
             "byte %lld (base + %lld) is 0x%02x; must be from %s %d, ranks "
             "0x%x%s; would fit call %d rank %d",
             (long long)off, (long long)i, got,
             call > 1 ? "call"
             : call   ? "prefill"
                      : "hole",
             call, call ? img->mask[i] : 0, got == 0 ? " (is zero)" : "",
             by_call, by_rank);
    return -1;
}

/* Bytes that no rank has written, from `i` on, at most n. */
static int64_t hole_stretch(const struct image *img, int64_t i, int64_t n)
{
    int64_t k = 0;

    if (i < 0)
        return n < -i ? n : -i;
    while (k < n && i + k < img->room && img->call[i + k] == 0)
        k++;
    return i + k < img->room ? k : n;
}

static int is_zero(const unsigned char *got, int64_t n)
{
    return got[0] == 0 && memcmp(got, got + 1, n - 1) == 0;
}

/* Bytes in stretches with one writer are compared many at a time. */
static int64_t plain_stretch(const struct image *img, int64_t i, int64_t n)
{
    int64_t k = 0;

    if (i + n > img->room || img->call[i] == 0 ||
        (img->mask[i] & (img->mask[i] - 1)))
        return 0;
    while (k < n && img->call[i + k] == img->call[i] &&
           img->mask[i + k] == img->mask[i])
        k++;
    return k;
}

static int check_chunk(struct image *img, int64_t off, unsigned char *got,
                       int64_t n, char *why, size_t room)
{
    unsigned char want[4096];

    for (int64_t k = 0; k < n;) {
        int64_t i = off + k - img->base;
        int64_t most = n - k < CHUNK / 64 ? n - k : CHUNK / 64;
        int64_t m = hole_stretch(img, i, n - k);

        if (m > 0 && is_zero(got + k, m)) {
            k += m;
            continue;
        }
        m = i >= 0 ? plain_stretch(img, i, most) : 0;
        if (m > 0) {
            image_values(img->key, img->call[i], __builtin_ctz(img->mask[i]),
                         off + k, m, want);
            if (memcmp(want, got + k, m) == 0) {
                k += m;
                continue;
            }
        }
        if (!(i < 0 ? got[k] == 0 : byte_is_right(img, i, got[k])))
            return wrong(img, off + k, got[k], why, room);
        k++;
    }
    return 0;
}

static int check_range(struct image *img, int fd, int64_t off, int64_t end,
                       char *why, size_t room)
{
    unsigned char *got = malloc(CHUNK);
    int rc = 0;

    while (off < end && rc == 0) {
        int64_t n = end - off < CHUNK ? end - off : CHUNK;
        ssize_t k = pread(fd, got, n, off);

        if (k <= 0) {
            snprintf(why, room, "read at %lld: %s", (long long)off,
                     k ? strerror(errno) : "end of file");
            rc = -1;
            break;
        }
        rc = check_chunk(img, off, got, k, why, room);
        off += k;
    }
    free(got);
    return rc;
}

/* Is there an order in which every winner comes after those it beats? Take
 * away ranks that beat no remaining rank, until none is left. */
static int serial(const uint16_t *beats)
{
    unsigned left = (1u << MAX_RANKS) - 1, before;

    do {
        before = left;
        for (int r = 0; r < MAX_RANKS; r++)
            if (left >> r & 1 && !(beats[r] & left))
                left &= ~(1u << r);
    } while (left != before);
    return left == 0;
}

static int check_serial(struct image *img, char *why, size_t room)
{
    for (int c = 0; c < IMAGE_CALLS; c++)
        if (img->atomic[c] && !serial(img->beats[c])) {
            snprintf(why, room, "call %d is atomic, but its ranks mix", c);
            return -1;
        }
    return 0;
}

int image_check(struct image *img, int fd, char *why, size_t room)
{
    int64_t low = img->base < 65536 ? img->base : 65536;
    struct stat st;

    if (fstat(fd, &st) < 0 || st.st_size != img->size) {
        snprintf(why, room, "size is %lld, must be %lld", (long long)st.st_size,
                 (long long)img->size);
        return -1;
    }
    memset(img->beats, 0, sizeof(img->beats));
    low = low < img->size ? low : img->size;
    if (check_range(img, fd, 0, low, why, room) < 0)
        return -1;
    low = img->base > 65536 ? img->base - 65536 : low;
    if (check_range(img, fd, low, img->size, why, room) < 0)
        return -1;
    return check_serial(img, why, room);
}
