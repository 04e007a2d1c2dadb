/* layout_wire.c - a layout as a short message to other processes
 *
 * Every number is a varint (7 bits a byte, low first, the top bit says that
 * more follow); OST indices are differences to the one before, folded so that
 * small negative ones are small too. The sender is a rank of the same job; what
 * it sends is checked nevertheless.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_VERSION 1
#define KIND_FOREIGN 0
#define KIND_PLAIN 1
#define KIND_COMPOSITE 2

struct wire {
    unsigned char *at; /* NULL: only count */
    size_t len;
};

static void wire_put(struct wire *w, uint64_t v)
{
    do {
        if (w->at)
            w->at[w->len] = (unsigned char)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
        w->len++;
        v >>= 7;
    } while (v);
}

static uint64_t fold(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static int64_t unfold(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void put_pool(struct wire *w, const char *pool)
{
    size_t len = strlen(pool);

    wire_put(w, len);
    if (w->at)
        memcpy(w->at + w->len, pool, len);
    w->len += len;
}

static void wire_put_component(struct wire *w, const struct adl_component *c)
{
    int64_t last = 0;

    wire_put(w, c->id);
    wire_put(w, c->flags);
    wire_put(w, (uint64_t)c->start);
    wire_put(w, c->end == ADL_LAYOUT_EOF ? 0 : (uint64_t)c->end + 1);
    wire_put(w, c->magic);
    wire_put(w, c->pattern);
    wire_put(w, (uint64_t)c->stripe_size);
    wire_put(w, (uint64_t)c->stripe_count);
    wire_put(w, (uint64_t)c->stripe_offset);
    wire_put(w, c->layout_gen);
    put_pool(w, c->pool);
    wire_put(w, (uint64_t)c->nobjects);
    for (int i = 0; i < c->nobjects; i++) {
        wire_put(w, fold((int64_t)c->objects[i].ost - last));
        last = c->objects[i].ost;
    }
}

static void wire_put_layout(struct wire *w, const struct adl_layout *l)
{
    wire_put(w, WIRE_VERSION);
    if (!l->ncomps) {
        wire_put(w, KIND_FOREIGN);
        wire_put(w, l->foreign.type);
        wire_put(w, l->foreign.flags);
        return;
    }
    wire_put(w, l->head.composite ? KIND_COMPOSITE : KIND_PLAIN);
    wire_put(w, l->head.layout_gen);
    wire_put(w, l->head.flags);
    wire_put(w, (uint64_t)l->head.mirrors);
    wire_put(w, (uint64_t)l->def.ost_count);
    wire_put(w, (uint64_t)l->def.stripe_count);
    wire_put(w, (uint64_t)l->def.stripe_size);
    wire_put(w, (uint64_t)l->ncomps);
    for (int i = 0; i < l->ncomps; i++)
        wire_put_component(w, &l->comps[i]);
}

int adl_layout_pack(const struct adl_layout *layout, void **blob, size_t *len)
{
    struct wire w = {0};

    wire_put_layout(&w, layout);
    w.at = malloc(w.len);
    if (!w.at)
        return -ENOMEM;
    w.len = 0;
    wire_put_layout(&w, layout);
    *blob = w.at;
    *len = w.len;
    return 0;
}

/* ---- reading ---- */

struct reader {
    const unsigned char *at;
    size_t left;
    int bad;
};

/* A number up to `most`; after the first that is wrong all are 0. */
static uint64_t wire_get(struct reader *r, uint64_t most)
{
    uint64_t v = 0;
    int shift = 0, more = 1;

    while (more && !r->bad) {
        if (!r->left || shift > 63) {
            r->bad = 1;
            break;
        }
        v |= (uint64_t)(*r->at & 0x7f) << shift;
        more = *r->at & 0x80;
        shift += 7;
        r->at++;
        r->left--;
    }
    if (v > most)
        r->bad = 1;
    return r->bad ? 0 : v;
}

static void get_pool(struct reader *r, char *pool)
{
    size_t len = wire_get(r, ADL_LOV_POOL_LEN);

    if (len > r->left)
        r->bad = 1;
    if (r->bad)
        return;
    memcpy(pool, r->at, len);
    r->at += len;
    r->left -= len;
}

/* Objects take a byte at least, so what is left bounds the memory. */
static int get_objects(struct reader *r, struct adl_component *c)
{
    struct adl_object *objects;
    int64_t last = 0;

    c->nobjects = (int)wire_get(r, ADL_LOV_MAX_STRIPES);
    if ((size_t)c->nobjects > r->left)
        r->bad = 1;
    if (r->bad || !c->nobjects) {
        c->nobjects = 0;
        return 0;
    }
    objects = calloc((size_t)c->nobjects, sizeof(*objects));
    if (!objects)
        return -ENOMEM;
    for (int i = 0; i < c->nobjects; i++) {
        last = (int64_t)((uint64_t)last +
                         (uint64_t)unfold(wire_get(r, UINT64_MAX)));
        objects[i].ost = (uint32_t)last;
        r->bad |= last < 0 || last > UINT32_MAX;
    }
    c->objects = objects;
    return 0;
}

static int get_component(struct reader *r, struct adl_component *c)
{
    uint64_t end;

    c->id = (uint32_t)wire_get(r, UINT32_MAX);
    c->flags = (uint32_t)wire_get(r, UINT32_MAX);
    c->start = (int64_t)wire_get(r, INT64_MAX);
    end = wire_get(r, INT64_MAX);
    c->end = end ? (int64_t)end - 1 : ADL_LAYOUT_EOF;
    c->magic = (uint32_t)wire_get(r, UINT32_MAX);
    c->pattern = (uint32_t)wire_get(r, UINT32_MAX);
    c->stripe_size = (int64_t)wire_get(r, INT64_MAX);
    c->stripe_count = (int)wire_get(r, UINT16_MAX);
    c->stripe_offset = (int)wire_get(r, UINT16_MAX);
    c->layout_gen = (uint32_t)wire_get(r, UINT32_MAX);
    get_pool(r, c->pool);
    return get_objects(r, c);
}

static int unpack_foreign(struct reader *r, struct adl_layout **out,
                          struct adl_err *err)
{
    struct adl_lov_foreign head = {.magic = ADL_LOV_MAGIC_FOREIGN};
    struct adl_layout *l;

    head.type = (uint32_t)wire_get(r, UINT32_MAX);
    head.flags = (uint32_t)wire_get(r, UINT32_MAX);
    if (r->bad)
        return adl_err_set(err, -EINVAL, "broken layout message");
    l = adl_layout_alloc(0, 0);
    if (l)
        l->value = calloc(1, 1);
    if (!l || !l->value) {
        adl_layout_destroy(l);
        return adl_err_set(err, -ENOMEM, "out of memory");
    }
    l->foreign = head;
    *out = l;
    return 0;
}

static void get_head(struct reader *r, struct adl_layout_head *head,
                     struct adl_layout_defaults *def)
{
    head->layout_gen = (uint32_t)wire_get(r, UINT32_MAX);
    head->flags = (unsigned)wire_get(r, UINT16_MAX);
    head->mirrors = (int)wire_get(r, UINT16_MAX + 1);
    def->ost_count = (int)wire_get(r, INT32_MAX);
    def->stripe_count = (int)wire_get(r, INT32_MAX);
    def->stripe_size = (int64_t)wire_get(r, INT64_MAX);
}

static int wire_unpack(struct reader *r, int kind, struct adl_layout **out,
                       struct adl_err *err)
{
    struct adl_layout_head head = {.composite = kind == KIND_COMPOSITE};
    struct adl_layout_defaults def;
    struct adl_component *comps;
    int n, rc = 0;

    get_head(r, &head, &def);
    n = (int)wire_get(r, UINT16_MAX);
    if (r->bad || !n || (size_t)n > r->left)
        return adl_err_set(err, -EINVAL, "broken layout message");
    comps = calloc((size_t)n, sizeof(*comps));
    if (!comps)
        return adl_err_set(err, -ENOMEM, "out of memory");
    for (int i = 0; i < n && !rc && !r->bad; i++)
        rc = get_component(r, &comps[i]);
    if (rc || r->bad)
        rc = adl_err_set(err, rc ? rc : -EINVAL, "broken layout message");
    else
        rc = adl_layout_create(&head, comps, n, &def, out, err);
    for (int i = 0; i < n; i++)
        free((void *)(uintptr_t)comps[i].objects);
    free(comps);
    return rc;
}

int adl_layout_unpack(const void *blob, size_t len, struct adl_layout **out,
                      struct adl_err *err)
{
    struct reader r = {.at = blob, .left = len};
    int version = (int)wire_get(&r, 0xff),
        kind = (int)wire_get(&r, KIND_COMPOSITE);

    if (r.bad || version != WIRE_VERSION)
        return adl_err_set(err, -EINVAL, "broken layout message");
    return kind == KIND_FOREIGN ? unpack_foreign(&r, out, err)
                                : wire_unpack(&r, kind, out, err);
}
