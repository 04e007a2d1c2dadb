/* names.c - gives texts small numbers, up to a limit */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct name {
    char *text;
    size_t len;
    uint32_t hash;
};

struct lp_names {
    struct name *list; /* by number */
    unsigned count, room, limit;
    unsigned *slots; /* open addressing, 0: empty */
    unsigned mask;
};

static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ (h >> 15);
}

static char *copy_text(const char *text, size_t len)
{
    char *copy = malloc(len + 1);

    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

static int append(struct lp_names *n, const char *text, size_t len,
                  uint32_t hash)
{
    struct name *more;
    char *copy;

    if (n->count == n->room) {
        more = realloc(n->list, 2 * n->room * sizeof(*more));
        if (!more)
            return -1;
        n->list = more;
        n->room *= 2;
    }
    copy = copy_text(text, len);
    if (!copy)
        return -1;
    n->list[n->count++] = (struct name){copy, len, hash};
    return 0;
}

struct lp_names *lp_names_create(unsigned limit, const char *others)
{
    struct lp_names *n = calloc(1, sizeof(*n));

    if (!n)
        return NULL;
    n->limit = limit;
    n->room = 16;
    n->mask = 63;
    n->list = malloc(n->room * sizeof(*n->list));
    n->slots = calloc(n->mask + 1, sizeof(*n->slots));
    if (!n->list || !n->slots || append(n, others, strlen(others), 0) < 0) {
        lp_names_destroy(n);
        return NULL;
    }
    return n;
}

void lp_names_destroy(struct lp_names *n)
{
    if (!n)
        return;
    for (unsigned i = 0; i < n->count; i++)
        free(n->list[i].text);
    free(n->list);
    free(n->slots);
    free(n);
}

/* The slot that holds the text, or the empty one where it belongs. */
static unsigned slot_of(const struct lp_names *n, const char *text, size_t len,
                        uint32_t hash)
{
    unsigned at = hash & n->mask;

    while (n->slots[at]) {
        const struct name *name = &n->list[n->slots[at]];

        if (name->hash == hash && name->len == len &&
            memcmp(name->text, text, len) == 0)
            break;
        at = (at + 1) & n->mask;
    }
    return at;
}

static int widen(struct lp_names *n)
{
    unsigned mask = 4 * n->mask + 3;
    unsigned *slots = calloc((size_t)mask + 1, sizeof(*slots));

    if (!slots)
        return -1;
    for (unsigned i = 1; i < n->count; i++) {
        unsigned at = n->list[i].hash & mask;

        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = i;
    }
    free(n->slots);
    n->slots = slots;
    n->mask = mask;
    return 0;
}

unsigned lp_names_find(const struct lp_names *n, const char *text, size_t len)
{
    return n->slots[slot_of(n, text, len, hash_text(text, len))];
}

unsigned lp_names_add(struct lp_names *n, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len);
    unsigned at = slot_of(n, text, len, hash);

    if (n->slots[at])
        return n->slots[at];
    if (n->count > n->limit || append(n, text, len, hash) < 0)
        return 0;
    n->slots[at] = n->count - 1;
    if (2 * n->count > n->mask && widen(n) < 0)
        n->limit = n->count - 1; /* full for ever rather than wrong */
    return n->count - 1;
}

const char *lp_names_text(const struct lp_names *n, unsigned number)
{
    return n->list[number < n->count ? number : 0].text;
}

unsigned lp_names_count(const struct lp_names *n)
{
    return n->count;
}
