/* scene.c - one random case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "scene.h"

#include <string.h>

#include "hints.h"
#include "image.h"

/* Where the making of a scene is. */
struct director {
    struct scene *sc;
    const struct studio *studio;
    struct rng *rng;
    struct terrain t;
    struct limits limits;
    struct views *views;
    int64_t pos[MAX_RANKS], shared;
    int writes;
    int dirty; /* written since the last comparison */
    int atomic;
    int waiting; /* nonblocking calls under way */
};

static struct step *add_step(struct director *d, enum act act)
{
    struct step *step = &d->sc->step[d->sc->steps++];

    step->act = act;
    step->views = d->views;
    return step;
}

static int64_t random_want(struct rng *rng)
{
    static const int64_t sizes[] = {100,   4096,  4096,   16384,  65536,
                                    65536, 65536, 262144, 262144, 1 << 21};

    return pick_size(rng, sizes[pick(rng, 10)]);
}

/* All ranks together have 1/2 to 40 times what the pool holds. */
static int64_t pool_want(struct director *d)
{
    return d->limits.pool * pick_size(d->rng, 80) / 2 / d->sc->n +
           pick(d->rng, 4096);
}

/* Data of whole sectors or pages, as most programs have; 0: of any bytes. */
static int64_t random_unit(struct director *d)
{
    static const int units[] = {512, 512, 1024, 4096, 4096, 24576, 512 * 3};

    return d->limits.pool && d->sc->base % 65536 == 0 && rng_chance(d->rng, 70)
               ? units[pick(d->rng, 7)]
               : 0;
}

static void new_terrain(struct director *d)
{
    int64_t most = d->limits.bytes / d->sc->n;

    d->t.n = d->sc->n;
    d->t.base = d->sc->base;
    d->t.overlap = d->sc->extras & EXTRA_OVERLAP && d->sc->read_only;
    d->t.gaps = d->sc->extras & EXTRA_GAPS;
    d->t.want = d->limits.pool && rng_chance(d->rng, 75) ? pool_want(d)
                                                         : random_want(d->rng);
    if (d->t.want > most)
        d->t.want = most > 0 ? most : 1;
    d->t.unit = random_unit(d);
    if (d->t.want < d->t.unit)
        d->t.want = d->t.unit;
    d->t.large = d->limits.pool > 0;
    d->t.pieces = pick_size(d->rng, d->t.want < 100000 ? 1500 : 300);
    if (d->t.gaps && rng_chance(d->rng, 60))
        d->t.pieces = rng_in(d->rng, 100, 3000);
}

static void rewind_pointers(struct director *d)
{
    memset(d->pos, 0, sizeof(d->pos));
    d->shared = 0;
}

static void add_view(struct director *d)
{
    new_terrain(d);
    d->views = arena_alloc(&d->sc->arena, sizeof(*d->views));
    views_make(d->rng, &d->sc->arena, &d->t, d->views);
    rewind_pointers(d);
    add_step(d, ACT_VIEW);
}

/* ---- requests ---- */

enum share {
    SHARE_TILE, /* the filetype once */
    SHARE_SAME,
    SHARE_RANDOM,
    SHARE_SOME, /* others have nothing */
    SHARE_ONE,
    SHARE_HEAVY, /* one has all of it, others a little */
    SHARE_EVERY, /* every second or third rank: those of a node, maybe */
    SHARE_NONE,
};

static enum share random_share(struct director *d)
{
    struct rng *rng = d->rng;
    static const enum share shares[] = {
        SHARE_TILE,   SHARE_TILE,   SHARE_TILE, SHARE_TILE,
        SHARE_TILE,   SHARE_SAME,   SHARE_SAME, SHARE_SAME,
        SHARE_RANDOM, SHARE_RANDOM, SHARE_SOME, SHARE_SOME,
        SHARE_SOME,   SHARE_ONE,    SHARE_ONE,  SHARE_SAME};

    if (d->sc->extras & EXTRA_UNEVEN && rng_chance(rng, 60))
        return pick(rng, 3) ? SHARE_HEAVY : SHARE_EVERY;
    if (d->views->overlap && rng_chance(rng, 80))
        return pick(rng, 2) ? SHARE_SAME : SHARE_RANDOM;
    return rng_chance(rng, 2) ? SHARE_NONE : shares[pick(rng, 16)];
}

/* What one request may be at most, so that neither its pieces nor its span in
 * the file get too many. */
static int64_t most_bytes(const struct view *view, const struct terrain *t)
{
    int64_t tiles = 1 + 2 * t->pieces / (view->pieces > 0 ? view->pieces : 1);

    if (view->pieces <= 1 && view->size == view->extent)
        return 3 * t->want;
    if (view->extent > 0 && tiles > SPAN_MAX / view->extent)
        tiles = 1 + SPAN_MAX / view->extent;
    return tiles * view->size;
}

static int64_t share_of(struct director *d, enum share share, int rank,
                        int64_t size)
{
    switch (share) {
    case SHARE_TILE:
        return size;
    case SHARE_SAME:
        return d->t.want;
    case SHARE_SOME:
        return rng_chance(d->rng, 50) ? 0 : rng_in(d->rng, 0, 2 * d->t.want);
    case SHARE_ONE:
        return rank == d->t.n / 2 ? d->t.want : 0;
    case SHARE_HEAVY:
        return rank == (int)(d->t.want % d->t.n)
                   ? d->t.want * (d->t.n < 8 ? d->t.n : 8)
                   : d->t.want / 64;
    case SHARE_EVERY:
        return rank % (2 + d->t.want % 2) ? 0 : 2 * d->t.want;
    case SHARE_NONE:
        return 0;
    default:
        return rng_in(d->rng, 0, 2 * d->t.want);
    }
}

/* In etypes; not so many tiles on that the file gets too large to compare. */
static int64_t random_position(struct director *d, const struct view *view,
                               int rank, int style)
{
    int64_t tile = view->size / d->views->etype_size, most, pos = 0;

    if (style == 1 && view->pieces == 1)
        pos = rank * d->t.want / d->views->etype_size;
    if (style == 2)
        pos = rng_in(d->rng, 0, tile < 5000 ? 3 * tile : tile);
    if (view->extent <= 0 || tile == 0)
        return 0;
    most = tile * (1 + SPAN_MAX / view->extent);
    return pos < most ? pos : pos % most;
}

static int uses_pointer(enum call call)
{
    return call == CALL_ALL || call == CALL_SPLIT || call == CALL_IALL ||
           call == CALL_ALONE;
}

static int is_ordered(enum call call)
{
    return call == CALL_ORDERED || call == CALL_ORDERED_SPLIT;
}

static int is_alone(enum call call)
{
    return call >= CALL_ALONE;
}

static void fill_request(struct director *d, struct step *step, int rank,
                         enum share share, int style)
{
    struct request *q = &step->of[rank];
    const struct view *view = &d->views->of[rank];
    int64_t e = d->views->etype_size, most = most_bytes(view, &d->t);
    int64_t bytes = view->size ? share_of(d, share, rank, view->size) : 0;

    struct memory memory = {
        .etype = e, .pieces = d->t.pieces, .gaps = d->t.gaps};

    bytes = bytes < most ? bytes : most;
    if (!q->active)
        bytes = 0;
    memory.bytes = bytes / e * e;
    memory_make(d->rng, &d->sc->arena, &memory, q);
    q->view = view;
    if (uses_pointer(step->call))
        q->pos = d->pos[rank];
    else if (is_ordered(step->call))
        q->pos = d->shared;
    else
        q->pos = random_position(d, view, rank, style);
    if (uses_pointer(step->call))
        d->pos[rank] += q->bytes / e;
    if (is_ordered(step->call))
        d->shared += q->bytes / e;
}

static void fill_requests(struct director *d, struct step *step)
{
    enum share share = random_share(d);
    int style = pick(d->rng, 3);
    /* With sieving, only one of those that write alone at a time: a write of
     * contiguous bytes takes no lock. */
    int writers = step->act == ACT_WRITE && d->limits.sieving ? 1 : d->t.n;

    for (int r = 0; r < d->t.n; r++) {
        struct request *q = &step->of[r];

        q->active =
            !is_alone(step->call) || (writers > 0 && rng_chance(d->rng, 60));
        writers -= is_alone(step->call) && q->active;
        fill_request(d, step, r, share, style);
        step->after[r] = d->pos[r];
    }
    step->shared_after = d->shared;
}

/* ---- steps ---- */

static enum call random_call(struct director *d)
{
    static const enum call together[] = {
        CALL_ALL,   CALL_ALL,      CALL_ALL,     CALL_AT_ALL,       CALL_AT_ALL,
        CALL_SPLIT, CALL_AT_SPLIT, CALL_ORDERED, CALL_ORDERED_SPLIT};
    enum call call = together[pick(d->rng, 9)];

    if (!d->limits.collective_only && rng_chance(d->rng, 20))
        return CALL_ALONE + pick(d->rng, 3);
    if (is_ordered(call) &&
        (!d->views->same || d->limits.collective_only || d->studio->no_locks))
        return CALL_ALL;
    return call;
}

/* The same by an explicit offset. ROMIO keeps a file pointer as an offset in
 * the file, which in a view that overlaps itself is in several places. */
static enum call with_offset(enum call call)
{
    switch (call) {
    case CALL_SPLIT:
        return CALL_AT_SPLIT;
    case CALL_IALL:
        return CALL_IAT_ALL;
    case CALL_ALONE:
        return CALL_ALONE_AT;
    case CALL_ALL:
    case CALL_ORDERED:
    case CALL_ORDERED_SPLIT:
        return CALL_AT_ALL;
    default:
        return call;
    }
}

static struct step *add_transfer(struct director *d, int write, enum call call)
{
    struct step *step = add_step(d, write ? ACT_WRITE : ACT_READ);

    if (d->views->overlap)
        call = with_offset(call);

    step->call = call;
    step->on = d->atomic;
    if (write) {
        step->number = IMAGE_PREFILL + ++d->writes;
        d->dirty = 1;
    }
    fill_requests(d, step);
    return step;
}

/* The distance of a repeated call, in tiles of the view. */
static int64_t tiles_on(struct director *d, const struct step *first)
{
    int64_t tiles = pick(d->rng, 4) ? pick(d->rng, 3) : 0;

    for (int r = 0; r < d->t.n; r++) {
        const struct view *view = first->of[r].view;

        if (view->extent <= 0 || view->extent > SPAN_MAX / 4 ||
            first->of[r].pos * d->views->etype_size > SPAN_MAX)
            return 0;
    }
    return tiles;
}

static const struct step *last_transfer(const struct director *d)
{
    const struct step *step = &d->sc->step[d->sc->steps - 1];

    while (step->act != ACT_WRITE && step->act != ACT_READ)
        step--;
    return step;
}

/* The call before once more, by explicit offsets, in the same place or moved:
 * as time steps do. What the driver learns from the first must fit. */
static struct step *add_again(struct director *d, enum call call)
{
    const struct step *first = last_transfer(d);
    int64_t tiles = tiles_on(d, first);
    struct step *step = add_step(d, first->act);

    step->call = call;
    step->on = d->atomic;
    step->number = first->number;
    if (first->act == ACT_WRITE)
        step->number = IMAGE_PREFILL + ++d->writes;
    for (int r = 0; r < d->t.n; r++) {
        const struct request *q = &first->of[r];

        step->of[r] = *q;
        step->of[r].pos += tiles * q->view->size / d->views->etype_size;
        step->after[r] = d->pos[r];
    }
    step->shared_after = d->shared;
    return step;
}

static void add_sync(struct director *d)
{
    add_step(d, ACT_SYNC)->on = d->sc->compare_open;
    d->dirty = 0;
}

static void add_seek(struct director *d)
{
    struct step *step = add_step(d, ACT_SEEK);

    for (int r = 0; r < d->t.n; r++) {
        d->pos[r] = random_position(d, &d->views->of[r], r, 2);
        step->of[r].pos = d->pos[r];
    }
}

static void add_resize(struct director *d)
{
    struct step *step = add_step(d, ACT_RESIZE);

    step->size = d->sc->base + rng_in(d->rng, 0, 4 * d->t.want);
    d->dirty = 1;
}

static void add_change(struct director *d)
{
    struct step *step = add_step(d, ACT_INFO);

    step->hints = arena_alloc(&d->sc->arena, sizeof(*step->hints));
    hints_change(d->rng, &d->limits, step->hints);
    if (d->sc->extras && hints_disable(step->hints, "romio_cb_write"))
        d->limits.no_exchange = d->sc->no_order = 1;
}

static void add_atomic(struct director *d)
{
    if (d->studio->no_locks)
        return;
    d->atomic = !d->atomic;
    add_step(d, ACT_ATOMIC)->on = d->atomic;
}

/* What a program may do while calls are outstanding. */
static void add_between(struct director *d)
{
    int change = d->sc->extras & EXTRA_CHANGE && rng_chance(d->rng, 60);

    if (change && (d->limits.group_lock || rng_chance(d->rng, 65)))
        add_change(d);
    else if (change)
        add_atomic(d);
    if (rng_chance(d->rng, 40))
        add_view(d);
}

/* The calls of a burst that come in no order write the same bytes: the value of
 * a byte is a function of number, rank and offset. */
static void unordered(struct director *d, int from)
{
    int number = 0;

    for (int i = from; i < d->sc->steps; i++) {
        struct step *step = &d->sc->step[i];

        if (step->act != ACT_WRITE)
            continue;
        number = number ? number : step->number;
        step->number = number;
        step->on = 0; /* ranks of several calls mix */
    }
}

/* Several requests at once; the view changes while they are under way, the
 * datatypes are freed. Without collective buffering each rank goes its own way,
 * and what two requests write to the same place may come in any order. */
static void add_burst(struct director *d, int write)
{
    int changes = d->sc->extras & EXTRA_CHANGE, from = d->sc->steps;
    int n = changes                 ? 2 + pick(d->rng, 4)
            : d->limits.no_exchange ? 1
                                    : 1 + pick(d->rng, 4);

    for (int i = 0; i < n; i++) {
        struct step *step;

        if (i > 0 && rng_chance(d->rng, 30)) {
            if (changes && rng_chance(d->rng, 50))
                add_change(d);
            add_again(d, CALL_IAT_ALL)->keep = pick(d->rng, 2);
            continue;
        }
        if (i > 0)
            add_between(d);
        step =
            add_transfer(d, write, pick(d->rng, 2) ? CALL_IALL : CALL_IAT_ALL);
        step->keep = pick(d->rng, 2);
    }
    if (changes)
        unordered(d, from);
    add_step(d, ACT_WAIT);
}

static void add_incident(struct director *d)
{
    int kind = pick(d->rng, 12);

    if (kind == 0)
        add_seek(d);
    else if (kind == 1 && !d->sc->read_only)
        add_resize(d);
    else if (kind == 2)
        add_change(d);
    else if (kind == 3 && !d->limits.group_lock)
        add_atomic(d);
    else if (kind == 4)
        add_sync(d);
    else if (kind < 8)
        add_view(d);
}

static int wants_write(struct director *d)
{
    if (d->sc->read_only)
        return 0;
    if (d->sc->write_only || d->studio->what == WHAT_WRITE)
        return 1;
    if (d->studio->what == WHAT_READ)
        return rng_chance(d->rng, 15);
    return rng_chance(d->rng, 50);
}

static void add_deed(struct director *d)
{
    int write = wants_write(d);
    int often = d->sc->extras & (EXTRA_CHANGE | EXTRA_FILES);
    int burst = d->studio->what == WHAT_NONBLOCK ||
                (d->studio->what != WHAT_WRITE &&
                 rng_chance(d->rng, often ? 60 : 15)) ||
                (often && rng_chance(d->rng, 30));

    if (!write && d->dirty)
        add_sync(d);
    if (burst && (!d->atomic || d->sc->extras & EXTRA_CHANGE)) {
        add_burst(d, write);
        return;
    }
    if (is_alone(add_transfer(d, write, random_call(d))->call))
        return;
    for (int again = rng_chance(d->rng, 35) ? 1 + pick(d->rng, 3) : 0;
         again > 0; again--)
        add_again(d, CALL_AT_ALL);
}

static int random_ranks(struct rng *rng, int world, int extras)
{
    static const int most[] = {2, 4, 4, 4, 8, 8, 8, 8, 12, 16};
    int n = most[pick(rng, 10)];

    if (extras & EXTRA_POOL && world > 2) /* several on a node */
        return (int)rng_in(rng, (world + 1) / 2, world);
    return 1 + pick(rng, n < world ? n : world);
}

static int64_t random_base(struct rng *rng)
{
    switch (pick(rng, 6)) {
    case 0:
        return rng_in(rng, 1, 100000);
    case 1:
        return (INT64_C(1) << 32) - rng_in(rng, 0, 70000);
    case 2:
        return 65536 * rng_in(rng, 1, 30);
    default:
        return 0;
    }
}

static void set_file(struct director *d)
{
    struct scene *sc = d->sc;

    sc->base = random_base(d->rng);
    sc->prefill = rng_chance(d->rng, 30) ? 0 : random_want(d->rng) * sc->n;
    sc->two_steps = rng_chance(d->rng, 50) || d->limits.group_lock;
    sc->self_differs = rng_chance(d->rng, 3);
    sc->compare_open = !d->limits.group_lock;
    sc->no_order = d->limits.no_exchange;
    if (d->limits.pool && rng_chance(d->rng, 75))
        sc->prefill = pool_want(d) * sc->n;
    if (sc->prefill > d->limits.bytes && d->limits.pool)
        sc->prefill = d->limits.bytes;
    if (d->studio->what != WHAT_WRITE && !d->limits.group_lock)
        sc->read_only =
            rng_chance(d->rng, sc->extras & EXTRA_OVERLAP ? 60 : 15) &&
            sc->prefill;
    if (d->studio->what == WHAT_WRITE || d->limits.group_lock)
        sc->write_only = rng_chance(d->rng, 30) || d->limits.group_lock;
    sc->two_steps |= sc->read_only;
}

static uint64_t key_of(uint64_t seed, int64_t number)
{
    struct rng rng = {seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)number};

    rng_next(&rng);
    return rng_next(&rng);
}

/* Of the extras that cases may have. */
static int random_extras(uint64_t key, int may)
{
    static const int percent[] = {60, 35, 50, 30, 40, 15, 10};
    struct rng rng = {~key};
    int extras = 0;

    for (int i = 0; i < (int)(sizeof(percent) / sizeof(*percent)); i++)
        if (rng_chance(&rng, percent[i]))
            extras |= 1 << i;
    return extras & may;
}

/* The file and what is done with it; seed, ranks and extras are known. */
static void direct(struct scene *sc, const struct studio *studio,
                   struct rng *rng)
{
    struct director d = {.sc = sc, .studio = studio, .rng = rng};

    hints_make(rng, studio, sc, &d.limits);
    set_file(&d);
    add_view(&d);
    for (int deeds = 1 + pick(rng, 4); deeds > 0; deeds--) {
        add_deed(&d);
        add_incident(&d);
        if (sc->steps > SCENE_STEPS - 26)
            break;
    }
}

void scene_make(struct scene *sc, const struct studio *studio, int64_t number)
{
    struct rng rng = {key_of(studio->seed, number)};

    memset(sc, 0, sizeof(*sc));
    sc->seed = studio->seed;
    sc->number = number;
    sc->key = rng_next(&rng);
    sc->extras = random_extras(sc->key, studio->extras);
    sc->files = sc->extras & EXTRA_FILES ? 2 + (int)(sc->key % 2) : 1;
    sc->n = random_ranks(&rng, studio->world, sc->extras);
    sc->spread = pick(&rng, 2);
    direct(sc, studio, &rng);
}

void scene_make_beside(struct scene *sc, const struct studio *studio,
                       const struct scene *first, int file)
{
    struct rng rng = {key_of(first->key, file)};

    memset(sc, 0, sizeof(*sc));
    sc->seed = first->seed;
    sc->number = first->number;
    sc->key = rng_next(&rng);
    sc->extras = first->extras;
    sc->files = first->files;
    sc->file = file;
    sc->n = first->n;
    sc->spread = first->spread;
    direct(sc, studio, &rng);
}

void scene_free(struct scene *sc)
{
    arena_clear(&sc->arena);
}
