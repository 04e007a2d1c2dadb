/* file.c - a file of the simulated file system that this process uses */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mds.h"
#include "store.h"
#include "../tools/layask.h"

struct sim_file *sim_file_create(ino_t inode, const char *path)
{
    struct sim_file *f = calloc(1, sizeof(*f));

    if (!f)
        return NULL;
    f->path = strdup(path);
    if (!f->path) {
        free(f);
        return NULL;
    }
    f->inode = inode;
    f->refs = 1;
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->solid, NULL);
    return f;
}

static void forget_layout(struct sim_file *f)
{
    adl_layout_destroy(f->layout);
    f->layout = NULL;
    free(f->objects);
    f->objects = NULL;
    free(f->got);
    f->got = NULL;
    f->nobjects = 0;
    f->ready = f->end = 0;
}

void sim_file_destroy(struct sim_file *f)
{
    if (!f)
        return;
    forget_layout(f);
    pthread_cond_destroy(&f->solid);
    pthread_mutex_destroy(&f->lock);
    free(f->path);
    free(f);
}

static int on_mdt(const struct adl_layout *l, int comp)
{
    return (adl_layout_component(l, comp)->pattern & 0xffff) ==
           ADL_LOV_PATTERN_MDT;
}

/* Names the file at the server: its first object's OST and number, which no
 * other file ever has. A file whose data begin on the MDT has none there; its
 * inode's number alone may be another file's tomorrow, whose locks and pages
 * would then be this one's. */
static uint64_t key_of(const struct adl_layout *l, int fd)
{
    uint64_t identity = 0;

    if (adl_layout_ncomponents(l) && on_mdt(l, 0)) {
        sim_store_identity(fd, &identity);
        return (UINT64_C(1) << 63) | identity;
    }
    for (int i = 0; i < adl_layout_ncomponents(l); i++) {
        const struct adl_component *c = adl_layout_component(l, i);

        if (c->nobjects)
            return ((uint64_t)(c->objects[0].ost + 1) << 32) |
                   c->objects[0].oid;
    }
    return 0;
}

static uint64_t ready_below(const struct adl_layout *l)
{
    for (int i = 0; i < adl_layout_ncomponents(l); i++) {
        const struct adl_component *c = adl_layout_component(l, i);

        if (!(c->flags & ADL_LCME_FL_EXTENSION) && c->start < c->end &&
            !adl_layask_instantiated(l, i))
            return c->start;
    }
    return UINT64_MAX;
}

static uint64_t end_of(const struct adl_layout *l)
{
    int n = adl_layout_ncomponents(l);
    int64_t end = n ? adl_layout_component(l, n - 1)->end : 0;

    return end == ADL_LAYOUT_EOF ? UINT64_MAX : (uint64_t)end;
}

static int take_layout(struct sim_file *f, struct adl_layout *l, int fd)
{
    forget_layout(f);
    f->layout = l;
    if (!adl_layout_mapped(l))
        return 0;
    f->nobjects = adl_layout_objects(l);
    f->objects = calloc(f->nobjects, sizeof(*f->objects));
    f->got = calloc(f->nobjects, 1);
    if (!f->objects || !f->got) {
        forget_layout(f);
        return -ENOMEM;
    }
    f->key = key_of(l, fd);
    f->ready = ready_below(l);
    f->end = end_of(l);
    return 0;
}

/* Under f->lock. */
static int load_locked(struct sim_file *f, const struct sim_conf *c, int fd)
{
    struct adl_layout *l;
    size_t len;
    void *lov;
    int rc = sim_mds_get(c, fd, &lov, &len);

    if (rc)
        return rc;
    rc = sim_mds_decode(c, lov, len, &l);
    free(lov);
    f->mdt = c->osts;
    return rc ? rc : take_layout(f, l, fd);
}

int sim_file_load(struct sim_file *f, const struct sim_conf *c, int fd)
{
    int rc;

    pthread_mutex_lock(&f->lock);
    rc = load_locked(f, c, fd);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

static int ready_locked(struct sim_file *f, const struct sim_conf *c, int fd,
                        uint64_t end)
{
    int rc = 0;

    if (f->layout && end <= f->ready)
        return 0;
    if (f->layout)
        rc = sim_mds_instantiate(c, fd, end);
    if (rc == 0)
        rc = load_locked(f, c, fd);
    if (rc == 0 && end > f->ready) { /* had no layout until now */
        rc = sim_mds_instantiate(c, fd, end);
        if (rc == 0)
            rc = load_locked(f, c, fd);
    }
    if (rc == 0 && !adl_layout_mapped(f->layout))
        rc = -ENODATA;
    return rc == -ENODATA && !f->layout ? -EBADF : rc;
}

int sim_file_ready(struct sim_file *f, const struct sim_conf *c, int fd,
                   uint64_t end)
{
    int rc;

    pthread_mutex_lock(&f->lock);
    rc = ready_locked(f, c, fd, end);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

void sim_extents_clear(struct sim_extents *ex)
{
    if (ex->list != ex->few)
        free(ex->list);
    ex->list = ex->few;
    ex->n = 0;
}

static struct sim_extent *add_extent(struct sim_extents *ex)
{
    struct sim_extent *more;

    if (ex->n == ex->room) {
        more = malloc(2 * ex->room * sizeof(*more));
        if (!more)
            return NULL;
        memcpy(more, ex->list, ex->n * sizeof(*more));
        if (ex->list != ex->few)
            free(ex->list);
        ex->list = more;
        ex->room *= 2;
    }
    return &ex->list[ex->n++];
}

/* A walk over the stripes of an access. Within a component piece j is on the
 * same object as piece j - count, and continues it there: a contiguous range
 * of the file is a contiguous range of every object. */
struct walk {
    int comp;
    int base;  /* extent of the component's first piece */
    int piece; /* pieces of this component so far */
    int count; /* its stripes */
    int ost;   /* -1: no objects */
    int on_mdt;
};

/* Where an object is: the server's number of its target, or -1. */
static int target_of(const struct sim_file *f, int number,
                     struct adl_home *home)
{
    adl_layout_home(f->layout, number, home);
    return on_mdt(f->layout, home->comp) ? (int)f->mdt : home->ost;
}

static void enter_component(const struct sim_file *f, const struct adl_place *p,
                            const struct sim_extents *ex, struct walk *w)
{
    struct adl_home home;

    w->ost = target_of(f, p->number, &home);
    w->on_mdt = w->ost == (int)f->mdt;
    w->comp = p->comp;
    w->base = ex->n;
    w->piece = 0;
    w->count = home.stripe_count;
}

static int add_piece(const struct sim_file *f, const struct adl_place *p,
                     int64_t end, struct walk *w, struct sim_extents *ex)
{
    uint64_t start = adl_layask_object_off(f->layout, p), last;
    struct sim_extent *e;
    struct adl_home home;

    last = start + (uint64_t)(end - p->off);
    if (w->ost < 0)
        return 0;
    if (w->piece >= w->count) {
        ex->list[w->base + w->piece % w->count].end = last;
        w->piece++;
        return 0;
    }
    e = add_extent(ex);
    if (!e)
        return -ENOMEM;
    *e = (struct sim_extent){.number = p->number,
                             .ost = target_of(f, p->number, &home),
                             .start = start,
                             .end = last,
                             .file_off = p->off,
                             .on_mdt = w->on_mdt};
    w->piece++;
    return 0;
}

static int map_locked(const struct sim_file *f, int64_t off, int64_t end,
                      struct sim_extents *ex)
{
    const struct adl_layout *l = f->layout;
    struct walk w = {.comp = -1};
    struct adl_place p;
    int rc = 0;

    adl_layout_locate(l, off, &p);
    for (;;) {
        int64_t to = p.end < end ? p.end : end;

        if (p.comp != w.comp)
            enter_component(f, &p, ex, &w);
        rc = add_piece(f, &p, to, &w, ex);
        if (rc || to == end)
            return rc;
        adl_layout_next_stripe(l, &p);
    }
}

static void extents_init(struct sim_extents *ex)
{
    ex->list = ex->few;
    ex->n = 0;
    ex->room = sizeof(ex->few) / sizeof(ex->few[0]);
}

int sim_file_map(struct sim_file *f, uint64_t off, uint64_t end,
                 struct sim_extents *ex)
{
    int rc = -ENODATA;

    extents_init(ex);
    if (off >= end)
        return 0;
    if (end > INT64_MAX)
        return -EFBIG;
    pthread_mutex_lock(&f->lock);
    if (f->layout && adl_layout_mapped(f->layout))
        rc = map_locked(f, off, end, ex);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

/* Sizes of the objects of one component, whose first is `number`, in a file
 * of `size` bytes: the last round over its stripes tells. */
static int tail_component(const struct sim_file *f, int number,
                          const struct adl_home *home, int64_t size,
                          struct sim_tail *tail)
{
    const struct adl_component *c = adl_layout_component(f->layout, home->comp);
    int64_t round = home->stripe_size * home->stripe_count;
    int64_t end = c->end < size ? c->end : size, from = c->start;
    struct sim_extents ex;
    int rc = 0;

    extents_init(&ex);
    if (end - round > from)
        from = end - round;
    if (end > from)
        rc = map_locked(f, from, end, &ex);
    for (int i = 0; i < ex.n; i++)
        tail->size[ex.list[i].number] = ex.list[i].end;
    if (c->end <= size)
        tail->first = number + home->stripe_count;
    sim_extents_clear(&ex);
    return rc;
}

static int tail_locked(const struct sim_file *f, int64_t size,
                       struct sim_tail *tail)
{
    struct adl_home home;
    int rc = 0;

    for (int i = 0; i < tail->n && rc == 0; i += home.stripe_count) {
        adl_layout_home(f->layout, i, &home);
        rc = tail_component(f, i, &home, size, tail);
    }
    return rc;
}

int sim_file_tail(struct sim_file *f, uint64_t size, struct sim_tail *tail)
{
    int rc = -ENODATA;

    *tail = (struct sim_tail){0};
    if (size > INT64_MAX)
        return -EFBIG;
    pthread_mutex_lock(&f->lock);
    if (f->layout && adl_layout_mapped(f->layout)) {
        tail->n = f->nobjects;
        tail->size = calloc(tail->n + 1, sizeof(*tail->size));
        rc = tail->size ? tail_locked(f, size, tail) : -ENOMEM;
    }
    pthread_mutex_unlock(&f->lock);
    return rc;
}

void sim_tail_clear(struct sim_tail *tail)
{
    free(tail->size);
    tail->size = NULL;
}

/* Under f->lock. Which object of the file: component and stripe, so that the
 * number does not depend on how others are counted. */
static int get_object(struct sim_file *f, struct lsim *ls, int number)
{
    struct adl_home home;
    int rc, target;

    if (f->got[number])
        return 0;
    target = target_of(f, number, &home);
    if (target < 0)
        return -ENODATA;
    rc = lsim_object_get(ls, f->key,
                         ((uint32_t)home.comp << 16) | (uint32_t)home.object,
                         target, &f->objects[number]);
    if (rc == 0)
        f->got[number] = 1;
    return rc;
}

int sim_file_object(struct sim_file *f, struct lsim *ls, int number,
                    struct lsim_object *obj)
{
    int rc = -ENODATA;

    pthread_mutex_lock(&f->lock);
    if (f->layout && number < f->nobjects)
        rc = get_object(f, ls, number);
    if (rc == 0)
        *obj = f->objects[number];
    pthread_mutex_unlock(&f->lock);
    return rc;
}

void sim_file_object_put(struct sim_file *f, int number,
                         const struct lsim_object *obj)
{
    pthread_mutex_lock(&f->lock);
    if (f->layout && number < f->nobjects && f->got[number] &&
        f->objects[number].index == obj->index)
        f->objects[number] = *obj;
    pthread_mutex_unlock(&f->lock);
}

/* Add the handles that are on the MDT, or those that are not. */
static size_t add_objects(struct sim_file *f, struct lsim *ls,
                          struct lsim_object *list, size_t n, int mdt)
{
    for (int i = 0; i < f->nobjects; i++)
        if (get_object(f, ls, i) == 0 && (f->objects[i].ost == f->mdt) == mdt)
            list[n++] = f->objects[i];
    return n;
}

int sim_file_objects(struct sim_file *f, struct lsim *ls,
                     struct lsim_object **objs, size_t *n, size_t *osts)
{
    struct lsim_object *list;

    *n = 0;
    *objs = NULL;
    pthread_mutex_lock(&f->lock);
    list = calloc(f->nobjects + 1, sizeof(*list));
    if (list) {
        *n = add_objects(f, ls, list, 0, 0);
        if (osts)
            *osts = *n;
        *n = add_objects(f, ls, list, *n, 1);
    }
    pthread_mutex_unlock(&f->lock);
    *objs = list;
    return list ? 0 : -ENOMEM;
}

/* Under f->lock. */
static int stripe_locked(const struct sim_file *f, uint64_t off, uint64_t end,
                         struct sim_extent *e, uint64_t *file_end)
{
    struct adl_home home;
    struct adl_place p;
    uint64_t start;
    int target;

    adl_layout_locate(f->layout, off, &p);
    start = adl_layask_object_off(f->layout, &p);
    *file_end = (uint64_t)p.end < end ? (uint64_t)p.end : end;
    target = target_of(f, p.number, &home);
    if (target < 0)
        return 0;
    *e = (struct sim_extent){.number = p.number,
                             .ost = target,
                             .start = start,
                             .end = start + (*file_end - off),
                             .file_off = off,
                             .on_mdt = target == (int)f->mdt};
    return 1;
}

int sim_file_stripe(struct sim_file *f, uint64_t off, uint64_t end,
                    struct sim_extent *e, uint64_t *file_end)
{
    int rc = -ENODATA;

    pthread_mutex_lock(&f->lock);
    if (f->layout && adl_layout_mapped(f->layout))
        rc = stripe_locked(f, off, end, e, file_end);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

uint64_t sim_file_offset(struct sim_file *f, int number, uint64_t object_off)
{
    int64_t off = 0;
    struct adl_home home;

    pthread_mutex_lock(&f->lock);
    if (f->layout && number < f->nobjects) {
        adl_layout_home(f->layout, number, &home);
        adl_layask_offset(f->layout, number, object_off / home.stripe_size,
                          &off);
        off += object_off % home.stripe_size;
    }
    pthread_mutex_unlock(&f->lock);
    return off;
}

uint64_t sim_file_mdt_end(struct sim_file *f)
{
    uint64_t end = 0;

    pthread_mutex_lock(&f->lock);
    if (f->layout && f->nobjects && on_mdt(f->layout, 0))
        end = (uint64_t)adl_layout_component(f->layout, 0)->end;
    pthread_mutex_unlock(&f->lock);
    return end;
}

int sim_file_on_mdt(struct sim_file *f, struct lsim *ls,
                    struct lsim_object *obj)
{
    return sim_file_mdt_end(f) && sim_file_object(f, ls, 0, obj) == 0;
}

void sim_file_hollow(struct sim_file *f, int taken)
{
    pthread_mutex_lock(&f->lock);
    f->hollow += taken ? 1 : -1;
    if (f->hollow == 0)
        pthread_cond_broadcast(&f->solid);
    pthread_mutex_unlock(&f->lock);
}

void sim_file_wait_solid(struct sim_file *f)
{
    pthread_mutex_lock(&f->lock);
    while (f->hollow)
        pthread_cond_wait(&f->solid, &f->lock);
    pthread_mutex_unlock(&f->lock);
}
