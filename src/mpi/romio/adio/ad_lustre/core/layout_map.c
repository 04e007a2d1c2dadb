/* layout_map.c - from file offsets to objects and back */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "layout_private.h"

#include <errno.h>

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

    while (i < l->nsegs - 1 && offset >= l->segs[i].end)
        i++;
    return i;
}

/* The end of the stripe that starts at `start`, within the segment. */
static int64_t piece_end(const struct segment *s, int64_t start)
{
    return s->end - start < s->size ? s->end : start + s->size;
}

static void locate_in(const struct adl_layout *l, int seg, int64_t offset,
                      struct adl_place *p)
{
    const struct segment *s = &l->segs[seg];
    int64_t stripe = s->shift >= 0 ? offset >> s->shift : offset / s->size;
    int64_t start = stripe * s->size;

    p->seg = seg;
    p->comp = s->comp;
    p->row = s->count == 1 ? stripe : stripe / s->count;
    p->object = (int)(stripe - p->row * s->count);
    p->number = s->first + p->object;
    p->object_off = p->row * s->size + (offset - start);
    p->off = offset;
    p->end = piece_end(s, start);
}

void adl_layout_locate(const struct adl_layout *layout, int64_t offset,
                       struct adl_place *place)
{
    int seg = layout->nsegs == 1 ? 0 : segment_at(layout, offset);

    locate_in(layout, seg, offset, place);
}

void adl_layout_next_stripe(const struct adl_layout *layout,
                            struct adl_place *place)
{
    const struct segment *s = &layout->segs[place->seg];

    if (place->end >= s->end && place->seg < layout->nsegs - 1) {
        locate_in(layout, place->seg + 1, place->end, place);
        return;
    }
    place->off = place->end;
    if (++place->object == s->count) {
        place->object = 0;
        place->row++;
    }
    place->number = s->first + place->object;
    place->object_off = place->row * s->size;
    place->end = piece_end(s, place->off);
}

/* The segment an object number belongs to. */
static const struct segment *segment_of(const struct adl_layout *l, int number)
{
    const struct segment *s = l->segs;

    while (number >= s->first + s->count)
        s++;
    return s;
}

int adl_layout_offset(const struct adl_layout *layout, int number, int64_t row,
                      int64_t *offset)
{
    const struct segment *s;
    int64_t start, step;

    if (number < 0 || number >= layout->nobjects || row < 0)
        return -ERANGE;
    s = segment_of(layout, number);
    if (__builtin_mul_overflow(row, s->cycle, &start) ||
        __builtin_mul_overflow(s->size, number - s->first, &step) ||
        __builtin_add_overflow(start, step, &start))
        return -ERANGE;
    if (start >= s->end || start <= s->start - s->size)
        return -ERANGE;
    *offset = start < s->start ? s->start : start;
    return 0;
}

void adl_layout_home(const struct adl_layout *layout, int number,
                     struct adl_home *home)
{
    const struct segment *s = segment_of(layout, number);
    const struct adl_component *c = &layout->comps[s->comp];

    home->comp = s->comp;
    home->object = number - s->first;
    home->stripe_size = s->size;
    home->stripe_count = s->count;
    home->ost = -1;
    if (home->object < c->nobjects &&
        c->objects[home->object].ost != ADL_LOV_HOLE_OST)
        home->ost = (int)c->objects[home->object].ost;
}

void adl_layout_stripe(const struct adl_layout *layout, int64_t offset,
                       int64_t *size, int *count)
{
    const struct segment *s = &layout->segs[segment_at(layout, offset)];

    *size = s->size;
    *count = s->count;
}
