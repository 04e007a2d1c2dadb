/* draw.h - pseudo-random numbers, the same on all ranks and in every run */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_DRAW_H
#define APPS_DRAW_H

#include <stdint.h>

/* The next number of the sequence that began with `state`. */
static inline uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
