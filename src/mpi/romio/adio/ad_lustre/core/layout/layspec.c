/* layspec.c - a layout to ask for: building, checking, the binary form */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layspec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct adl_spec_comp *adl_layout_spec_add(struct adl_layout_spec *spec)
{
    size_t n = (size_t)spec->ncomps + 1;
    struct adl_spec_comp *more;

    more = realloc(spec->comps, n * sizeof(*more));
    if (!more)
        return NULL;
    spec->comps = more;
    spec->ncomps++;
    more += n - 1;
    memset(more, 0, sizeof(*more));
    more->start_ost = -1;
    return more;
}

/* "All OSTs" and its overstriped forms are large numbers on disk. */
static int asked_count(const struct adl_component *c)
{
    if (c->stripe_count >= (int)ADL_LOV_ALL_OVERSTRIPED)
        return c->stripe_count - (int)(ADL_LOV_ALL_STRIPES + 1);
    return c->stripe_count;
}

void adl_spec_comp_like(struct adl_spec_comp *comp,
                        const struct adl_component *from)
{
    comp->mdt = !!(from->pattern & ADL_LOV_PATTERN_MDT);
    comp->overstriped = !!(from->pattern & ADL_LOV_PATTERN_OVERSTRIPING);
    comp->stripe_count = comp->mdt ? 0 : asked_count(from);
    comp->stripe_size = comp->mdt ? 0 : from->stripe_size;
    memcpy(comp->pool, from->pool, sizeof(comp->pool));
}

void adl_layout_spec_clear(struct adl_layout_spec *spec)
{
    for (int i = 0; i < spec->ncomps; i++)
        free(spec->comps[i].osts);
    free(spec->comps);
    memset(spec, 0, sizeof(*spec));
}

/* ---- list of OSTs ---- */

static int add_ost(struct adl_spec_comp *c, unsigned ost)
{
    size_t n = (size_t)c->nosts;
    uint16_t *more;

    if (c->nosts >= ADL_LOV_MAX_STRIPES)
        return -ERANGE;
    more = realloc(c->osts, (n + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    c->osts = more;
    for (int i = 0; i < c->nosts; i++)
        if (more[i] == ost)
            c->overstriped = 1;
    more[c->nosts++] = (uint16_t)ost;
    return 0;
}

/* A number below the largest OST index; steps over it. */
static int ost_number(const char **text, unsigned *out)
{
    const char *p = *text;
    unsigned n = 0;

    if (!isdigit((unsigned char)*p))
        return -EINVAL;
    for (; isdigit((unsigned char)*p); p++) {
        n = n * 10 + (unsigned)(*p - '0');
        if (n >= ADL_LOV_MAX_OST)
            return -EINVAL;
    }
    *text = p;
    *out = n;
    return 0;
}

static int ost_range(const char **text, unsigned *from, unsigned *to)
{
    int rc = ost_number(text, from);

    *to = *from;
    if (!rc && **text == '-') {
        (*text)++;
        rc = ost_number(text, to);
    }
    return !rc && *to < *from ? -EINVAL : rc;
}

int adl_spec_comp_osts(struct adl_spec_comp *comp, const char *list,
                       struct adl_err *err)
{
    const char *p = list;
    unsigned from = 0, to = 0;
    int rc;

    for (;;) {
        rc = ost_range(&p, &from, &to);
        if (rc || (*p && *p != ','))
            return adl_err_set(err, -EINVAL, "\"%.40s\" is no list of OSTs",
                               list);
        for (; from <= to && !rc; from++)
            rc = add_ost(comp, from);
        if (rc == -ERANGE)
            return adl_err_set(err, -EINVAL, "more than %d OSTs listed",
                               ADL_LOV_MAX_STRIPES);
        if (rc < 0)
            return adl_err_set(err, rc, "out of memory");
        if (!*p++)
            return 0;
    }
}

int adl_spec_comp_pool(struct adl_spec_comp *comp, const char *name,
                       struct adl_err *err)
{
    const char *dot = strchr(name, '.');
    size_t len;

    if (dot)
        name = dot + 1;
    if (strcmp(name, "none") == 0)
        name = "";
    len = strlen(name);
    if (len > ADL_LOV_POOL_LEN)
        return adl_err_set(err, -EINVAL,
                           "pool name \"%.40s\" is longer than %d", name,
                           ADL_LOV_POOL_LEN);
    if (dot && !len)
        return adl_err_set(err, -EINVAL, "no pool name behind the dot");
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_-", name[i]))
            return adl_err_set(err, -EINVAL, "\"%.40s\" is no pool name", name);
    memset(comp->pool, 0, sizeof(comp->pool));
    memcpy(comp->pool, name, len);
    return 0;
}

/* ---- checks ---- */

/* Where component i starts: the end of the one before, in its mirror. */
static int64_t start_of(const struct adl_layout_spec *s, int i)
{
    if (i == 0 || s->comps[i].mirror != s->comps[i - 1].mirror)
        return 0;
    return s->comps[i - 1].end;
}

static int is_last(const struct adl_layout_spec *s, int i)
{
    return i == s->ncomps - 1 || s->comps[i].mirror != s->comps[i + 1].mirror;
}

/* "not said" is an open end. */
static int64_t end_of(const struct adl_spec_comp *c)
{
    return c->end ? c->end : ADL_LAYOUT_EOF;
}

static int check_end(const struct adl_layout_spec *s, int i,
                     struct adl_err *err)
{
    int64_t start = start_of(s, i), end = end_of(&s->comps[i]);

    if (!is_last(s, i) && end == ADL_LAYOUT_EOF)
        return adl_err_set(err, -EINVAL,
                           "component %d has no end, but more follow", i + 1);
    if (end <= start)
        return adl_err_set(err, -EINVAL,
                           "component %d ends at %" PRId64
                           ", not behind its start %" PRId64,
                           i + 1, end, start);
    if (end != ADL_LAYOUT_EOF && end % ADL_LOV_STRIPE_UNIT)
        return adl_err_set(err, -EINVAL,
                           "component %d: end %" PRId64
                           " is not a multiple of 64 KiB",
                           i + 1, end);
    return 0;
}

static int check_asked_size(const struct adl_spec_comp *c, int i,
                            struct adl_err *err)
{
    if (c->stripe_size < 0 || c->stripe_size > UINT32_MAX ||
        c->stripe_size % ADL_LOV_STRIPE_UNIT)
        return adl_err_set(err, -EINVAL,
                           "component %d: stripe size %" PRId64
                           " is not a multiple of 64 KiB below 4 GiB",
                           i + 1, c->stripe_size);
    if (c->ext_size < 0 || c->ext_size % ADL_LOV_STRIPE_UNIT ||
        c->ext_size / ADL_LOV_EXT_UNIT > UINT32_MAX)
        return adl_err_set(err, -EINVAL,
                           "component %d: extension size %" PRId64
                           " is not a multiple of 64 KiB below 4 TiB",
                           i + 1, c->ext_size);
    return 0;
}

static int check_count(const struct adl_spec_comp *c, int i,
                       struct adl_err *err)
{
    int least = c->overstriped && !c->nosts ? -32 : -1;

    if (c->stripe_count < least || c->stripe_count > ADL_LOV_MAX_STRIPES)
        return adl_err_set(err, -EINVAL,
                           "component %d: stripe count %d is not in %d to %d",
                           i + 1, c->stripe_count, least, ADL_LOV_MAX_STRIPES);
    if (c->nosts && c->stripe_count && c->stripe_count != c->nosts)
        return adl_err_set(err, -EINVAL,
                           "component %d: stripe count %d, but %d OSTs listed",
                           i + 1, c->stripe_count, c->nosts);
    if (c->start_ost < -1 || c->start_ost >= (int)ADL_LOV_MAX_OST)
        return adl_err_set(err, -EINVAL, "component %d: first OST %d", i + 1,
                           c->start_ost);
    if (c->nosts && c->start_ost >= 0)
        return adl_err_set(err, -EINVAL,
                           "component %d: first OST and list of OSTs", i + 1);
    return 0;
}

static int check_mdt(const struct adl_layout_spec *s, int i,
                     struct adl_err *err)
{
    const struct adl_spec_comp *c = &s->comps[i];

    if (start_of(s, i) != 0 || end_of(c) == ADL_LAYOUT_EOF)
        return adl_err_set(err, -EINVAL,
                           "component %d: on the MDT, but not a first "
                           "component with an end",
                           i + 1);
    if (c->stripe_count || c->nosts || c->start_ost >= 0 || c->ext_size ||
        c->pool[0] || end_of(c) > UINT32_MAX)
        return adl_err_set(err, -EINVAL,
                           "component %d: on the MDT, takes no OST options",
                           i + 1);
    return 0;
}

int adl_layout_spec_check(const struct adl_layout_spec *spec,
                          struct adl_err *err)
{
    int rc = 0;

    if (spec->ncomps < 1 || (!spec->composite && spec->ncomps > 1))
        return adl_err_set(err, -EINVAL, "%d components", spec->ncomps);
    for (int i = 0; i < spec->ncomps && !rc; i++) {
        const struct adl_spec_comp *c = &spec->comps[i];

        rc = check_end(spec, i, err);
        if (!rc)
            rc = check_asked_size(c, i, err);
        if (!rc)
            rc = check_count(c, i, err);
        if (!rc && c->mdt)
            rc = check_mdt(spec, i, err);
        if (!rc && !spec->composite &&
            (c->ext_size || end_of(c) != ADL_LAYOUT_EOF))
            rc = adl_err_set(err, -EINVAL, "a plain layout has no end");
    }
    return rc;
}

/* ---- the blob to set ---- */

static uint32_t magic_of(const struct adl_spec_comp *c)
{
    if (c->nosts)
        return ADL_LOV_MAGIC_SPECIFIC;
    return c->pool[0] ? ADL_LOV_MAGIC_V3 : ADL_LOV_MAGIC_V1;
}

static uint32_t pattern_of(const struct adl_spec_comp *c)
{
    if (c->mdt)
        return ADL_LOV_PATTERN_MDT;
    return ADL_LOV_PATTERN_RAID0 |
           (c->overstriped ? ADL_LOV_PATTERN_OVERSTRIPING : 0);
}

static int list_objects(const struct adl_spec_comp *c, struct adl_component *o)
{
    struct adl_object *objects;

    if (!c->nosts)
        return 0;
    objects = calloc((size_t)c->nosts, sizeof(*objects));
    if (!objects)
        return -ENOMEM;
    for (int i = 0; i < c->nosts; i++)
        objects[i].ost = c->osts[i];
    o->objects = objects;
    o->nobjects = c->nosts;
    o->stripe_count = c->nosts;
    o->stripe_offset = c->osts[0];
    return 0;
}

static int fill_component(const struct adl_layout_spec *s, int i,
                          struct adl_component *o)
{
    const struct adl_spec_comp *c = &s->comps[i];

    o->start = start_of(s, i);
    o->end = end_of(c);
    o->magic = magic_of(c);
    o->pattern = pattern_of(c);
    o->stripe_size = c->mdt ? o->end : c->stripe_size;
    o->stripe_count = c->stripe_count & 0xffff;
    o->stripe_offset = c->start_ost & 0xffff;
    memcpy(o->pool, c->pool, sizeof(o->pool));
    return list_objects(c, o);
}

/* Split off the part that only grows on demand. The first component of a
 * file gets its objects at once, so it starts with one step; later ones start
 * with nothing. */
static int extend(const struct adl_spec_comp *c, struct adl_component *o)
{
    struct adl_component *ext = o + 1;
    int64_t keep = o->start ? o->start : c->ext_size;

    if (!c->ext_size || keep >= o->end)
        return 0;
    *ext = *o;
    ext->nobjects = 0;
    ext->objects = NULL;
    ext->magic = c->pool[0] ? ADL_LOV_MAGIC_V3 : ADL_LOV_MAGIC_V1;
    ext->stripe_offset = ADL_LOV_OFFSET_ANY;
    ext->flags |= ADL_LCME_FL_EXTENSION;
    ext->stripe_size = c->ext_size;
    ext->start = o->end = keep;
    return 1;
}

static int encode(const struct adl_layout_spec *s, struct adl_component *comps,
                  int n, void **blob, size_t *len)
{
    struct adl_layout_head head = {.composite = s->composite};
    struct adl_layout *layout = NULL;
    int rc;

    head.mirrors = s->comps[s->ncomps - 1].mirror + 1;
    rc = adl_layout_create(&head, comps, n, NULL, &layout, NULL);
    if (!rc)
        rc = adl_layout_encode(layout, blob, len);
    adl_layout_destroy(layout);
    return rc;
}

int adl_layout_spec_encode(const struct adl_layout_spec *spec, void **blob,
                           size_t *len, struct adl_err *err)
{
    struct adl_component *comps;
    int n = 0, rc;

    rc = adl_layout_spec_check(spec, err);
    if (rc < 0)
        return rc;
    comps = calloc(2 * (size_t)spec->ncomps, sizeof(*comps));
    if (!comps)
        return adl_err_set(err, -ENOMEM, "out of memory");
    for (int i = 0; i < spec->ncomps && !rc; i++) {
        rc = fill_component(spec, i, &comps[n]);
        n++;
        if (!rc)
            n += extend(&spec->comps[i], &comps[n - 1]);
    }
    if (!rc)
        rc = encode(spec, comps, n, blob, len);
    for (int i = 0; i < n; i++)
        free((void *)(uintptr_t)comps[i].objects);
    free(comps);
    return rc ? adl_err_set(err, rc, "cannot build this layout") : 0;
}
