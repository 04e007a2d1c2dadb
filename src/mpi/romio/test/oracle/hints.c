/* hints.c - random hints of a case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "hints.h"

#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void
add(struct hints *h, const char *key, const char *fmt, ...)
{
    va_list ap;

    if (h->n == SCENE_HINTS)
        return;
    h->of[h->n].key = key;
    va_start(ap, fmt);
    vsnprintf(h->of[h->n].value, sizeof(h->of[0].value), fmt, ap);
    va_end(ap);
    h->n++;
}

static void add_int(struct hints *h, const char *key, int64_t value)
{
    add(h, key, "%lld", (long long)value);
}

static void add_switch(struct rng *rng, struct hints *h, const char *key)
{
    static const char *const words[] = {"enable", "disable", "automatic"};

    add(h, key, "%s", words[pick(rng, 3)]);
}

static void composite(struct rng *rng, struct hints *h)
{
    char text[96];
    int at = 0, parts = 1 + pick(rng, 2), end = 0;

    if (rng_chance(rng, 40)) { /* data on the MDT */
        end = 64 * (1 + pick(rng, 4));
        at = snprintf(text, sizeof(text), "-E %dK -L mdt ", end);
        parts = pick(rng, 2);
    }
    for (int i = 0; i < parts; i++) {
        end += 64 * (1 + pick(rng, 8));
        at += snprintf(text + at, sizeof(text) - at, "-E %dK -c %d -S %dK ",
                       end, 1 + pick(rng, 4), 64);
    }
    snprintf(text + at, sizeof(text) - at, "-E -1 -c %d -S %dK",
             1 + pick(rng, 4), 64 << pick(rng, 3));
    add(h, "romio_lustre_comp_layout", "%s", text);
}

static void real_layout(struct rng *rng, struct hints *h)
{
    static const int counts[] = {1, 2, 3, 4, 4, 8, -1};

    if (rng_chance(rng, 20)) {
        composite(rng, h);
        return;
    }
    add_int(h, "striping_factor", counts[pick(rng, 7)]);
    add_int(h, "striping_unit",
            65536 * (1 + (rng_chance(rng, 50) ? 0 : pick(rng, 8))));
    if (rng_chance(rng, 20))
        add_int(h, "overstriping_factor", 2 + pick(rng, 2));
    if (rng_chance(rng, 10))
        add_int(h, "start_iodevice", pick(rng, 4));
}

/* Elsewhere any layout can be made up. Returns the stripe size. */
static int64_t made_up_layout(struct rng *rng, struct hints *h, int large)
{
    static const int sizes[] = {16,  24,   64,   100,  512,   1000,
                                777, 4096, 4096, 4096, 65536, 1048576};
    static const int larger[] = {4096, 65536, 65536, 262144, 1048576, 4194304};
    int size = large ? larger[pick(rng, 6)] : sizes[pick(rng, 12)];

    add_int(h, "striping_unit", size);
    add_int(h, "striping_factor",
            1 + pick(rng, large                 ? 3
                          : rng_chance(rng, 20) ? 40
                                                : 9));
    return size;
}

static int64_t buffer(struct rng *rng, struct hints *h)
{
    static const int sizes[] = {1, 500, 4096, 10000, 65536, 300000, 1048576};
    int size = sizes[pick(rng, 7)];

    if (size == 1 && rng_chance(rng, 70))
        size = 65536;
    if (rng_chance(rng, 35))
        return INT64_C(1) << 24;
    add_int(h, "cb_buffer_size", size);
    return size;
}

/* A node buffer that a call fills more than once. Aggregators' buffers are not
 * much smaller: each window costs messages. */
static int64_t pool(struct rng *rng, struct hints *h, struct limits *limits)
{
    static const int sizes[] = {65536,  65536,   65536,   262144,
                                262144, 1048576, 1048576, 4194304};
    int64_t size = sizes[pick(rng, 8)], room = size;

    add_int(h, "romio_lustre_node_buffer_size", size);
    limits->pool = size;
    if (rng_chance(rng, 30))
        return INT64_C(1) << 24;
    if (rng_chance(rng, 50))
        room = pick(rng, 2) ? 65536 : 1048576;
    add_int(h, "cb_buffer_size", room);
    return room;
}

/* `k` different ranks in any order */
static void aggregators(struct rng *rng, struct hints *h, int n)
{
    char text[96];
    int at = 0, step = 1 + pick(rng, 3), first = pick(rng, n);

    for (int i = 0; i < n && i < 8; i += step)
        at += snprintf(text + at, sizeof(text) - at, "%s%d", i ? "," : "",
                       (first + i) % n);
    add(h, "cb_aggregator_list", "%s", text);
}

static void placement(struct rng *rng, struct hints *h, int n)
{
    if (rng_chance(rng, 40))
        add_int(h, "cb_nodes", 1 + pick(rng, n + 3));
    if (rng_chance(rng, 20))
        add_int(h, "cray_cb_nodes_multiplier", 2 + pick(rng, 3));
    if (rng_chance(rng, 10))
        aggregators(rng, h, n);
    if (rng_chance(rng, 10))
        add(h, "cb_config_list", "*:%d", 1 + pick(rng, 3));
    if (rng_chance(rng, 5))
        add_int(h, "aggregator_placement_stride", 1 + pick(rng, 4));
}

static void sieve_buffer(struct rng *rng, const struct limits *limits,
                         struct hints *h, const char *key)
{
    int64_t size = pick_size(rng, 100000);

    add_int(h, key, limits->pool && size < 4096 ? 4096 : size);
}

void hints_change(struct rng *rng, const struct limits *limits, struct hints *h)
{
    if (rng_chance(rng, 50))
        add_switch(rng, h, "romio_cb_write");
    if (rng_chance(rng, 50))
        add_switch(rng, h, "romio_cb_read");
    if (rng_chance(rng, 30))
        add_switch(rng, h, "romio_ds_read");
    if (rng_chance(rng, 15))
        add_int(h, "romio_lustre_coll_threshold", pick_size(rng, 100000));
    if (rng_chance(rng, 15))
        sieve_buffer(rng, limits, h, "ind_wr_buffer_size");
    if (rng_chance(rng, 15))
        sieve_buffer(rng, limits, h, "ind_rd_buffer_size");
}

static void modes(struct rng *rng, struct hints *h, struct limits *limits)
{
    int lock = rng_chance(rng, 50) ? 0 : pick(rng, 3);

    if (rng_chance(rng, 30)) {
        add_switch(rng, h, "romio_ds_write");
        limits->sieving = !strcmp(h->of[h->n - 1].value, "enable");
    }
    if (rng_chance(rng, 30))
        add_switch(rng, h,
                   pick(rng, 2) ? "ds_in_coll" : "romio_lustre_ds_in_coll");
    if (rng_chance(rng, 10))
        add(h, "direct_write", "true");
    if (rng_chance(rng, 10))
        add(h, "direct_read", "true");
    if (lock)
        add_int(h, "cray_cb_write_lock_mode", lock);
    limits->group_lock = lock == 1;
    limits->collective_only = lock == 1 || rng_chance(rng, 10);
    if (limits->collective_only)
        add(h, "romio_no_indep_rw", "true");
}

int hints_disable(const struct hints *h, const char *key)
{
    for (int i = h->n - 1; i >= 0; i--)
        if (!strcmp(h->of[i].key, key))
            return !strcmp(h->of[i].value, "disable");
    return 0;
}

/* As a rule: what hints_change() sets later counts. */
static void through_aggregators(struct rng *rng, struct hints *h)
{
    if (rng_chance(rng, 60))
        add(h, "romio_cb_write", "enable");
    if (rng_chance(rng, 60))
        add(h, "romio_cb_read", "enable");
}

/* With a small pool a call is a few times as large. */
static int64_t most_bytes(int64_t room, int64_t stripe, int64_t pool)
{
    int64_t most = 200 * room;

    if (most > stripe * 3000)
        most = stripe * 3000;
    if (pool && most > 40 * pool)
        most = 40 * pool;
    return most < INT64_C(8) << 20 ? most : INT64_C(8) << 20;
}

void hints_make(struct rng *rng, const struct studio *studio, struct scene *sc,
                struct limits *limits)
{
    struct hints *out = &sc->hints;
    int small_pool = sc->extras & EXTRA_POOL;
    int64_t stripe = 65536, room;

    memset(out, 0, sizeof(*out));
    memset(limits, 0, sizeof(*limits));
    if (studio->lustre)
        real_layout(rng, out);
    else
        stripe = made_up_layout(rng, out, small_pool);
    room = small_pool ? pool(rng, out, limits) : buffer(rng, out);
    limits->bytes = most_bytes(room, stripe, limits->pool);
    placement(rng, out, sc->n);
    modes(rng, out, limits);
    if (small_pool)
        through_aggregators(rng, out);
    hints_change(rng, limits, out);
    limits->no_exchange =
        studio->scarce || (hints_disable(out, "romio_cb_write") &&
                           hints_disable(out, "romio_cb_read"));
}
