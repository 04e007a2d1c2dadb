/* random.h - numbers for randomised tests, replayable by their seed */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_TEST_RANDOM_H
#define ADL_TEST_RANDOM_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct rng {
    uint64_t state;
};

/* ADL_TEST_SEED=N in the environment replays a run; the seed is printed. */
static inline struct rng rng_begin(void)
{
    const char *text = getenv("ADL_TEST_SEED");
    struct rng rng;

    rng.state = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    printf("# ADL_TEST_SEED=%" PRIu64 "\n", rng.state);
    return rng;
}

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t x = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

/* Evenly in [low, high]. */
static inline int64_t rng_in(struct rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)(rng_next(rng) % (uint64_t)(high - low + 1));
}

static inline int rng_chance(struct rng *rng, int percent)
{
    return rng_in(rng, 0, 99) < percent;
}

#endif
