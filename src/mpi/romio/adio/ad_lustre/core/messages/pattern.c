/* pattern.c - compact descriptions of runs, for messages
 *
 * The bytes are items, one after the other, of variable-length integers
 * (varint: 7 bits a byte, lowest first, the top bit says that more follow):
 *
 *   run     gap, len * 2
 *   group   gap, len * 2 + 1, dims, then for each dim, inner first: count, gap
 *
 * A gap is counted from the end of what came before: of the item before, or in
 * a group of the repetition before. So nothing but overflow can make a list
 * descend, and a decoder needs no strides:
 *
 *   ##..##..##.........##..##..##     gap 0, len 2, dims 2: (3, 2) (2, 9)
 *
 * The encoder sees runs one by one. Level 0 counts equal runs at equal gaps;
 * when that ends, the result is handed to level 1, which counts equal rows at
 * equal gaps, and so on. What was not repeated at its level is written out,
 * after all that is above it, which is older. Each run is looked at once, and
 * moves up rarely.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "pattern.h"

#include <errno.h>
#include <stdlib.h>

#define DIMS 6       /* levels of nesting */
#define WORTH 4      /* fewer runs than this are cheaper one by one */
#define ITEM_MAX 160 /* bytes of the longest item */
#define VARINT_MAX 9 /* bytes of 63 bits */

/* Runs of `len` bytes repeated in up to DIMS ways. */
struct group {
    int64_t off, end, len;
    int64_t count[DIMS], gap[DIMS];
};

struct adl_pattern {
    int64_t off, end; /* the last run, which may still grow */
    int64_t written;  /* end of the last item */
    int error;
    struct group level[DIMS]; /* open if count[k] > 0; k dims inside */
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

static void put_group(struct adl_pattern *pat, const struct group *g, int dims)
{
    put_word(pat, g->off - pat->written);
    put_word(pat, g->len * 2 + 1);
    put_word(pat, dims);
    for (int i = 0; i < dims; i++) {
        put_word(pat, g->count[i]);
        put_word(pat, g->gap[i]);
    }
    pat->written = g->end;
}

/* Every count is at least 2 here. */
static void emit(struct adl_pattern *pat, const struct group *g, int dims)
{
    int64_t runs = dims ? g->count[0] : 1;

    if (!pat->error)
        pat->error = reserve_words(pat);
    if (pat->error)
        return;
    if (dims > 1 || runs >= WORTH)
        put_group(pat, g, dims);
    else
        for (int64_t i = 0; i < runs; i++)
            put_run(pat, g->off + i * (g->len + (dims ? g->gap[0] : 0)),
                    g->len);
}

/* ---- finding repetitions ---- */

/* Do all of the k dims inside agree? */
static int same_group(const struct group *a, const struct group *b, int k)
{
    if (a->len != b->len)
        return 0;
    for (int i = 0; i < k; i++)
        if (a->count[i] != b->count[i] || a->gap[i] != b->gap[i])
            return 0;
    return 1;
}

/* One more of the same at [off, end)? Takes it if the gap is right. */
static int repeat(struct group *open, int k, int64_t off, int64_t end)
{
    int64_t gap = off - open->end;

    if (open->count[k] > 1 && gap != open->gap[k])
        return 0;
    open->gap[k] = gap;
    open->count[k]++;
    open->end = end;
    return 1;
}

static void close_level(struct adl_pattern *pat, int k);

/* Close level k and all above it. */
static void close_from(struct adl_pattern *pat, int k)
{
    for (; k < DIMS; k++)
        if (pat->level[k].count[k])
            close_level(pat, k);
}

/* A finished group of k dims comes to level k. */
static void push(struct adl_pattern *pat, int k, const struct group *g)
{
    struct group *open = &pat->level[k];

    if (open->count[k] && same_group(open, g, k) &&
        repeat(open, k, g->off, g->end))
        return;
    if (open->count[k])
        close_level(pat, k);
    *open = *g;
    open->count[k] = 1;
}

static void close_level(struct adl_pattern *pat, int k)
{
    struct group *g = &pat->level[k];

    if (g->count[k] > 1 && k + 1 < DIMS) {
        push(pat, k + 1, g);
    } else {
        close_from(pat, k + 1);
        emit(pat, g, g->count[k] > 1 ? k + 1 : k);
    }
    g->count[k] = 0;
}

/* The last run will not grow any more. */
static void push_run(struct adl_pattern *pat)
{
    struct group *open = &pat->level[0];
    int64_t len = pat->end - pat->off;

    if (open->count[0] && open->len == len &&
        repeat(open, 0, pat->off, pat->end))
        return;
    if (open->count[0])
        close_level(pat, 0);
    open->off = pat->off;
    open->end = pat->end;
    open->len = len;
    open->count[0] = 1;
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
    for (int k = 0; k < DIMS; k++)
        pat->level[k].count[k] = 0;
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
    close_from(pat, 0);
    if (pat->error)
        return pat->error;
    *bytes = pat->bytes;
    *size = pat->size;
    return 0;
}

/* ---- decoding ---- */

/* The use of adl_pattern_iter.state. */
enum {
    AT = 0,              /* end of the last run */
    LEN = 1,             /* of the runs of the group */
    NDIMS = 2,           /* 0: the group is done; -1: broken */
    COUNT = 3,           /* of each dim */
    LEFT = COUNT + DIMS, /* repetitions still to come */
    GAP = LEFT + DIMS,   /* before each */
    STATES = GAP + DIMS,
};

_Static_assert(STATES <= sizeof(((struct adl_pattern_iter *)0)->state) / 8,
               "the decoder's state fits");

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

/* Read the dims of a group of `span` bytes (a run, to begin with) at `off`,
 * seeing that it ends before the limit. */
static int get_dims(struct adl_pattern_iter *it, int64_t off, int64_t span)
{
    int64_t room = it->limit - off, dims, count, gap;

    if (get_pattern_word(it, &dims) || dims < 1 || dims > DIMS)
        return -EPROTO;
    for (int i = 0; i < dims; i++) {
        if (get_pattern_word(it, &count) || get_pattern_word(it, &gap) ||
            count < 1)
            return -EPROTO;
        if (gap > room - span || count - 1 > (room - span) / (gap + span))
            return -EPROTO;
        it->state[COUNT + i] = count;
        it->state[LEFT + i] = count - 1;
        it->state[GAP + i] = gap;
        span += (count - 1) * (gap + span);
    }
    it->state[NDIMS] = dims;
    return 0;
}

/* Read an item; its first run is at AT + gap. */
static int get_item(struct adl_pattern_iter *it, int64_t *off, int64_t *len)
{
    int64_t gap, code;

    if (get_pattern_word(it, &gap) || get_pattern_word(it, &code))
        return -EPROTO;
    if (gap > it->limit - it->state[AT])
        return -EPROTO;
    *off = it->state[AT] + gap;
    *len = code >> 1;
    if (*len < 1 || *len > it->limit - *off)
        return -EPROTO;
    it->state[LEN] = *len;
    return code & 1 ? get_dims(it, *off, *len) : 0;
}

/* The next run of the group: the first dim that is not done repeats, those
 * inside it start again. 0 when all are done. */
static int repeat_group(struct adl_pattern_iter *it)
{
    for (int i = 0; i < it->state[NDIMS]; i++) {
        if (it->state[LEFT + i]) {
            it->state[LEFT + i]--;
            it->state[AT] += it->state[GAP + i];
            return 1;
        }
        it->state[LEFT + i] = it->state[COUNT + i] - 1;
    }
    it->state[NDIMS] = 0;
    return 0;
}

void adl_pattern_open(struct adl_pattern_iter *it, const void *bytes,
                      size_t size, int64_t limit)
{
    it->next = bytes;
    it->end = it->next + size;
    it->limit = limit;
    it->state[AT] = 0;
    it->state[NDIMS] = limit < 0 || (size && !bytes) ? -1 : 0;
}

int adl_pattern_next(struct adl_pattern_iter *it, int64_t *off, int64_t *len)
{
    int64_t start, bytes;

    if (it->state[NDIMS] > 0 && repeat_group(it)) {
        start = it->state[AT];
        bytes = it->state[LEN];
    } else if (it->state[NDIMS] < 0) {
        return -EPROTO;
    } else if (it->next == it->end) {
        return 0;
    } else if (get_item(it, &start, &bytes)) {
        it->state[NDIMS] = -1;
        return -EPROTO;
    }
    it->state[AT] = start + bytes;
    *off = start;
    *len = bytes;
    return 1;
}
