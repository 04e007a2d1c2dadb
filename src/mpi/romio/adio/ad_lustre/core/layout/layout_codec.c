/* layout_codec.c - decodes and encodes the kernel's binary form of a layout
 *
 * The decoder checks every length against the size of the blob before it uses
 * it. The parts of a composite layout must lie behind each other in the blob,
 * so that a small blob cannot need much memory.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct blob {
    const unsigned char *at;
    size_t len;
};

static int truncated(struct adl_err *err, const char *what, size_t have,
                     size_t need)
{
    return adl_err_set(err, -EINVAL, "%s truncated: %zu bytes of %zu", what,
                       have, need);
}

static int64_t from_extent(uint64_t v)
{
    if (v == ADL_LCME_EOF)
        return ADL_LAYOUT_EOF;
    return v >= (uint64_t)ADL_LAYOUT_EOF ? -1 : (int64_t)v;
}

static uint64_t to_extent(int64_t v)
{
    return v == ADL_LAYOUT_EOF ? ADL_LCME_EOF : (uint64_t)v;
}

static int has_pool(uint32_t magic)
{
    return magic == ADL_LOV_MAGIC_V3 || magic == ADL_LOV_MAGIC_SPECIFIC;
}

static size_t header_size(uint32_t magic)
{
    return sizeof(struct adl_lov_user) +
           (has_pool(magic) ? ADL_LOV_POOL_SIZE : 0);
}

static size_t component_size(const struct adl_component *c)
{
    return header_size(c->magic) +
           (size_t)c->nobjects * sizeof(struct adl_lov_entry);
}

/* ---- decoding ---- */

/* How many object entries follow the header: all or none. A template (of a
 * directory, of a component not yet written to, of a released file) is only
 * the header, whatever its stripe count says. With `open` (a component without
 * objects) whatever follows is padding, but for a list of OSTs to use. */
static int count_objects(struct blob b, const struct adl_lov_user *u, int open,
                         int *count, struct adl_err *err)
{
    size_t head = header_size(u->magic);
    size_t all = head + u->stripe_count * sizeof(struct adl_lov_entry);

    if (b.len < head)
        return truncated(err, "stripe header", b.len, head);
    *count = 0;
    if (b.len == head || (open && u->magic != ADL_LOV_MAGIC_SPECIFIC))
        return 0;
    if (b.len < all)
        return truncated(err, "object list", b.len, all);
    if (b.len > all)
        return adl_err_set(err, -EINVAL, "%zu bytes behind %u objects",
                           b.len - all, (unsigned)u->stripe_count);
    if (u->stripe_count > ADL_LOV_MAX_STRIPES)
        return adl_err_set(err, -EINVAL, "%u stripes, at most %d",
                           (unsigned)u->stripe_count, ADL_LOV_MAX_STRIPES);
    *count = u->stripe_count;
    return 0;
}

static int read_user(struct blob b, int open, struct adl_lov_user *u,
                     int *count, struct adl_err *err)
{
    if (b.len < sizeof(*u))
        return truncated(err, "stripe header", b.len, sizeof(*u));
    memcpy(u, b.at, sizeof(*u));
    if (u->magic != ADL_LOV_MAGIC_V1 && !has_pool(u->magic))
        return adl_err_set(err, -EINVAL, "unknown layout magic 0x%08x",
                           (unsigned)u->magic);
    return count_objects(b, u, open, count, err);
}

static void read_objects(const unsigned char *at, int count,
                         struct adl_object *objects)
{
    struct adl_lov_entry e;

    for (int i = 0; i < count; i++, at += sizeof(e)) {
        memcpy(&e, at, sizeof(e));
        objects[i] = (struct adl_object){.seq = e.seq,
                                         .oid = e.oid,
                                         .ver = e.ver,
                                         .gen = e.gen,
                                         .ost = e.ost};
    }
}

/* Fill a component from its V1, V3 or SPECIFIC form. The extent, the flags
 * and room for the objects are there already. */
static int read_plain(struct blob b, int open, struct adl_component *c,
                      struct adl_object *objects, struct adl_err *err)
{
    struct adl_lov_user u = {0};
    int rc, unit = c->flags & ADL_LCME_FL_EXTENSION ? ADL_LOV_EXT_UNIT : 1;

    rc = read_user(b, open, &u, &c->nobjects, err);
    if (rc < 0)
        return rc;
    c->magic = u.magic;
    c->pattern = u.pattern;
    c->file_id = u.object_id;
    c->file_seq = u.object_seq;
    c->stripe_size = (int64_t)u.stripe_size * unit;
    c->stripe_count = u.stripe_count;
    c->stripe_offset = u.stripe_offset;
    if (has_pool(u.magic))
        memcpy(c->pool, b.at + sizeof(u), ADL_LOV_POOL_LEN);
    if (c->nobjects) {
        read_objects(b.at + header_size(u.magic), c->nobjects, objects);
        c->objects = objects;
    }
    return 0;
}

/* No blob has more objects: the parts of a composite one do not overlap. */
static int most_objects(struct blob b)
{
    return (int)(b.len / sizeof(struct adl_lov_entry));
}

static int decode_plain(struct blob b, struct adl_layout **out,
                        struct adl_err *err)
{
    *out = adl_layout_alloc(1, most_objects(b));
    if (!*out)
        return adl_err_set(err, -ENOMEM, "out of memory");
    (*out)->comps[0].end = ADL_LAYOUT_EOF;
    return read_plain(b, 0, (*out)->comps, (*out)->objects, err);
}

static int decode_foreign(struct blob b, struct adl_layout **out,
                          struct adl_err *err)
{
    struct adl_lov_foreign f;

    if (b.len < sizeof(f))
        return truncated(err, "foreign layout", b.len, sizeof(f));
    memcpy(&f, b.at, sizeof(f));
    if (f.length > b.len - sizeof(f))
        return truncated(err, "foreign layout", b.len,
                         sizeof(f) + (size_t)f.length);
    *out = adl_layout_alloc(0, 0);
    if (*out)
        (*out)->value = calloc(1, (size_t)f.length + 1);
    if (!*out || !(*out)->value)
        return adl_err_set(err, -ENOMEM, "out of memory");
    memcpy((*out)->value, b.at + sizeof(f), f.length);
    (*out)->foreign = f;
    return 0;
}

static size_t table_end(const struct adl_lov_comp_head *h)
{
    return sizeof(*h) + h->entry_count * sizeof(struct adl_lov_comp_entry);
}

static int read_head(struct blob *b, struct adl_lov_comp_head *h,
                     struct adl_err *err)
{
    if (b->len < sizeof(*h))
        return truncated(err, "composite header", b->len, sizeof(*h));
    memcpy(h, b->at, sizeof(*h));
    if (h->size > b->len)
        return truncated(err, "composite layout", b->len, h->size);
    if (h->size < table_end(h))
        return truncated(err, "component table", h->size, table_end(h));
    if (!h->entry_count)
        return adl_err_set(err, -EINVAL, "composite without components");
    b->len = h->size;
    return 0;
}

/* Entry i, and the part of the blob that is its own layout. `floor` is where
 * that may begin at the earliest; it moves on. */
static int read_entry(struct blob b, int i, struct adl_lov_comp_entry *e,
                      struct blob *part, size_t *floor, struct adl_err *err)
{
    memcpy(e, b.at + sizeof(struct adl_lov_comp_head) + (size_t)i * sizeof(*e),
           sizeof(*e));
    if (e->offset < *floor || e->offset > b.len || e->size > b.len - e->offset)
        return adl_err_set(err, -EINVAL,
                           "component %d: its layout [%u, +%u) is out of place",
                           i + 1, (unsigned)e->offset, (unsigned)e->size);
    part->at = b.at + e->offset;
    part->len = e->size;
    *floor = (size_t)e->offset + e->size;
    return 0;
}

static int is_open(const struct adl_lov_comp_entry *e)
{
    return !(e->flags & ADL_LCME_FL_INIT);
}

static int read_component(struct blob b, struct adl_layout *l, int i,
                          size_t *floor, struct adl_object **objects,
                          struct adl_err *err)
{
    struct adl_component *c = &l->comps[i];
    struct adl_lov_comp_entry e;
    struct blob part;
    int rc;

    rc = read_entry(b, i, &e, &part, floor, err);
    if (rc < 0)
        return rc;
    c->id = e.id;
    c->flags = e.flags;
    c->start = from_extent(e.start);
    c->end = from_extent(e.end);
    c->layout_gen = e.layout_gen;
    c->timestamp = e.timestamp;
    memcpy(c->tail, e.tail, sizeof(c->tail));
    rc = read_plain(part, is_open(&e), c, *objects, err);
    if (!rc && c->nobjects)
        *objects += c->nobjects;
    return rc;
}

static int decode_composite(struct blob b, struct adl_layout **out,
                            struct adl_err *err)
{
    struct adl_lov_comp_head h = {0};
    struct adl_object *objects;
    size_t floor;
    int rc = read_head(&b, &h, err);

    if (rc < 0)
        return rc;
    *out = adl_layout_alloc(h.entry_count, most_objects(b));
    if (!*out)
        return adl_err_set(err, -ENOMEM, "out of memory");
    (*out)->head = (struct adl_layout_head){.composite = 1,
                                            .layout_gen = h.layout_gen,
                                            .flags = h.flags,
                                            .mirrors = h.mirror_count + 1};
    floor = table_end(&h);
    objects = (*out)->objects;
    for (int i = 0; i < h.entry_count && !rc; i++)
        rc = read_component(b, *out, i, &floor, &objects, err);
    return rc;
}

static int decode_blob(struct blob b, struct adl_layout **out,
                       struct adl_err *err)
{
    uint32_t magic;

    if (!b.at || b.len < sizeof(magic))
        return truncated(err, "layout", b.at ? b.len : 0, sizeof(magic));
    memcpy(&magic, b.at, sizeof(magic));
    if (magic == ADL_LOV_MAGIC_FOREIGN)
        return decode_foreign(b, out, err);
    if (magic == ADL_LOV_MAGIC_COMP_V1 || magic == ADL_LOV_MAGIC_SEL)
        return decode_composite(b, out, err);
    return decode_plain(b, out, err);
}

int adl_layout_decode(const void *blob, size_t len,
                      const struct adl_layout_defaults *def,
                      struct adl_layout **out, struct adl_err *err)
{
    struct blob b = {.at = blob, .len = len};
    struct adl_layout *l = NULL;
    int rc;

    rc = decode_blob(b, &l, err);
    if (!rc && l->ncomps)
        rc = adl_layout_finish(l, def, err);
    if (rc < 0)
        adl_layout_destroy(l);
    else
        *out = l;
    return rc;
}

/* ---- encoding ---- */

static unsigned char *put_bytes(unsigned char *at, const void *what, size_t len)
{
    memcpy(at, what, len);
    return at + len;
}

static unsigned char *write_plain(unsigned char *at,
                                  const struct adl_component *c)
{
    int unit = c->flags & ADL_LCME_FL_EXTENSION ? ADL_LOV_EXT_UNIT : 1;
    struct adl_lov_user u = {.magic = c->magic,
                             .pattern = c->pattern,
                             .object_id = c->file_id,
                             .object_seq = c->file_seq,
                             .stripe_size = (uint32_t)(c->stripe_size / unit),
                             .stripe_count = (uint16_t)c->stripe_count,
                             .stripe_offset = (uint16_t)c->stripe_offset};

    at = put_bytes(at, &u, sizeof(u));
    if (has_pool(c->magic))
        at = put_bytes(at, c->pool, ADL_LOV_POOL_SIZE);
    for (int i = 0; i < c->nobjects; i++) {
        const struct adl_object *o = &c->objects[i];
        struct adl_lov_entry e = {.seq = o->seq,
                                  .oid = o->oid,
                                  .ver = o->ver,
                                  .gen = o->gen,
                                  .ost = o->ost};
        at = put_bytes(at, &e, sizeof(e));
    }
    return at;
}

static unsigned char *write_entry(unsigned char *at,
                                  const struct adl_component *c, size_t offset)
{
    struct adl_lov_comp_entry e = {.id = c->id,
                                   .flags = c->flags,
                                   .start = to_extent(c->start),
                                   .end = to_extent(c->end),
                                   .offset = (uint32_t)offset,
                                   .size = (uint32_t)component_size(c),
                                   .layout_gen = c->layout_gen,
                                   .timestamp = c->timestamp};

    memcpy(e.tail, c->tail, sizeof(e.tail));
    return put_bytes(at, &e, sizeof(e));
}

static size_t encoded_size(const struct adl_layout *l)
{
    size_t size = 0;

    if (!l->ncomps)
        return sizeof(l->foreign) + l->foreign.length;
    if (l->head.composite)
        size = sizeof(struct adl_lov_comp_head) +
               (size_t)l->ncomps * sizeof(struct adl_lov_comp_entry);
    for (int i = 0; i < l->ncomps; i++)
        size += component_size(&l->comps[i]);
    return size;
}

static void write_composite(unsigned char *at, const struct adl_layout *l,
                            size_t size)
{
    struct adl_lov_comp_head h = {.magic = ADL_LOV_MAGIC_COMP_V1,
                                  .size = (uint32_t)size,
                                  .layout_gen = l->head.layout_gen,
                                  .flags = (uint16_t)l->head.flags,
                                  .entry_count = (uint16_t)l->ncomps,
                                  .mirror_count =
                                      (uint16_t)(l->head.mirrors - 1)};
    size_t offset = table_end(&h);

    at = put_bytes(at, &h, sizeof(h));
    for (int i = 0; i < l->ncomps; i++) {
        at = write_entry(at, &l->comps[i], offset);
        offset += component_size(&l->comps[i]);
    }
    for (int i = 0; i < l->ncomps; i++)
        at = write_plain(at, &l->comps[i]);
}

int adl_layout_encode(const struct adl_layout *layout, void **blob, size_t *len)
{
    size_t size = encoded_size(layout);
    unsigned char *at;

    if (size > UINT32_MAX)
        return -E2BIG;
    at = calloc(1, size);
    if (!at)
        return -ENOMEM;
    *blob = at;
    *len = size;
    if (layout->head.composite)
        write_composite(at, layout, size);
    else if (layout->ncomps)
        write_plain(at, layout->comps);
    else
        put_bytes(put_bytes(at, &layout->foreign, sizeof(layout->foreign)),
                  layout->value, layout->foreign.length);
    return 0;
}
