/* pattern.c - compact descriptions of runs, for messages
 *
 * The bytes are items, one after the other, of variable-length integers
 * (varint: 7 bits a byte, lowest first, the top bit says that more follow):
 *
 *   run     gap, len * 2
 *   group   gap, len * 2 + 1, count, gap of each repetition
 *
 * A gap is counted from the end of what came before: of the item before, or in
 * a group of the repetition before. So nothing but overflow can make a list
 * descend:
 *
 *   ##..##..##.........##..##..##     two groups: gap 0, len 2, 3 runs, gap 2
 *                                                 gap 9, len 2, 3 runs, gap 2
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pattern.h"

#include <errno.h>
#include <stdlib.h>

#define WORTH 4      /* fewer runs than this are cheaper one by one */
#define ITEM_MAX 64  /* bytes of a group, or of the runs in its place */
#define VARINT_MAX 9 /* bytes of 63 bits */

/* `count` runs of `len` bytes, each `gap` bytes behind the one before. */
struct group {
    int64_t off, end, len;
    int64_t count, gap;
};

struct adl_pattern {
    int64_t off, end; /* the last run, which may still grow */
    int64_t written;  /* end of the last item */
    int error;
    struct group open; /* runs before the last one; count 0: none */
    unsigned char *bytes;
    size_t size, room;
};

/* ---- writing items ---- */

static int grow_pattern(struct adl_pattern *pat, size_t room)
{
    unsigned char *bytes = realloc(pat->bytes, room);

    if (!bytes)
        return -ENOMEM;
    pat->bytes = bytes;
    pat->room = room;
    return 0;
}

static int reserve_words(struct adl_pattern *pat)
{
    if (pat->room - pat->size >= ITEM_MAX)
        return 0;
    return grow_pattern(pat, pat->room ? pat->room * 2 : 1024);
}

int adl_pattern_reserve(struct adl_pattern *pat, size_t size)
{
    return size + ITEM_MAX > pat->room ? grow_pattern(pat, size + ITEM_MAX) : 0;
}

static void put_word(struct adl_pattern *pat, int64_t value)
{
    uint64_t rest = (uint64_t)value;

    for (; rest > 127; rest >>= 7)
        pat->bytes[pat->size++] = (unsigned char)(rest | 128);
    pat->bytes[pat->size++] = (unsigned char)rest;
}

static void put_run(struct adl_pattern *pat, int64_t off, int64_t len)
{
    put_word(pat, off - pat->written);
    put_word(pat, len * 2);
    pat->written = off + len;
}

static void put_group(struct adl_pattern *pat, const struct group *g)
{
    put_word(pat, g->off - pat->written);
    put_word(pat, g->len * 2 + 1);
    put_word(pat, g->count);
    put_word(pat, g->gap);
    pat->written = g->end;
}

static void close_group(struct adl_pattern *pat)
{
    struct group *g = &pat->open;

    if (!pat->error)
        pat->error = reserve_words(pat);
    if (pat->error)
        return;
    if (g->count >= WORTH)
        put_group(pat, g);
    else
        for (int64_t i = 0; i < g->count; i++)
            put_run(pat, g->off + i * (g->len + g->gap), g->len);
    g->count = 0;
}

/* The last run will not grow any more: it is one more of the group, or begins
 * the next one. */
static void push_run(struct adl_pattern *pat)
{
    struct group *g = &pat->open;
    int64_t len = pat->end - pat->off, gap = pat->off - g->end;

    if (g->count > 0 && (g->len != len || (g->count > 1 && g->gap != gap)))
        close_group(pat);
    if (g->count++ == 0)
        *g = (struct group){.off = pat->off, .len = len, .count = 1};
    else
        g->gap = gap;
    g->end = pat->end;
}

/* ---- the encoder's interface ---- */

int adl_pattern_create(struct adl_pattern **out)
{
    struct adl_pattern *pat = calloc(1, sizeof(*pat));

    if (!pat)
        return -ENOMEM;
    *out = pat;
    return 0;
}

void adl_pattern_destroy(struct adl_pattern *pat)
{
    if (!pat)
        return;
    free(pat->bytes);
    free(pat);
}

void adl_pattern_reset(struct adl_pattern *pat)
{
    pat->open.count = 0;
    pat->off = pat->end = pat->written = 0;
    pat->error = 0;
    pat->size = 0;
}

int adl_pattern_add(struct adl_pattern *pat, int64_t off, int64_t len)
{
    if (len <= 0 || off < pat->end || off > INT64_MAX / 2 - len)
        return len == 0 ? pat->error : -EINVAL;
    if (off > pat->end) {
        if (pat->end > pat->off)
            push_run(pat);
        pat->off = off;
    }
    pat->end = off + len;
    return pat->error;
}

int adl_pattern_finish(struct adl_pattern *pat, const void **bytes,
                       size_t *size)
{
    if (pat->end > pat->off)
        push_run(pat);
    pat->off = pat->end;
    close_group(pat);
    if (pat->error)
        return pat->error;
    *bytes = pat->bytes;
    *size = pat->size;
    return 0;
}

/* ---- decoding ---- */

static int get_pattern_word(struct adl_pattern_iter *it, int64_t *value)
{
    uint64_t sum = 0;

    for (int i = 0; i < VARINT_MAX && it->next < it->end; i++) {
        unsigned char byte = *it->next++;

        sum |= (uint64_t)(byte & 127) << (7 * i);
        if (byte < 128) {
            *value = (int64_t)sum;
            return 0;
        }
    }
    return -EPROTO;
}

/* Read how often the run at [off, off + len) is repeated, and see that the last
 * repetition ends before the limit. */
static int get_repetitions(struct adl_pattern_iter *it, int64_t off,
                           int64_t len)
{
    int64_t room = it->limit - off - len, count;

    if (get_pattern_word(it, &count) || get_pattern_word(it, &it->gap) ||
        count < 1)
        return -EPROTO;
    if (it->gap > room || count - 1 > room / (it->gap + len))
        return -EPROTO;
    it->left = count - 1;
    return 0;
}

/* Read an item: its first run. */
static int get_item(struct adl_pattern_iter *it)
{
    int64_t gap, code;

    if (get_pattern_word(it, &gap) || get_pattern_word(it, &code))
        return -EPROTO;
    if (gap > it->limit - it->at)
        return -EPROTO;
    it->at += gap;
    it->len = code >> 1;
    if (it->len < 1 || it->len > it->limit - it->at)
        return -EPROTO;
    return code & 1 ? get_repetitions(it, it->at, it->len) : 0;
}

void adl_pattern_open(struct adl_pattern_iter *it, const void *bytes,
                      size_t size, int64_t limit)
{
    *it = (struct adl_pattern_iter){.next = bytes, .limit = limit};
    it->end = it->next + size;
    it->broken = limit < 0 || (size && !bytes);
}

int adl_pattern_next(struct adl_pattern_iter *it, int64_t *off, int64_t *len)
{
    if (it->broken)
        return -EPROTO;
    if (it->left > 0) {
        it->left--;
        it->at += it->gap;
    } else if (it->next == it->end) {
        return 0;
    } else if (get_item(it)) {
        it->broken = 1;
        return -EPROTO;
    }
    *off = it->at;
    *len = it->len;
    it->at += it->len;
    return 1;
}
