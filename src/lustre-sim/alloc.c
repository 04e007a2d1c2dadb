/* alloc.c - choose the objects of a component */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ALLOC_MAGIC 0x434c4153u /* "SALC" */
#define FIRST_SEQ UINT64_C(0x240000400)
#define SEQ_STEP UINT64_C(0x40000000)

struct alloc_file {
    uint32_t magic;
    uint32_t next;
    uint64_t oid[SIM_MAX_OSTS];
};

int sim_alloc_begin(const struct sim_conf *c, struct sim_alloc *a)
{
    char path[PATH_MAX + 32];
    struct alloc_file f;
    ssize_t n;

    memset(a, 0, sizeof(*a));
    snprintf(path, sizeof(path), "%s/" SIM_DIR "/alloc", c->root);
    a->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (a->fd < 0)
        return -errno;
    n = pread(a->fd, &f, sizeof(f), 0);
    if (n == (ssize_t)sizeof(f) && f.magic == ALLOC_MAGIC) {
        a->next = f.next % c->osts;
        memcpy(a->oid, f.oid, sizeof(a->oid));
    }
    return 0;
}

int sim_alloc_end(struct sim_alloc *a)
{
    struct alloc_file f = {.magic = ALLOC_MAGIC, .next = a->next};
    int rc = 0;

    if (a->fd < 0)
        return 0;
    memcpy(f.oid, a->oid, sizeof(f.oid));
    if (pwrite(a->fd, &f, sizeof(f), 0) != (ssize_t)sizeof(f))
        rc = -EIO;
    close(a->fd);
    a->fd = -1;
    return rc;
}

/* OSTs a component may use: those of its pool, or all. The server ignores the
 * name of a pool that does not exist. */
static uint32_t candidates(const struct sim_conf *c,
                           const struct adl_component *t,
                           const struct sim_pool **pool)
{
    *pool = t->pool[0] ? sim_conf_pool(c, t->pool) : NULL;
    return *pool ? (*pool)->count : c->osts;
}

static int overstriped(const struct adl_component *t)
{
    return (t->pattern & ADL_LOV_PATTERN_OVERSTRIPING) != 0;
}

int sim_alloc_count(const struct sim_conf *c, const struct adl_component *t)
{
    const struct sim_pool *pool;
    int n = candidates(c, t, &pool), count = t->stripe_count;

    if (t->nobjects)
        return t->nobjects;
    if (count == 0)
        count = c->stripe_count == ADL_LOV_ALL_STRIPES ? (uint32_t)n
                                                       : c->stripe_count;
    else if (count == (int)ADL_LOV_ALL_STRIPES)
        count = n;
    else if (overstriped(t) && count >= (int)ADL_LOV_ALL_OVERSTRIPED)
        count = n * (0x10000 - count);
    if (!overstriped(t) && count > n)
        count = n;
    return count > ADL_LOV_MAX_STRIPES ? ADL_LOV_MAX_STRIPES : count;
}

/* The OSTs of a SPECIFIC request: there, and once each. */
static int check_named(const struct sim_conf *c, const struct adl_component *t)
{
    char used[SIM_MAX_OSTS] = {0};

    for (int i = 0; i < t->nobjects; i++) {
        uint32_t ost = t->objects[i].ost;

        if (ost >= c->osts || (used[ost] && !overstriped(t)))
            return -EINVAL;
        used[ost] = 1;
    }
    return 0;
}

int sim_alloc_check(const struct sim_conf *c, const struct adl_component *t)
{
    uint32_t p = t->pattern;

    if (p != 0 && p != ADL_LOV_PATTERN_RAID0 && p != ADL_LOV_PATTERN_MDT &&
        p != (ADL_LOV_PATTERN_RAID0 | ADL_LOV_PATTERN_OVERSTRIPING))
        return -EINVAL;
    if (t->stripe_size % ADL_LOV_STRIPE_UNIT || t->stripe_size > UINT32_MAX)
        return -EINVAL;
    if (t->stripe_offset != (int)ADL_LOV_OFFSET_ANY &&
        (t->stripe_offset < 0 || (uint32_t)t->stripe_offset >= c->osts))
        return -EINVAL;
    return check_named(c, t);
}

static void new_object(struct sim_alloc *a, uint32_t ost,
                       struct adl_object *obj)
{
    memset(obj, 0, sizeof(*obj));
    obj->seq = FIRST_SEQ + ost * SEQ_STEP;
    obj->oid = ++a->oid[ost];
    obj->ost = ost;
}

/* Position in the candidate list where the round begins. */
static uint32_t first_position(const struct sim_pool *pool, uint32_t n,
                               uint32_t ost)
{
    if (!pool)
        return ost % n;
    for (uint32_t i = 0; i < n; i++)
        if (pool->osts[i] >= ost)
            return i;
    return 0;
}

static void round_robin(const struct sim_conf *c, struct sim_alloc *a,
                        const struct adl_component *t, int count,
                        struct adl_object *objs)
{
    const struct sim_pool *pool;
    uint32_t n = candidates(c, t, &pool), at, ost;
    int any = t->stripe_offset == (int)ADL_LOV_OFFSET_ANY;

    at = first_position(pool, n, any ? a->next : (uint32_t)t->stripe_offset);
    for (int i = 0; i < count; i++) {
        ost = pool ? pool->osts[(at + i) % n] : (at + i) % n;
        new_object(a, ost, &objs[i]);
        if (any)
            a->next = (ost + 1) % c->osts;
    }
}

void sim_alloc_objects(const struct sim_conf *c, struct sim_alloc *a,
                       struct adl_component *comp, struct adl_object *objs)
{
    int count = sim_alloc_count(c, comp);

    if (comp->pattern == 0)
        comp->pattern = ADL_LOV_PATTERN_RAID0;
    if (comp->stripe_size == 0)
        comp->stripe_size = c->stripe_size;
    comp->flags |= ADL_LCME_FL_INIT;
    comp->magic = comp->pool[0] ? ADL_LOV_MAGIC_V3 : ADL_LOV_MAGIC_V1;
    if (comp->pattern & ADL_LOV_PATTERN_MDT) {
        comp->stripe_count = comp->nobjects = 0;
        comp->objects = NULL;
    } else {
        for (int i = 0; i < comp->nobjects; i++)
            new_object(a, comp->objects[i].ost, &objs[i]);
        if (comp->nobjects == 0)
            round_robin(c, a, comp, count, objs);
        comp->stripe_count = comp->nobjects = count;
        comp->objects = objs;
    }
    comp->stripe_offset = ADL_LOV_OFFSET_ANY;
}
