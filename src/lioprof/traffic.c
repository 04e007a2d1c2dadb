/* traffic.c - requests added up: by target, client, job, object and time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "traffic.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"

/* Limits of names: what a table of them can take without growing with the
 * log. A file system has fewer targets and clients than this. */
#define MAX_TARGETS 4096
#define MAX_CLIENTS 65536
#define MAX_JOBS 16384
#define MAX_OBJECTS 65536
#define MAX_PAIRS 262144
#define MAX_CONTESTS 65536

const char *const lp_op_keys[LP_OPS] = {
#define X(name, key, text) key,
#include "ops.def"
#undef X
};

const char *const lp_op_texts[LP_OPS] = {
#define X(name, key, text) text,
#include "ops.def"
#undef X
};

/* Grow an array of zeroed elements so that `number` is an index. */
static int reach(void **list, unsigned *room, unsigned number, size_t size)
{
    unsigned more = *room ? *room : 16;
    char *grown;

    if (number < *room)
        return 0;
    while (more <= number)
        more *= 2;
    grown = realloc(*list, more * size);
    if (!grown)
        return -ENOMEM;
    memset(grown + *room * size, 0, (more - *room) * size);
    *list = grown;
    *room = more;
    return 0;
}

static int parties_init(struct lp_parties *p, unsigned limit,
                        const char *others)
{
    p->names = lp_names_create(limit, others);
    return p->names ? reach((void **)&p->list, &p->room, 0, sizeof(*p->list))
                    : -ENOMEM;
}

static void parties_release(struct lp_parties *p)
{
    lp_names_destroy(p->names);
    free(p->list);
}

static unsigned parties_add(struct lp_traffic *t, struct lp_parties *p,
                            const char *text, size_t len)
{
    unsigned number = lp_names_add(p->names, text, len);

    if (reach((void **)&p->list, &p->room, number, sizeof(*p->list)) == 0)
        return number;
    t->err = -ENOMEM;
    return 0;
}

struct lp_traffic *lp_traffic_create(unsigned bins, int64_t width,
                                     unsigned pair_series)
{
    struct lp_traffic *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    t->pair_series_limit = pair_series;
    t->time = lp_timeline_create(bins, width);
    t->nids = lp_names_create(MAX_CLIENTS, "(not named)");
    t->targets = lp_names_create(MAX_TARGETS, "(not named)");
    t->pair_index = lp_index_create();
    t->contest_index = lp_index_create();
    if (!t->time || !t->nids || !t->targets || !t->pair_index ||
        !t->contest_index ||
        parties_init(&t->clients, MAX_CLIENTS, "(not named)") < 0 ||
        parties_init(&t->jobs, MAX_JOBS, "(not named)") < 0 ||
        parties_init(&t->objects, MAX_OBJECTS, "(not named)") < 0 ||
        reach((void **)&t->target, &t->target_room, 0, sizeof(*t->target)) <
            0 ||
        reach((void **)&t->nid_client, &t->nid_room, 0,
              sizeof(*t->nid_client)) < 0) {
        lp_traffic_destroy(t);
        return NULL;
    }
    t->all.series = lp_series_create(t->time, LP_TARGET_KINDS);
    return t;
}

void lp_traffic_destroy(struct lp_traffic *t)
{
    if (!t)
        return;
    parties_release(&t->clients);
    parties_release(&t->jobs);
    parties_release(&t->objects);
    lp_names_destroy(t->nids);
    lp_names_destroy(t->targets);
    lp_index_destroy(t->pair_index);
    lp_index_destroy(t->contest_index);
    lp_timeline_destroy(t->time);
    free(t->nid_client);
    free(t->target);
    free(t->pair);
    free(t->contest);
    free(t);
}

/* A node may mount the file system twice: its nid then names no client, and
 * a client may have several nids. */
static void learn_nid(struct lp_traffic *t, unsigned client, unsigned nid)
{
    struct lp_party *p = &t->clients.list[client];

    if (reach((void **)&t->nid_client, &t->nid_room, nid,
              sizeof(*t->nid_client)) < 0) {
        t->err = -ENOMEM;
        return;
    }
    if (t->nid_client[nid] == 0)
        t->nid_client[nid] = client;
    else if (t->nid_client[nid] != client)
        t->nid_client[nid] = UINT_MAX;
    p->nid = nid;
}

unsigned lp_traffic_client(struct lp_traffic *t, const char *uuid, size_t len,
                           const char *nid, size_t nid_len)
{
    unsigned client = parties_add(t, &t->clients, uuid, len);
    unsigned number = lp_names_add(t->nids, nid, nid_len);

    if (client && number && t->clients.list[client].nid != number)
        learn_nid(t, client, number);
    return client;
}

unsigned lp_traffic_job(struct lp_traffic *t, const char *text, size_t len)
{
    return parties_add(t, &t->jobs, text, len);
}

unsigned lp_traffic_object(struct lp_traffic *t, const char *text, size_t len)
{
    return parties_add(t, &t->objects, text, len);
}

unsigned lp_traffic_target(struct lp_traffic *t, const char *text, size_t len)
{
    unsigned number = lp_names_add(t->targets, text, len);

    if (reach((void **)&t->target, &t->target_room, number,
              sizeof(*t->target)) < 0) {
        t->err = -ENOMEM;
        return 0;
    }
    if (!t->target[number].series)
        t->target[number].series = lp_series_create(t->time, LP_TARGET_KINDS);
    return number;
}

unsigned lp_traffic_client_at(const struct lp_traffic *t, const char *nid,
                              size_t len)
{
    unsigned number = lp_names_find(t->nids, nid, len);

    if (!number || number >= t->nid_room || t->nid_client[number] == UINT_MAX)
        return 0;
    return t->nid_client[number];
}

static struct lp_pair *pair_of(struct lp_traffic *t, unsigned client,
                               unsigned target)
{
    const uint32_t key[3] = {client, target, 0};
    unsigned at = lp_index_find(t->pair_index, key);

    if (at)
        return &t->pair[at - 1];
    if (t->pairs >= MAX_PAIRS ||
        reach((void **)&t->pair, &t->pair_room, t->pairs, sizeof(*t->pair)) <
            0 ||
        lp_index_add(t->pair_index, key, t->pairs + 1) < 0) {
        t->err = -ENOMEM;
        return NULL;
    }
    t->pair[t->pairs] = (struct lp_pair){.client = client, .target = target};
    if (t->pairs_with_series < t->pair_series_limit) {
        t->pair[t->pairs].series = lp_series_create(t->time, LP_PAIR_KINDS);
        t->pairs_with_series++;
    }
    return &t->pair[t->pairs++];
}

static int direction(enum lp_op op)
{
    return op == LP_READ ? 0 : op == LP_WRITE ? 1 : -1;
}

static unsigned size_class(uint64_t bytes)
{
    unsigned i = 0;

    while (i < LP_SIZES - 1 && bytes > UINT64_C(1) << (LP_SIZE_FIRST + i))
        i++;
    return i;
}

/* Request sizes cluster below round ones: within 16 KiB below counts. */
static int is_near(uint64_t bytes, uint64_t size)
{
    return bytes > size - 16384 && bytes <= size;
}

static void count_size(struct lp_sizes *s, int dir, uint64_t bytes)
{
    s->class[dir][size_class(bytes)]++;
    s->tiny[dir] += bytes >= 4096 && bytes <= 16384;
    s->half_mib[dir] += is_near(bytes, 512 << 10);
    s->mib[dir] += is_near(bytes, 1 << 20);
}

/* What one request adds to every table it belongs to. */
static void make_counts(const struct lp_request *q, int seek,
                        struct lp_counts *c)
{
    int dir = direction(q->op);

    memset(c, 0, sizeof(*c));
    c->op[q->op] = 1;
    if (dir >= 0 && q->sized) {
        c->bytes[dir] = q->bytes;
        c->sized[dir] = 1;
        c->small[dir] = q->bytes < LP_SMALL;
    }
    if (dir >= 0 && q->placed) {
        c->placed = 1;
        c->seeks = (uint64_t)seek;
    }
    if (q->service_us >= 0) {
        c->served = 1;
        c->service_us = c->slowest_us = (uint64_t)q->service_us;
    }
}

void lp_counts_add(struct lp_counts *into, const struct lp_counts *from)
{
    uint64_t slowest = into->slowest_us > from->slowest_us ? into->slowest_us
                                                           : from->slowest_us;
    uint64_t *to = (uint64_t *)into;
    const uint64_t *add = (const uint64_t *)from;

    for (size_t i = 0; i < sizeof(*into) / sizeof(*to); i++)
        to[i] += add[i];
    into->slowest_us = slowest;
}

/* Adding up 30 counters of which two are set, in five tables, would take most
 * of the time there is for a line. */
static void count_few(struct lp_counts *c, const struct lp_counts *one,
                      const struct lp_request *q)
{
    int dir = direction(q->op);

    c->op[q->op]++;
    if (dir >= 0) {
        c->bytes[dir] += one->bytes[dir];
        c->sized[dir] += one->sized[dir];
        c->small[dir] += one->small[dir];
        c->placed += one->placed;
        c->seeks += one->seeks;
    }
    if (one->served) {
        c->served++;
        c->service_us += one->service_us;
        if (one->slowest_us > c->slowest_us)
            c->slowest_us = one->slowest_us;
    }
}

static void count_over_time(struct lp_traffic *t, const struct lp_request *q,
                            struct lp_series *target, struct lp_series *pair)
{
    unsigned bin = lp_timeline_bin(t->time, q->us);
    int dir = direction(q->op);
    struct lp_series *both[2] = {target, t->all.series};

    for (int i = 0; i < 2; i++) {
        if (!both[i])
            continue;
        lp_series_add(both[i], bin, q->op, 1);
        if (dir >= 0 && q->sized)
            lp_series_add(both[i], bin, LP_READ_BYTES + (unsigned)dir,
                          q->bytes);
    }
    if (pair && dir >= 0) {
        lp_series_add(pair, bin, LP_PAIR_REQUESTS + (unsigned)dir, 1);
        if (q->sized)
            lp_series_add(pair, bin, LP_PAIR_BYTES + (unsigned)dir, q->bytes);
    }
}

/* Whether it goes on where the target's last request ended. */
static int note_place(struct lp_target *target, const struct lp_request *q)
{
    int seek = target->last_object != q->object || target->last_end != q->start;

    target->last_object = q->object;
    target->last_end = q->end;
    return seek;
}

void lp_traffic_count(struct lp_traffic *t, const struct lp_request *q)
{
    struct lp_target *target = &t->target[q->target];
    struct lp_pair *pair = pair_of(t, q->client, q->target);
    struct lp_counts one;
    int dir = direction(q->op);

    make_counts(q, q->placed && dir >= 0 ? note_place(target, q) : 0, &one);
    count_few(&target->counts, &one, q);
    count_few(&t->all.counts, &one, q);
    count_few(&t->clients.list[q->client].counts, &one, q);
    if (q->job)
        count_few(&t->jobs.list[q->job].counts, &one, q);
    if (q->object) {
        count_few(&t->objects.list[q->object].counts, &one, q);
        t->objects.list[q->object].target = q->target;
    }
    if (pair)
        count_few(&pair->counts, &one, q);
    if (dir >= 0 && q->sized) {
        count_size(&target->sizes, dir, q->bytes);
        count_size(&t->all.sizes, dir, q->bytes);
    }
    if (q->dated)
        count_over_time(t, q, target->series, pair ? pair->series : NULL);
    else
        t->undated++;
}

void lp_traffic_contest(struct lp_traffic *t, unsigned asker, unsigned holder,
                        unsigned object)
{
    const uint32_t key[3] = {asker < holder ? asker : holder,
                             asker < holder ? holder : asker, object};
    unsigned at = lp_index_find(t->contest_index, key);

    if (!at) {
        if (t->contests >= MAX_CONTESTS ||
            reach((void **)&t->contest, &t->contest_room, t->contests,
                  sizeof(*t->contest)) < 0 ||
            lp_index_add(t->contest_index, key, t->contests + 1) < 0)
            return;
        t->contest[t->contests] = (struct lp_contest){
            .one = key[0], .other = key[1], .object = object};
        at = ++t->contests;
    }
    t->contest[at - 1].count++;
}

static void merge_sizes(struct lp_sizes *into, const struct lp_sizes *from)
{
    uint64_t *to = (uint64_t *)into;
    const uint64_t *add = (const uint64_t *)from;

    for (size_t i = 0; i < sizeof(*into) / sizeof(*to); i++)
        to[i] += add[i];
}

static void merge_pair(struct lp_traffic *t, unsigned at, unsigned into)
{
    struct lp_pair *to = pair_of(t, t->pair[at].client, into);
    struct lp_pair *from = &t->pair[at]; /* pair_of may move the list */

    if (!to)
        return;
    lp_counts_add(&to->counts, &from->counts);
    if (to->series && from->series)
        lp_series_merge(to->series, from->series);
    memset(&from->counts, 0, sizeof(from->counts));
    from->series = NULL;
}

void lp_traffic_merge(struct lp_traffic *t, unsigned from, unsigned into)
{
    struct lp_target *a = &t->target[from], *b = &t->target[into];
    unsigned pairs = t->pairs;

    if (from == into || a->gone)
        return;
    lp_counts_add(&b->counts, &a->counts);
    merge_sizes(&b->sizes, &a->sizes);
    if (a->series && b->series)
        lp_series_merge(b->series, a->series);
    for (unsigned i = 0; i < pairs; i++)
        if (t->pair[i].target == from)
            merge_pair(t, i, into);
    for (unsigned i = 0; i < lp_names_count(t->objects.names); i++)
        if (t->objects.list[i].target == from)
            t->objects.list[i].target = into;
    a->gone = 1;
}

/* ---- callbacks: as they were sent, or as they were received ---- */

static void settle_series(struct lp_traffic *t, struct lp_series *s,
                          enum lp_op from, enum lp_op into)
{
    for (unsigned bin = 0; s && bin < lp_timeline_used(t->time); bin++)
        lp_series_set(s, bin, into, lp_series_at(s, bin, from));
}

static void settle_list(struct lp_parties *p, enum lp_op from, enum lp_op into)
{
    for (unsigned i = 0; i < lp_names_count(p->names); i++)
        p->list[i].counts.op[into] = p->list[i].counts.op[from];
}

/* Fewer were seen sent than received: the log of a server is missing. What is
 * not known to come from a target stays with the hosts. */
static void settle_some(struct lp_traffic *t, enum lp_op from, enum lp_op into)
{
    uint64_t known = 0;

    for (unsigned i = 0; i < lp_names_count(t->targets); i++) {
        if (!t->target[i].named)
            continue;
        t->target[i].counts.op[into] += t->target[i].counts.op[from];
        known += t->target[i].counts.op[from];
    }
    for (unsigned i = 0; i < lp_names_count(t->targets) && known; i++) {
        uint64_t *n = &t->target[i].counts.op[into];
        uint64_t part = *n < known ? *n : known;

        if (t->target[i].named)
            continue;
        *n -= part;
        known -= part;
    }
}

static void settle(struct lp_traffic *t, enum lp_op from, enum lp_op into)
{
    if (t->all.counts.op[from] < t->all.counts.op[into])
        settle_some(t, from, into);
    if (t->all.counts.op[from] < t->all.counts.op[into] ||
        t->all.counts.op[from] == 0)
        return;
    t->all.counts.op[into] = t->all.counts.op[from];
    settle_series(t, t->all.series, from, into);
    for (unsigned i = 0; i < lp_names_count(t->targets); i++) {
        t->target[i].counts.op[into] = t->target[i].counts.op[from];
        settle_series(t, t->target[i].series, from, into);
    }
    for (unsigned i = 0; i < t->pairs; i++)
        t->pair[i].counts.op[into] = t->pair[i].counts.op[from];
    settle_list(&t->clients, from, into);
    settle_list(&t->jobs, from, into);
    settle_list(&t->objects, from, into);
}

void lp_traffic_finish(struct lp_traffic *t)
{
    settle(t, LP_SENT_BLOCKING, LP_BLOCKING);
    settle(t, LP_SENT_COMPLETION, LP_COMPLETION);
    settle(t, LP_SENT_GLIMPSE, LP_GLIMPSE);
    settle(t, LP_SENT_META_BLOCKING, LP_META_BLOCKING);
}
