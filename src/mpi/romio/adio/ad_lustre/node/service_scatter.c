/* service_scatter.c - a window's bytes straight from the file into replies */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "../core/text/err.h"
#include "../core/text/minmax.h"
#include "../sys/rw.h"
#include "service.h"

#define VECTOR 512 /* pieces of one system read; every system takes 1024 */

/* A run of a reply: its place in the window, and where its bytes go. */
struct adl_target {
    int64_t at, len;
    char *to;
};

int adl_service_scatter(struct adl_service *s, struct adl_scatter *sc)
{
    int soon;

    pthread_mutex_lock(&s->sieving);
    soon = sc->window >= s->scattered;
    if (soon) {
        sc->next = s->scatter;
        s->scatter = sc;
    }
    pthread_mutex_unlock(&s->sieving);
    return soon;
}

/* Take what is wanted of window `w` out of the list; no more comes. */
static struct adl_scatter *take_scatters(struct adl_service *s, int64_t w)
{
    struct adl_scatter **at = &s->scatter, *mine = NULL;

    pthread_mutex_lock(&s->sieving);
    s->scattered = w + 1;
    while (*at) {
        struct adl_scatter *sc = *at;

        if (sc->window != w) {
            at = &sc->next;
            continue;
        }
        *at = sc->next;
        sc->next = mine;
        mine = sc;
    }
    pthread_mutex_unlock(&s->sieving);
    return mine;
}

static int add_target(struct adl_service *s, int64_t at, int64_t len, char *to)
{
    if (s->ntargets == s->room) {
        int room = s->room ? 2 * s->room : VECTOR;
        struct adl_target *more =
            realloc(s->target, sizeof(*more) * (size_t)room);

        if (!more)
            return -ENOMEM;
        s->target = more;
        s->room = room;
    }
    s->target[s->ntargets++] = (struct adl_target){at, len, to};
    return 0;
}

/* The runs come from another process: they must be as long as was said. */
static int add_targets(struct adl_service *s, const struct adl_scatter *sc)
{
    struct adl_pattern_iter it;
    struct adl_err err;
    int64_t off, len, sum = 0;
    int more, rc = adl_pattern_open(&it, sc->runs.pattern, sc->runs.size,
                                    sc->runs.window, &err);

    while (rc == 0 && (more = adl_pattern_next(&it, &off, &len)) != 0) {
        if (more < 0)
            return -EPROTO;
        rc = add_target(s, off, len, sc->to + sum);
        sum += len;
    }
    return rc < 0 ? rc : sum == sc->bytes ? 0 : -EPROTO;
}

static int by_place(const void *a, const void *b)
{
    const struct adl_target *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* All runs in the order of their places. No byte is wanted twice. */
static int sort_targets(struct adl_service *s, const struct adl_scatter *sc)
{
    int rc = 0;

    s->ntargets = 0;
    for (; sc && rc == 0; sc = sc->next)
        rc = add_targets(s, sc);
    if (rc < 0)
        return rc;
    qsort(s->target, (size_t)s->ntargets, sizeof(*s->target), by_place);
    for (int i = 1; i < s->ntargets; i++)
        if (s->target[i].at < s->target[i - 1].at + s->target[i - 1].len)
            return -EPROTO;
    return 0;
}

/* The piece of [at, end) of the window that lies in one place: in a reply, or
 * between those, in the window's buffer. `i`: the next run. */
static struct iovec next_place(const struct adl_service *s, char *buf,
                               int64_t at, int64_t end, int *i)
{
    const struct adl_target *t = &s->target[*i];

    while (*i < s->ntargets && t->at + t->len <= at)
        t = &s->target[++*i];
    if (*i == s->ntargets || t->at >= end)
        return (struct iovec){buf + at, (size_t)(end - at)};
    if (t->at > at)
        return (struct iovec){buf + at, (size_t)(t->at - at)};
    return (struct iovec){t->to + (at - t->at),
                          (size_t)(adl_min(end, t->at + t->len) - at)};
}

/* The cell's part of the span. */
static void scatter_cell(struct adl_service *s, const struct adl_cell *cell,
                         char *buf, int *i)
{
    int64_t off, len = adl_terms_part(s->terms, cell->start, cell->end, &off);
    int64_t at = cell->buf + (off - cell->start), end = at + len;
    struct iovec v[VECTOR];

    while (at < end) {
        int64_t bytes = 0;
        int n = 0;

        for (; n < VECTOR && at < end; n++) {
            v[n] = next_place(s, buf, at, end, i);
            at += (int64_t)v[n].iov_len;
            bytes += (int64_t)v[n].iov_len;
        }
        adl_service_readv(s, v, n, off, bytes);
        off += bytes;
    }
}

/* For want of memory the bytes go the usual way. */
static void gather_replies(struct adl_service *s, const struct adl_scatter *sc,
                           const char *buf)
{
    for (; sc; sc = sc->next)
        adl_service_fail(s, adl_pack_gather(&sc->runs, buf, sc->to, sc->bytes),
                         -1);
}

int adl_service_read_scattered(struct adl_service *s, int64_t w, char *buf)
{
    struct adl_scatter *sc = take_scatters(s, w);
    struct adl_cell cell;
    int next = 0, rc = sc ? sort_targets(s, sc) : 0;

    if (!sc)
        return 0;
    if (rc < 0) /* whole cells, see next_place */
        s->ntargets = 0;
    for (int i = 0; adl_window_cell(s->window, s->agg, w, i, &cell) == 0; i++)
        scatter_cell(s, &cell, buf, &next);
    if (rc == -ENOMEM)
        gather_replies(s, sc, buf);
    else
        adl_service_fail(s, rc, -1);
    return 1;
}
