/* owner.c - which aggregator owns which stripe
 *
 * Everything is arithmetic on four numbers a component; no table of objects
 * or aggregators is kept. For object i of a component write i = nth * G + lap
 * with lap < G. All objects of one lap have the same group, (phase + lap) mod
 * G, where phase is the number of the component's first object mod G; a row
 * has `per` of them, or one more while lap < rest:
 *
 *   object  0 1 2 | 3 4 5 | 6 7     G = 3, count = 8: per = 2, rest = 2
 *   lap     0 1 2 | 0 1 2 | 0 1
 *   nth     0 0 0 | 1 1 1 | 2 2
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "owner.h"
#include "../layout/layout.h"
#include "../text/minmax.h"

#include <errno.h>
#include <stdlib.h>

struct comp {
    struct adl_stripes stripes;
    int phase;
    int per, rest;
};

struct adl_owner {
    int naggs;
    int groups;
    int members; /* aggregators of a group, */
    int larger;  /* and one more in the first `larger` groups */
    int ncomps;
    struct comp comp[];
};

/* ---- creation ---- */

static int largest_count(const struct adl_layout *layout)
{
    int first;
    int64_t largest = 0;

    for (int i = 0; i < adl_layout_nstripings(layout); i++)
        largest =
            adl_max(largest, adl_layout_striping(layout, i, &first)->count);
    return (int)largest;
}

static void add_comp(struct adl_owner *o, const struct adl_stripes *stripes,
                     int first)
{
    struct comp *c = &o->comp[o->ncomps++];

    c->stripes = *stripes;
    c->phase = first % o->groups;
    c->per = stripes->count / o->groups;
    c->rest = stripes->count % o->groups;
}

int adl_owner_create(const struct adl_layout *layout, int naggs,
                     struct adl_owner **out)
{
    struct adl_owner *o;
    int ncomps, first;

    if (naggs < 1 || !adl_layout_mapped(layout))
        return -EINVAL;
    ncomps = adl_layout_nstripings(layout);
    o = calloc(1, sizeof(*o) + (size_t)ncomps * sizeof(o->comp[0]));
    if (!o)
        return -ENOMEM;
    o->naggs = naggs;
    o->groups = (int)adl_min(naggs, largest_count(layout));
    o->members = naggs / o->groups;
    o->larger = naggs % o->groups;
    for (int i = 0; i < ncomps; i++) {
        const struct adl_stripes *s = adl_layout_striping(layout, i, &first);

        add_comp(o, s, first);
    }
    *out = o;
    return 0;
}

void adl_owner_destroy(struct adl_owner *owner)
{
    free(owner);
}

/* ---- questions ---- */

int adl_owner_naggs(const struct adl_owner *owner)
{
    return owner->naggs;
}

int adl_owner_ncomps(const struct adl_owner *owner)
{
    return owner->ncomps;
}

int64_t adl_owner_start(const struct adl_owner *owner, int comp)
{
    return owner->comp[comp].stripes.start;
}

int64_t adl_owner_stripe_size(const struct adl_owner *owner, int comp)
{
    return owner->comp[comp].stripes.size;
}

/* ---- from offset to stripe ---- */

static int members_of(const struct adl_owner *o, int group)
{
    return o->members + (group < o->larger);
}

static int per_row(const struct comp *c, int lap)
{
    return c->per + (lap < c->rest);
}

/* Owner and seq, from row, lap and nth. */
static void set_owner(const struct adl_owner *o, struct adl_stripe *s)
{
    const struct comp *c = &o->comp[s->comp];
    int group = c->phase + s->lap, members;
    int64_t turn = s->row;

    if (group >= o->groups)
        group -= o->groups;
    s->owner = group;
    members = members_of(o, group);
    if (members > 1) {
        turn = s->row / members;
        s->owner += o->groups * (int)(s->row - turn * members);
    }
    s->seq = turn * per_row(c, s->lap) + s->nth;
}

static void clip(const struct adl_stripes *c, struct adl_stripe *s)
{
    s->start = adl_stripes_begin(c, s->origin);
    s->end = adl_stripes_end(c, s->origin);
}

static void locate_stripe(const struct adl_owner *o, int comp, int64_t off,
                          struct adl_stripe *s)
{
    const struct adl_stripes *c = &o->comp[comp].stripes;
    int64_t number = adl_stripes_number(c, off);

    s->comp = comp;
    s->origin = number * c->size;
    s->row = adl_stripes_row(c, number);
    s->object = adl_stripes_object(c, number, s->row);
    s->lap = s->object % o->groups;
    s->nth = s->object / o->groups;
    clip(c, s);
    set_owner(o, s);
}

/* Components are few and the hot path steps: a plain search will do. */
static int comp_at(const struct adl_owner *o, int64_t off)
{
    int i = 0;

    while (i < o->ncomps - 1 && off >= o->comp[i].stripes.end)
        i++;
    return i;
}

void adl_owner_locate(const struct adl_owner *owner, int64_t off,
                      struct adl_stripe *stripe)
{
    locate_stripe(owner, comp_at(owner, off), off, stripe);
}

void adl_owner_next(const struct adl_owner *owner, struct adl_stripe *stripe)
{
    const struct adl_stripes *c = &owner->comp[stripe->comp].stripes;

    if (stripe->end >= c->end && stripe->comp < owner->ncomps - 1) {
        locate_stripe(owner, stripe->comp + 1, stripe->end, stripe);
        return;
    }
    stripe->origin = stripe->end;
    if (++stripe->object == c->count) {
        stripe->object = stripe->lap = stripe->nth = 0;
        stripe->row++;
    } else if (++stripe->lap == owner->groups) {
        stripe->lap = 0;
        stripe->nth++;
    }
    clip(c, stripe);
    set_owner(owner, stripe);
}

/* ---- from owner to stripe ---- */

/* An aggregator's place in a component; per 0: it has no object there. */
struct share {
    int lap, per;        /* its objects: lap, lap + G, ..., per of them */
    int member, members; /* its rows: member, member + members, ... */
};

static void share_of(const struct adl_owner *o, int agg, int comp,
                     struct share *share)
{
    int group = agg % o->groups;

    share->member = agg / o->groups;
    share->members = members_of(o, group);
    share->lap = group - o->comp[comp].phase;
    if (share->lap < 0)
        share->lap += o->groups;
    share->per = per_row(&o->comp[comp], share->lap);
}

int adl_owner_stripe(const struct adl_owner *owner, int agg, int comp,
                     int64_t seq, struct adl_stripe *stripe)
{
    const struct adl_stripes *c = &owner->comp[comp].stripes;
    struct adl_stripe s = {.comp = comp, .seq = seq, .owner = agg};
    struct share share;

    share_of(owner, agg, comp, &share);
    if (!share.per || seq < 0)
        return -ENOENT;
    s.lap = share.lap;
    s.nth = (int)(seq % share.per);
    s.object = s.nth * owner->groups + s.lap;
    if (__builtin_mul_overflow(seq / share.per, share.members, &s.row) ||
        __builtin_add_overflow(s.row, share.member, &s.row) ||
        adl_stripes_origin(c, s.row, s.object, &s.origin))
        return -ENOENT;
    clip(c, &s);
    if (s.start >= s.end)
        return -ENOENT;
    *stripe = s;
    return 0;
}

/* The lowest seq of an aggregator in a component with a byte at or after
 * `off`; it may lie behind the component. */
static int64_t first_seq(const struct adl_owner *o, int comp,
                         const struct share *share, int64_t off)
{
    const struct adl_stripes *c = &o->comp[comp].stripes;
    int64_t number = adl_stripes_number(c, off);
    int64_t row = adl_stripes_row(c, number);
    int64_t turn = row / share->members;
    int member = (int)(row % share->members);
    int object = adl_stripes_object(c, number, row), nth = 0;

    if (member == share->member && object > share->lap)
        nth = (object - share->lap + o->groups - 1) / o->groups;
    else if (member > share->member)
        turn++;
    return turn * share->per + nth; /* nth = per: the first of the next turn */
}

int adl_owner_first_at(const struct adl_owner *owner, int agg, int64_t off,
                       struct adl_stripe *stripe)
{
    struct share share;

    if (off == INT64_MAX)
        return -ENOENT;
    for (int comp = comp_at(owner, off); comp < owner->ncomps; comp++) {
        int64_t from = owner->comp[comp].stripes.start;

        share_of(owner, agg, comp, &share);
        if (share.per &&
            !adl_owner_stripe(
                owner, agg, comp,
                first_seq(owner, comp, &share, adl_max(off, from)), stripe))
            return 0;
    }
    return -ENOENT;
}
