/* scene.c - one random case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "scene.h"

#include <string.h>

#include "hints.h"
#include "image.h"

#define SPAN_MAX (INT64_C(24) << 20) /* of one call in the file */

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

static void new_terrain(struct director *d)
{
    int64_t most = d->limits.bytes / d->sc->n;

    d->t.n = d->sc->n;
    d->t.base = d->sc->base;
    d->t.want = random_want(d->rng);
    if (d->t.want > most)
        d->t.want = most > 0 ? most : 1;
    d->t.pieces = pick_size(d->rng, d->t.want < 100000 ? 1500 : 300);
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
    SHARE_NONE,
};

static enum share random_share(struct rng *rng)
{
    static const enum share shares[] = {
        SHARE_TILE,   SHARE_TILE,   SHARE_TILE, SHARE_TILE,
        SHARE_TILE,   SHARE_SAME,   SHARE_SAME, SHARE_SAME,
        SHARE_RANDOM, SHARE_RANDOM, SHARE_SOME, SHARE_SOME,
        SHARE_SOME,   SHARE_ONE,    SHARE_ONE,  SHARE_SAME};

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

    bytes = bytes < most ? bytes : most;
    if (!q->active)
        bytes = 0;
    memory_make(d->rng, &d->sc->arena, bytes / e * e, e, d->t.pieces, q);
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
    enum share share = random_share(d->rng);
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
    if (is_ordered(call) && (!d->views->same || d->limits.collective_only))
        return CALL_ALL;
    return call;
}

static struct step *add_transfer(struct director *d, int write, enum call call)
{
    struct step *step = add_step(d, write ? ACT_WRITE : ACT_READ);

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

/* The call before once more, by explicit offsets, in the same place or moved:
 * as time steps do. What the driver learns from the first must fit. */
static struct step *add_again(struct director *d, enum call call)
{
    const struct step *first = &d->sc->step[d->sc->steps - 1];
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

/* Several requests at once; the view changes while they are under way, the
 * datatypes are freed. Without collective buffering each rank goes its own way,
 * and what two requests write to the same place may come in any order. */
static void add_burst(struct director *d, int write)
{
    int n = d->limits.no_exchange ? 1 : 1 + pick(d->rng, 4);

    for (int i = 0; i < n; i++) {
        struct step *step;

        if (i > 0 && rng_chance(d->rng, 30)) {
            add_again(d, CALL_IAT_ALL)->keep = pick(d->rng, 2);
            continue;
        }
        if (i > 0 && rng_chance(d->rng, 40))
            add_view(d);
        step =
            add_transfer(d, write, pick(d->rng, 2) ? CALL_IALL : CALL_IAT_ALL);
        step->keep = pick(d->rng, 2);
    }
    add_step(d, ACT_WAIT);
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
    hints_change(d->rng, step->hints);
}

static void add_atomic(struct director *d)
{
    d->atomic = !d->atomic;
    add_step(d, ACT_ATOMIC)->on = d->atomic;
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
    int burst = d->studio->what == WHAT_NONBLOCK ||
                (d->studio->what != WHAT_WRITE && rng_chance(d->rng, 15));

    if (!write && d->dirty)
        add_sync(d);
    if (burst && !d->atomic) {
        add_burst(d, write);
        return;
    }
    if (is_alone(add_transfer(d, write, random_call(d))->call))
        return;
    for (int again = rng_chance(d->rng, 35) ? 1 + pick(d->rng, 3) : 0;
         again > 0; again--)
        add_again(d, CALL_AT_ALL);
}

static int random_ranks(struct rng *rng, int world)
{
    static const int most[] = {2, 4, 4, 4, 8, 8, 8, 8, 12, 16};
    int n = most[pick(rng, 10)];

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
    if (d->studio->what != WHAT_WRITE && !d->limits.group_lock)
        sc->read_only = rng_chance(d->rng, 15) && sc->prefill;
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

void scene_make(struct scene *sc, const struct studio *studio, int64_t number)
{
    struct rng rng = {key_of(studio->seed, number)};
    struct director d = {.sc = sc, .studio = studio, .rng = &rng};

    memset(sc, 0, sizeof(*sc));
    sc->seed = studio->seed;
    sc->number = number;
    sc->key = rng_next(&rng);
    sc->n = random_ranks(&rng, studio->world);
    sc->spread = pick(&rng, 2);
    hints_make(&rng, studio, sc->n, &sc->hints, &d.limits);
    set_file(&d);
    add_view(&d);
    for (int deeds = 1 + pick(&rng, 4); deeds > 0; deeds--) {
        add_deed(&d);
        add_incident(&d);
        if (sc->steps > SCENE_STEPS - 14)
            break;
    }
}

void scene_free(struct scene *sc)
{
    arena_clear(&sc->arena);
}

/* ---- text ---- */

const char *act_name(const struct step *step)
{
    static const char *const acts[] = {"set_view", "write",     "read",
                                       "wait",     "sync",      "seek",
                                       "set_size", "atomicity", "set_info"};
    static const char *const writes[] = {
        "write_all",          "write_at_all",  "write_all_begin",
        "write_at_all_begin", "write_ordered", "write_ordered_begin",
        "iwrite_all",         "iwrite_at_all", "write",
        "write_at",           "iwrite_at"};
    static const char *const reads[] = {
        "read_all",          "read_at_all",  "read_all_begin",
        "read_at_all_begin", "read_ordered", "read_ordered_begin",
        "iread_all",         "iread_at_all", "read",
        "read_at",           "iread_at"};

    if (step->act == ACT_WRITE)
        return writes[step->call];
    if (step->act == ACT_READ)
        return reads[step->call];
    return acts[step->act];
}

static void print_hints(const struct hints *h, FILE *to)
{
    for (int i = 0; i < h->n; i++)
        fprintf(to, " %s=%s", h->of[i].key, h->of[i].value);
    fprintf(to, "\n");
}

static void print_requests(const struct scene *sc, const struct step *step,
                           FILE *to)
{
    fprintf(to, "\n");
    for (int r = 0; r < sc->n; r++) {
        const struct request *q = &step->of[r];

        fprintf(to, "      rank %d: %lld bytes at etype %lld, %d x ", r,
                (long long)q->bytes, (long long)q->pos, q->count);
        recipe_print(q->type, to);
        fprintf(to, "\n");
    }
}

static void print_views(const struct scene *sc, const struct views *v, FILE *to)
{
    fprintf(to, " %s, etype ", v->style);
    recipe_print(v->of[0].etype, to);
    fprintf(to, "\n");
    for (int r = 0; r < (v->same ? 1 : sc->n); r++) {
        fprintf(to, "      rank %d: disp %lld size %lld ", r,
                (long long)v->of[r].disp, (long long)v->of[r].size);
        recipe_print(v->of[r].filetype, to);
        fprintf(to, "\n");
    }
}

void scene_print(const struct scene *sc, FILE *to)
{
    fprintf(to, "  case %lld: %d ranks%s, base %lld, prefill %lld%s%s%s\n",
            (long long)sc->number, sc->n, sc->spread ? " spread" : "",
            (long long)sc->base, (long long)sc->prefill,
            sc->two_steps ? ", made before" : "",
            sc->read_only ? ", RDONLY" : "", sc->write_only ? ", WRONLY" : "");
    fprintf(to, "    hints:");
    print_hints(&sc->hints, to);
    for (int i = 0; i < sc->steps; i++) {
        const struct step *step = &sc->step[i];

        fprintf(to, "    step %d: %s", i, act_name(step));
        if (step->act == ACT_VIEW)
            print_views(sc, step->views, to);
        else if (step->act == ACT_WRITE || step->act == ACT_READ)
            print_requests(sc, step, to);
        else if (step->act == ACT_INFO)
            print_hints(step->hints, to);
        else
            fprintf(
                to, " %lld\n",
                (long long)(step->act == ACT_RESIZE ? step->size : step->on));
    }
}
