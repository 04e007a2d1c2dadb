/* scenes.c - the oracle's cases on the simulated machine */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <stdlib.h>
#include <string.h>

#include "../../mpi/romio/test/oracle/play.h"
#include "../sched.h"
#include "program.h"

#define MOST_SCENES 4

/* A case of the oracle and its ranks, [first, first + n) of the world. Parts of
 * one round are played at the same time. */
struct part {
    struct scene scene[SCENE_FILES]; /* a file each */
    int files;
    int first, round;
    int dup; /* not on the world itself though it could be */
};

struct scenes {
    const struct job *job;
    struct part part[MOST_SCENES];
    int parts, rounds, ranks;
};

/* ---- cutting a scene ---- */

static int by_pointer(enum call call)
{
    return call == CALL_ALL || call == CALL_SPLIT || call == CALL_IALL ||
           call == CALL_ALONE;
}

static int is_ordered(enum call call)
{
    return call == CALL_ORDERED || call == CALL_ORDERED_SPLIT;
}

static int is_transfer(const struct step *s)
{
    return s->act == ACT_WRITE || s->act == ACT_READ;
}

static int is_later(const struct step *s)
{
    return is_transfer(s) && (s->call == CALL_IALL || s->call == CALL_IAT_ALL);
}

/* Whether the scene makes sense without step i, of those still kept. */
static int may_go(const struct scene *sc, const char *kept, int i)
{
    const struct step *s = &sc->step[i];
    int needed = 0, writes = 0, reads = 0;

    for (int k = 0; k < sc->steps; k++) {
        const struct step *o = &sc->step[k];

        if (!kept[k] || k == i)
            continue;
        if (s->act == ACT_VIEW && is_transfer(o) && o->views == s->views)
            needed = 1;
        if (s->act == ACT_WAIT && k < i && is_later(o))
            needed = 1;
        writes |= k < i && o->act == ACT_WRITE;
        reads |= k > i && o->act == ACT_READ;
    }
    return !needed && !(s->act == ACT_SYNC && writes && reads);
}

/* Positions of individual and shared pointers anew, and what is atomic. */
static void replay_positions(struct scene *sc)
{
    int64_t pos[MAX_RANKS] = {0}, shared = 0;
    int atomic = 0;

    for (int i = 0; i < sc->steps; i++) {
        struct step *s = &sc->step[i];
        int64_t etype = s->views ? s->views->etype_size : 1;

        if (s->act == ACT_VIEW) {
            memset(pos, 0, sizeof(pos));
            shared = 0;
        }
        atomic = s->act == ACT_ATOMIC ? s->on : atomic;
        if (is_transfer(s))
            s->on &= atomic;
        for (int r = 0; r < sc->n; r++) {
            struct request *q = &s->of[r];

            if (s->act == ACT_SEEK)
                pos[r] = q->pos;
            if (is_transfer(s) && by_pointer(s->call)) {
                q->pos = pos[r];
                pos[r] += q->bytes / etype;
            }
            if (is_transfer(s) && is_ordered(s->call)) {
                q->pos = shared;
                shared += q->bytes / etype;
            }
            s->after[r] = pos[r];
        }
        s->shared_after = shared;
    }
}

static void drop_hint(struct hints *h, int i)
{
    memmove(&h->of[i], &h->of[i + 1],
            (size_t)(h->n - i - 1) * sizeof(h->of[0]));
    h->n--;
}

static void cut_hints(const struct job *job, struct hints *h)
{
    for (int i = h->n - 1; i >= 0; i--)
        if (job_has_item(job, "hint:%s", h->of[i].key))
            drop_hint(h, i);
}

static void cut_requests(const struct job *job, struct step *s, int part, int i)
{
    for (int r = 0; r < MAX_RANKS; r++)
        if (is_transfer(s) &&
            (job_has_item(job, "rank:%d", r) ||
             job_has_item(job, "part:%d.%d.%d", part, i, r))) {
            s->of[r].count = 0;
            s->of[r].bytes = 0;
        }
}

static void cut_steps(const struct job *job, struct scene *sc, int part)
{
    char kept[SCENE_STEPS];
    int n = 0;

    memset(kept, 1, sizeof(kept));
    /* from the end: a wait or view goes once nothing needs it */
    for (int i = sc->steps - 1; i >= 0; i--)
        if (is_transfer(&sc->step[i]) &&
            job_has_item(job, "step:%d.%d", part, i))
            kept[i] = 0;
    for (int i = sc->steps - 1; i >= 0; i--)
        if (!is_transfer(&sc->step[i]) &&
            job_has_item(job, "step:%d.%d", part, i) && may_go(sc, kept, i))
            kept[i] = 0;
    for (int i = 0; i < sc->steps; i++) {
        cut_requests(job, &sc->step[i], part, i);
        if (sc->step[i].hints)
            cut_hints(job, sc->step[i].hints);
        if (kept[i])
            sc->step[n++] = sc->step[i];
    }
    sc->steps = n;
}

/* `at`: the scene's number among those of the job. */
static void cut_scene(const struct job *job, struct scene *sc, int at)
{
    cut_hints(job, &sc->hints);
    cut_steps(job, sc, at);
    if (job_has_item(job, "prefill") && !sc->read_only)
        sc->prefill = 0;
    for (int k = MAX_RANKS - 1; k >= 1; k--)
        if (job_has_item(job, "ranks:%d", k) && sc->n > k)
            sc->n = k;
    replay_positions(sc);
}

/* ---- making them ---- */

static void add_hints(const struct job *job, struct hints *h)
{
    for (int i = 0; i < job->hints; i++) {
        struct hint *to = &h->of[h->n];

        if (h->n == SCENE_HINTS ||
            job_has_item(job, "hint:%s", job->hint[i].key))
            continue;
        to->key = job->hint[i].key;
        snprintf(to->value, sizeof(to->value), "%s", job->hint[i].value);
        h->n++;
    }
}

static void make_files(const struct job *job, struct part *p,
                       const struct studio *studio, int part)
{
    scene_make(&p->scene[0], studio, part);
    p->files = 1;
    while (p->files < p->scene[0].files &&
           !job_has_item(job, "file:%d.%d", part, p->files)) {
        scene_make_beside(&p->scene[p->files], studio, &p->scene[0], p->files);
        p->files++;
    }
}

static int make_part(struct scenes *s, int round, int first, int most)
{
    struct part *p = &s->part[s->parts];
    /* the machine says which rank is stopped, and when */
    struct studio studio = {.seed = s->job->number,
                            .what = WHAT_ALL,
                            .world = most,
                            .extras = EXTRA_ALL & ~EXTRA_STOP,
                            .scarce = s->job->scarce,
                            .lustre = s->job->lustre};

    make_files(s->job, p, &studio, s->parts);
    for (int i = 0; i < p->files; i++) {
        add_hints(s->job, &p->scene[i].hints);
        cut_scene(s->job, &p->scene[i], s->parts * SCENE_FILES + i);
    }
    p->first = first;
    p->round = round;
    p->dup = (int)(s->job->number >> 3 & 1);
    s->parts++;
    return p->scene[0].n;
}

/* One in four cases has several scenes; one in eight two at a time. */
struct scenes *scenes_make(const struct job *job)
{
    struct scenes *s = calloc(1, sizeof(*s));
    struct rng rng = {job->number ^ UINT64_C(0x5ce9e5)};
    int kind = pick(&rng, 8), n;

    if (!s)
        abort();
    s->job = job;
    s->rounds = kind == 0 ? 2 : 1;
    s->ranks = make_part(s, 0, 0, kind == 1 ? MAX_RANKS / 2 : MAX_RANKS);
    if (kind == 0 && !job_has_item(job, "scene:1")) {
        n = make_part(s, 1, 0, MAX_RANKS);
        s->ranks = n > s->ranks ? n : s->ranks;
    }
    if (kind == 1 && !job_has_item(job, "scene:1"))
        s->ranks += make_part(s, 0, s->ranks, MAX_RANKS / 2);
    return s;
}

int scenes_ranks(const struct scenes *s)
{
    return s->ranks;
}

void scenes_print(const struct scenes *s, FILE *to)
{
    for (int i = 0; i < s->parts; i++) {
        const struct part *p = &s->part[i];

        fprintf(to, "part %d, ranks %d on:\n", i, p->first);
        for (int f = 0; f < p->files; f++)
            scene_print(&p->scene[f], to);
    }
}

static void scene_items(const struct scene *sc, int at,
                        void (*fn)(const char *item, void *arg), void *arg)
{
    char text[128];

    for (int k = sc->steps - 1; k >= 0; k--) {
        snprintf(text, sizeof(text), "step:%d.%d", at, k);
        fn(text, arg);
    }
    for (int k = 0; k < sc->hints.n; k++) {
        snprintf(text, sizeof(text), "hint:%s", sc->hints.of[k].key);
        fn(text, arg);
    }
}

static void part_items(const struct part *p, int i,
                       void (*fn)(const char *item, void *arg), void *arg)
{
    char text[128];

    for (int f = 1; f < p->files; f++) {
        snprintf(text, sizeof(text), "file:%d.%d", i, f);
        fn(text, arg);
    }
    for (int f = 0; f < p->files; f++)
        scene_items(&p->scene[f], i * SCENE_FILES + f, fn, arg);
}

void scenes_items(const struct scenes *s,
                  void (*fn)(const char *item, void *arg), void *arg)
{
    char text[128];

    if (s->parts > 1)
        fn("scene:1", arg);
    for (int k = 1; k < s->ranks; k *= 2) {
        snprintf(text, sizeof(text), "ranks:%d", k);
        fn(text, arg);
    }
    for (int i = 0; i < s->parts; i++)
        part_items(&s->part[i], i, fn, arg);
    for (int r = s->ranks - 1; r >= 0; r--) {
        snprintf(text, sizeof(text), "rank:%d", r);
        fn(text, arg);
    }
    fn("prefill", arg);
}

/* ---- playing them ---- */

static void at_step(int file, int step)
{
    (void)file, (void)step;
    sched_accomplished();
}

static int no_replay(char *text, size_t room)
{
    return snprintf(text, room, "see the command at the end");
}

static int plays(const struct part *p, int rank)
{
    return rank >= p->first && rank < p->first + p->scene[0].n;
}

static int64_t play_part(const struct scenes *s, const struct part *p, int i,
                         MPI_Comm comm)
{
    char path[300], name[320];
    struct player player = {.comm = comm,
                            .name = name,
                            .path = path,
                            .at = at_step,
                            .replay = no_replay};

    snprintf(path, sizeof(path), "%s/f%d", s->job->dir, i);
    snprintf(name, sizeof(name), "lustre:%s", path);
    MPI_Comm_rank(comm, &player.rank);
    return play_scenes(&player, p->scene, p->files);
}

int64_t scenes_run(const struct scenes *s, int rank)
{
    int64_t wrong = 0;

    for (int round = 0; round < s->rounds; round++) {
        const struct part *mine = NULL;
        MPI_Comm comm;
        int at = -1;

        for (int i = 0; i < s->parts; i++)
            if (s->part[i].round == round && plays(&s->part[i], rank)) {
                mine = &s->part[i];
                at = i;
            }
        MPI_Comm_split(MPI_COMM_WORLD, at < 0 ? MPI_UNDEFINED : at, rank,
                       &comm);
        if (!mine)
            continue;
        wrong += mine->scene[0].n == s->ranks && !mine->dup
                     ? play_part(s, mine, at, MPI_COMM_WORLD)
                     : play_part(s, mine, at, comm);
        MPI_Comm_free(&comm);
    }
    return wrong;
}
