/* random_layout.h - layouts for randomised tests: plain ones with any stripe
 * size, composite ones with a part on the MDT, components without objects,
 * overstriping and an end before EOF */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_RANDOM_LAYOUT_H
#define ADL_TEST_RANDOM_LAYOUT_H

#include "../layout/layout.h"
#include "random.h"

#define RANDOM_UNIT 65536
#define RANDOM_COMPS 5
#define RANDOM_COUNT 9 /* most objects of a component */

static inline void random_component(struct rng *rng, struct adl_component *c,
                                    int64_t start, int last)
{
    static const struct adl_object objects[RANDOM_COUNT];

    *c = (struct adl_component){.start = start,
                                .magic = ADL_LOV_MAGIC_V1,
                                .pattern = ADL_LOV_PATTERN_RAID0,
                                .stripe_offset = ADL_LOV_OFFSET_ANY};
    c->end = start + rng_in(rng, 1, 40) * RANDOM_UNIT;
    if (last && rng_chance(rng, 70))
        c->end = ADL_LAYOUT_EOF;
    c->stripe_size = rng_in(rng, 1, 5) * RANDOM_UNIT;
    c->stripe_count = (int)rng_in(rng, 1, RANDOM_COUNT);
    if (start == 0 && !last && rng_chance(rng, 30)) {
        c->pattern = ADL_LOV_PATTERN_MDT;
        c->stripe_count = 0;
        c->stripe_size = c->end;
    } else if (rng_chance(rng, 30)) {
        c->stripe_count = rng_chance(rng, 50) ? 0 : 0xfffe; /* not yet made */
    } else if (rng_chance(rng, 50)) {
        c->flags = ADL_LCME_FL_INIT;
        c->nobjects = c->stripe_count;
        c->objects = objects;
    }
}

static inline struct adl_layout *random_composite(struct rng *rng)
{
    struct adl_layout_head head = {.composite = 1, .mirrors = 1};
    struct adl_layout_defaults def = {3, 2, RANDOM_UNIT};
    struct adl_component comps[RANDOM_COMPS];
    struct adl_layout *layout = NULL;
    int n = (int)rng_in(rng, 1, RANDOM_COMPS);
    int64_t start = 0;

    for (int i = 0; i < n; i++) {
        random_component(rng, &comps[i], start, i == n - 1);
        start = comps[i].end;
    }
    if (adl_layout_create(&head, comps, n, &def, &layout, NULL))
        return NULL;
    return layout;
}

/* The smallest unit that the stripes of the layout have. */
static inline struct adl_layout *random_layout(struct rng *rng, int64_t *unit)
{
    struct adl_layout *layout = NULL;

    if (rng_chance(rng, 60)) {
        *unit = RANDOM_UNIT;
        return random_composite(rng);
    }
    *unit = rng_chance(rng, 50) ? rng_in(rng, 1, 40) : 1 << rng_in(rng, 0, 8);
    if (adl_layout_plain(*unit, (int)rng_in(rng, 1, RANDOM_COUNT), &layout))
        return NULL;
    return layout;
}

#endif
