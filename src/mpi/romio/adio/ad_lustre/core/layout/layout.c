/* layout.c - creating, checking and asking a layout */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct adl_layout *adl_layout_alloc(int ncomps, int nobjects)
{
    struct adl_layout *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->head.mirrors = 1;
    l->ncomps = ncomps;
    if (ncomps) {
        l->comps = calloc((size_t)ncomps, sizeof(*l->comps));
        l->segs = calloc((size_t)ncomps, sizeof(*l->segs));
    }
    if (nobjects)
        l->objects = calloc((size_t)nobjects, sizeof(*l->objects));
    if ((ncomps && (!l->comps || !l->segs)) || (nobjects && !l->objects)) {
        adl_layout_destroy(l);
        return NULL;
    }
    return l;
}

void adl_layout_destroy(struct adl_layout *layout)
{
    if (!layout)
        return;
    free(layout->comps);
    free(layout->segs);
    free(layout->objects);
    free(layout->value);
    free(layout);
}

/* ---- checks ---- */

static int is_template_count(const struct adl_component *c)
{
    return c->stripe_count == 0 ||
           c->stripe_count >= (int)ADL_LOV_ALL_OVERSTRIPED;
}

static int check_pattern(const struct adl_component *c, int i,
                         struct adl_err *err)
{
    uint32_t kind = c->pattern & 0xffff;

    kind &= ~ADL_LOV_PATTERN_COMPRESS;
    if (kind == ADL_LOV_PATTERN_MDT && c->nobjects)
        return adl_err_set(err, -EINVAL, "component %d: on MDT with objects",
                           i);
    if (kind == ADL_LOV_PATTERN_RAID0 || kind == ADL_LOV_PATTERN_MDT ||
        kind == (ADL_LOV_PATTERN_RAID0 | ADL_LOV_PATTERN_OVERSTRIPING) ||
        kind == 0)
        return 0;
    return adl_err_set(err, -EINVAL, "component %d: unknown pattern 0x%x", i,
                       (unsigned)c->pattern);
}

static int check_size(const struct adl_component *c, int i, struct adl_err *err)
{
    int64_t unit = ADL_LOV_STRIPE_UNIT, most = UINT32_MAX;

    if (c->flags & ADL_LCME_FL_EXTENSION) {
        unit = ADL_LOV_EXT_UNIT;
        most = (int64_t)UINT32_MAX * ADL_LOV_EXT_UNIT;
    }
    if (c->stripe_size < 0 || c->stripe_size > most || c->stripe_size % unit)
        return adl_err_set(err, -EINVAL,
                           "component %d: stripe size %" PRId64
                           " is not a multiple of %d below 4G",
                           i, c->stripe_size, (int)unit);
    if (c->nobjects && !c->stripe_size && c->magic != ADL_LOV_MAGIC_SPECIFIC)
        return adl_err_set(err, -EINVAL, "component %d: stripe size 0", i);
    return 0;
}

static int check_objects(const struct adl_component *c, int i,
                         struct adl_err *err)
{
    if (c->stripe_count < 0 || c->stripe_count > 0xffff)
        return adl_err_set(err, -EINVAL, "component %d: stripe count %d", i,
                           c->stripe_count);
    if (c->stripe_count > ADL_LOV_MAX_STRIPES && !is_template_count(c))
        return adl_err_set(err, -EINVAL,
                           "component %d: stripe count %d, at most %d", i,
                           c->stripe_count, ADL_LOV_MAX_STRIPES);
    if (c->nobjects && c->nobjects != c->stripe_count)
        return adl_err_set(err, -EINVAL,
                           "component %d: %d objects for %d stripes", i,
                           c->nobjects, c->stripe_count);
    for (int k = 0; k < c->nobjects; k++)
        if (c->objects[k].ost >= ADL_LOV_MAX_OST &&
            c->objects[k].ost != ADL_LOV_HOLE_OST)
            return adl_err_set(err, -EINVAL,
                               "component %d: object %d on OST 0x%x", i, k,
                               (unsigned)c->objects[k].ost);
    return 0;
}

/* A mirror starts where the mirror id changes; templates have no ids, there
 * it starts where the extents go back to 0. */
static int starts_mirror(const struct adl_layout *l, int i)
{
    const struct adl_component *c = &l->comps[i];

    if (i == 0)
        return 1;
    return adl_component_mirror(c) != adl_component_mirror(c - 1) ||
           (c->start == 0 && c[-1].end > 0);
}

static int check_extent(const struct adl_layout *l, int i, struct adl_err *err)
{
    const struct adl_component *c = &l->comps[i];
    int first = starts_mirror(l, i);
    int64_t want = first ? 0 : c[-1].end;

    if (c->start < 0 || c->end < c->start)
        return adl_err_set(err, -EINVAL,
                           "component %d: extent [%" PRId64 ", %" PRId64 ")",
                           i + 1, c->start, c->end);
    if (c->start != want || (!first && want == ADL_LAYOUT_EOF))
        return adl_err_set(err, -EINVAL,
                           "component %d: starts at %" PRId64 ", not %" PRId64,
                           i + 1, c->start, want);
    if (first && (c->flags & ADL_LCME_FL_EXTENSION))
        return adl_err_set(err, -EINVAL, "component %d: extends nothing",
                           i + 1);
    return 0;
}

static int check_component(const struct adl_layout *l, int i,
                           struct adl_err *err)
{
    const struct adl_component *c = &l->comps[i];
    int rc;

    rc = check_extent(l, i, err);
    if (!rc)
        rc = check_pattern(c, i + 1, err);
    if (!rc)
        rc = check_size(c, i + 1, err);
    if (!rc)
        rc = check_objects(c, i + 1, err);
    return rc;
}

/* ---- segments ---- */

/* The first mirror without a stale component, else the first: [from, to). */
static void choose_mirror(const struct adl_layout *l, int *from, int *to)
{
    int first = 0, stale = 0, end0 = 0;

    for (int i = 0; i <= l->ncomps; i++) {
        if (i == l->ncomps || (i > 0 && starts_mirror(l, i))) {
            if (!end0)
                end0 = i;
            if (!stale) {
                *from = first;
                *to = i;
                return;
            }
            first = i;
            stale = 0;
        }
        if (i < l->ncomps && (l->comps[i].flags & ADL_LCME_FL_STALE))
            stale = 1;
    }
    *from = 0;
    *to = end0;
}

static int on_mdt(const struct adl_component *c)
{
    return (c->pattern & 0xffff) == ADL_LOV_PATTERN_MDT;
}

static int resolve_count(const struct adl_component *c,
                         const struct adl_layout_defaults *def)
{
    int osts = def->ost_count > 0 ? def->ost_count : 1;
    int64_t n = c->stripe_count;

    if (on_mdt(c))
        return 1;
    if (n == 0)
        n = def->stripe_count > 0 ? def->stripe_count : 1;
    else if (n == (int64_t)ADL_LOV_ALL_STRIPES)
        n = osts;
    else if (n >= (int64_t)ADL_LOV_ALL_OVERSTRIPED)
        n = (ADL_LOV_ALL_STRIPES + 1 - n) * osts;
    return n > ADL_LOV_MAX_STRIPES ? ADL_LOV_MAX_STRIPES : (int)n;
}

static int64_t resolve_size(const struct adl_component *c,
                            const struct adl_layout_defaults *def)
{
    if (c->stripe_size > 0)
        return c->stripe_size;
    if (on_mdt(c) && c->end < ADL_LAYOUT_EOF && c->end > 0)
        return c->end;
    return def->stripe_size > 0 ? def->stripe_size : 1 << 20;
}

static void add_segment(struct adl_layout *l, int comp,
                        const struct adl_layout_defaults *def)
{
    const struct adl_component *c = &l->comps[comp];
    struct segment *s = &l->segs[l->nsegs++];

    s->comp = comp;
    s->stripes.start = c->start;
    s->stripes.end = c->end;
    s->stripes.count = c->nobjects ? c->nobjects : resolve_count(c, def);
    adl_stripes_set_size(&s->stripes, resolve_size(c, def));
}

/* An extension lengthens the component before it; what then has no extent
 * is dropped. */
static void build_segments(struct adl_layout *l)
{
    int from, to, kept = 0;

    choose_mirror(l, &from, &to);
    for (int i = from; i < to; i++) {
        if (l->comps[i].flags & ADL_LCME_FL_EXTENSION)
            l->segs[l->nsegs - 1].stripes.end = l->comps[i].end;
        else
            add_segment(l, i, &l->def);
    }
    for (int i = 0; i < l->nsegs; i++) {
        const struct adl_stripes *s = &l->segs[i].stripes;

        if (s->start == s->end && (kept || i < l->nsegs - 1))
            continue;
        l->segs[kept] = l->segs[i];
        l->segs[kept].first = l->nobjects;
        l->nobjects += l->segs[kept].stripes.count;
        kept++;
    }
    l->nsegs = kept;
    l->segs[kept - 1].stripes.end = ADL_LAYOUT_EOF;
}

int adl_layout_finish(struct adl_layout *layout,
                      const struct adl_layout_defaults *def,
                      struct adl_err *err)
{
    int rc;

    if (layout->ncomps < 1)
        return adl_err_set(err, -EINVAL, "no components");
    for (int i = 0; i < layout->ncomps; i++) {
        rc = check_component(layout, i, err);
        if (rc < 0)
            return rc;
    }
    if (def)
        layout->def = *def;
    build_segments(layout);
    return 0;
}

/* ---- creation ---- */

static void copy_components(struct adl_layout *l,
                            const struct adl_component *comps)
{
    struct adl_object *next = l->objects;

    for (int i = 0; i < l->ncomps; i++) {
        struct adl_component *c = &l->comps[i];

        *c = comps[i];
        c->pool[ADL_LOV_POOL_LEN] = 0;
        c->objects = NULL;
        if (!c->nobjects)
            continue;
        memcpy(next, comps[i].objects, (size_t)c->nobjects * sizeof(*next));
        c->objects = next;
        next += c->nobjects;
    }
}

int adl_layout_create(const struct adl_layout_head *head,
                      const struct adl_component *comps, int ncomps,
                      const struct adl_layout_defaults *def,
                      struct adl_layout **out, struct adl_err *err)
{
    struct adl_layout *l;
    int nobjects = 0, rc;

    if (ncomps < 1 || ncomps > 0xffff || (!head->composite && ncomps != 1))
        return adl_err_set(err, -EINVAL, "%d components", ncomps);
    for (int i = 0; i < ncomps; i++) {
        if (comps[i].nobjects < 0 || comps[i].nobjects > ADL_LOV_MAX_STRIPES)
            return adl_err_set(err, -EINVAL, "component %d: %d objects", i + 1,
                               comps[i].nobjects);
        nobjects += comps[i].nobjects;
    }
    l = adl_layout_alloc(ncomps, nobjects);
    if (!l)
        return adl_err_set(err, -ENOMEM, "out of memory");
    l->head = *head;
    copy_components(l, comps);
    rc = adl_layout_finish(l, def, err);
    if (rc < 0)
        adl_layout_destroy(l);
    else
        *out = l;
    return rc;
}

int adl_layout_plain(int64_t stripe_size, int stripe_count,
                     struct adl_layout **out)
{
    struct adl_layout *l;

    if (stripe_size < 1 || stripe_count < 1 ||
        stripe_count > ADL_LOV_MAX_STRIPES ||
        stripe_size > INT64_MAX / stripe_count)
        return -EINVAL;
    l = adl_layout_alloc(1, 0);
    if (!l)
        return -ENOMEM;
    /* The size is kept as a default: it may be one Lustre does not allow. */
    l->comps[0] = (struct adl_component){.end = ADL_LAYOUT_EOF,
                                         .magic = ADL_LOV_MAGIC_V1,
                                         .pattern = ADL_LOV_PATTERN_RAID0,
                                         .stripe_count = stripe_count,
                                         .stripe_offset = ADL_LOV_OFFSET_ANY};
    l->def.stripe_size = stripe_size;
    build_segments(l);
    *out = l;
    return 0;
}

/* ---- questions ---- */

const struct adl_layout_head *adl_layout_head(const struct adl_layout *layout)
{
    return &layout->head;
}

const struct adl_layout_defaults *
adl_layout_defaults(const struct adl_layout *layout)
{
    return &layout->def;
}

int adl_layout_ncomponents(const struct adl_layout *layout)
{
    return layout->ncomps;
}

const struct adl_component *
adl_layout_component(const struct adl_layout *layout, int i)
{
    return &layout->comps[i];
}

int adl_layout_nmirrors(const struct adl_layout *layout)
{
    int n = 0;

    for (int i = 0; i < layout->ncomps; i++)
        n += starts_mirror(layout, i);
    return n;
}

const void *adl_layout_foreign(const struct adl_layout *layout,
                               struct adl_lov_foreign *head)
{
    if (layout->foreign.magic != ADL_LOV_MAGIC_FOREIGN)
        return NULL;
    if (head)
        *head = layout->foreign;
    return layout->value;
}

int adl_component_mirror(const struct adl_component *comp)
{
    return (int)((comp->id >> ADL_LCME_MIRROR_SHIFT) & ADL_LCME_MIRROR_MASK);
}
