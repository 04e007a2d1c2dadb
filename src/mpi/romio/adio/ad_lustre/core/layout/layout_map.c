/* layout_map.c - from file offsets to objects */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_private.h"

int adl_layout_mapped(const struct adl_layout *layout)
{
    return layout->nsegs > 0;
}

int adl_layout_objects(const struct adl_layout *layout)
{
    return layout->nobjects;
}

/* Components are few and the hot path steps: a plain search will do. */
static int segment_at(const struct adl_layout *l, int64_t offset)
{
    int i = 0;

    while (i < l->nsegs - 1 && offset >= l->segs[i].stripes.end)
        i++;
    return i;
}

static void locate_byte(const struct adl_layout *l, int seg, int64_t offset,
                        struct adl_place *p)
{
    const struct adl_stripes *s = &l->segs[seg].stripes;
    int64_t stripe = adl_stripes_number(s, offset);
    int64_t origin = stripe * s->size;

    p->seg = seg;
    p->comp = l->segs[seg].comp;
    p->row = adl_stripes_row(s, stripe);
    p->object = adl_stripes_object(s, stripe, p->row);
    p->number = l->segs[seg].first + p->object;
    p->off = offset;
    p->end = adl_stripes_end(s, origin);
}

void adl_layout_locate(const struct adl_layout *layout, int64_t offset,
                       struct adl_place *place)
{
    int seg = layout->nsegs == 1 ? 0 : segment_at(layout, offset);

    locate_byte(layout, seg, offset, place);
}

void adl_layout_next_stripe(const struct adl_layout *layout,
                            struct adl_place *place)
{
    const struct adl_stripes *s = &layout->segs[place->seg].stripes;

    if (place->end >= s->end && place->seg < layout->nsegs - 1) {
        locate_byte(layout, place->seg + 1, place->end, place);
        return;
    }
    place->off = place->end;
    if (++place->object == s->count) {
        place->object = 0;
        place->row++;
    }
    place->number = layout->segs[place->seg].first + place->object;
    place->end = adl_stripes_end(s, place->off);
}

/* The segment an object number belongs to. */
static const struct segment *segment_of(const struct adl_layout *l, int number)
{
    const struct segment *s = l->segs;

    while (number >= s->first + s->stripes.count)
        s++;
    return s;
}

void adl_layout_home(const struct adl_layout *layout, int number,
                     struct adl_home *home)
{
    const struct segment *s = segment_of(layout, number);
    const struct adl_component *c = &layout->comps[s->comp];

    home->comp = s->comp;
    home->object = number - s->first;
    home->stripe_size = s->stripes.size;
    home->stripe_count = s->stripes.count;
    home->ost = -1;
    if (home->object < c->nobjects &&
        c->objects[home->object].ost != ADL_LOV_HOLE_OST)
        home->ost = (int)c->objects[home->object].ost;
}

int adl_layout_nstripings(const struct adl_layout *layout)
{
    return layout->nsegs;
}

const struct adl_stripes *adl_layout_striping(const struct adl_layout *layout,
                                              int i, int *first)
{
    *first = layout->segs[i].first;
    return &layout->segs[i].stripes;
}

void adl_layout_stripe(const struct adl_layout *layout, int64_t offset,
                       int64_t *size, int *count)
{
    const struct adl_stripes *s =
        &layout->segs[segment_at(layout, offset)].stripes;

    *size = s->size;
    *count = s->count;
}
