/* index.c - finds an entry of an array by three numbers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint32_t key[3];
    unsigned value; /* 0: empty */
};

struct lp_index {
    struct entry *slot; /* open addressing, at most half full */
    unsigned mask, used;
};

static unsigned start_of(const uint32_t key[3], unsigned mask)
{
    uint64_t h = key[0] * UINT64_C(0x9e3779b97f4a7c15) ^
                 key[1] * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                 key[2] * UINT64_C(0x165667b19e3779f9);

    return (unsigned)(h >> 32) & mask;
}

static struct entry *entry_of_index(struct entry *slot, unsigned mask,
                                    const uint32_t key[3])
{
    unsigned at = start_of(key, mask);

    while (slot[at].value && memcmp(slot[at].key, key, sizeof(slot->key)) != 0)
        at = (at + 1) & mask;
    return &slot[at];
}

struct lp_index *lp_index_create(void)
{
    struct lp_index *x = calloc(1, sizeof(*x));

    if (!x)
        return NULL;
    x->mask = 255;
    x->slot = calloc(x->mask + 1, sizeof(*x->slot));
    if (!x->slot) {
        free(x);
        return NULL;
    }
    return x;
}

void lp_index_destroy(struct lp_index *x)
{
    if (x)
        free(x->slot);
    free(x);
}

unsigned lp_index_find(const struct lp_index *x, const uint32_t key[3])
{
    return entry_of_index(x->slot, x->mask, key)->value;
}

static int widen_index(struct lp_index *x)
{
    unsigned mask = 4 * x->mask + 3;
    struct entry *slot = calloc((size_t)mask + 1, sizeof(*slot));

    if (!slot)
        return -ENOMEM;
    for (unsigned i = 0; i <= x->mask; i++)
        if (x->slot[i].value)
            *entry_of_index(slot, mask, x->slot[i].key) = x->slot[i];
    free(x->slot);
    x->slot = slot;
    x->mask = mask;
    return 0;
}

int lp_index_add(struct lp_index *x, const uint32_t key[3], unsigned value)
{
    struct entry *e;

    if (2 * x->used >= x->mask && widen_index(x) < 0)
        return -ENOMEM;
    e = entry_of_index(x->slot, x->mask, key);
    memcpy(e->key, key, sizeof(e->key));
    e->value = value;
    x->used++;
    return 0;
}
