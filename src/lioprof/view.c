/* view.c - a study in the order in which it is shown */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

/* 192.168.1.9 before 192.168.1.10: digits count as numbers. */
static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *ea, *eb;
            unsigned long x = strtoul(a, &ea, 10), y = strtoul(b, &eb, 10);

            if (x != y)
                return x < y ? -1 : 1;
            a = ea;
            b = eb;
        } else {
            if (*a != *b)
                break;
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int by_client_name(const void *a, const void *b)
{
    const struct lp_view_client *x = a, *y = b;

    return compare_names(x->name, y->name);
}

static int by_target_name(const void *a, const void *b)
{
    const struct lp_view_target *x = a, *y = b;

    if (x->mdt != y->mdt)
        return x->mdt - y->mdt;
    if (x->named != y->named)
        return y->named - x->named;
    return strcmp(x->name, y->name);
}

/* By something that is not between a client and a metadata server. */
static int is_used(const struct lp_counts *c)
{
    for (int i = 0; i < LP_OPS; i++)
        if (i != LP_META && i != LP_META_BLOCKING &&
            i != LP_SENT_META_BLOCKING && i != LP_OTHER && c->op[i])
            return 1;
    return 0;
}

static int is_shown(const struct lp_target *o)
{
    if (o->gone)
        return 0;
    return o->mdt ? o->counts.op[LP_META_BLOCKING] > 0
                  : o->named || is_used(&o->counts);
}

static int list_targets(struct lp_view *v)
{
    const struct lp_traffic *t = v->study->traffic;
    unsigned count = lp_names_count(t->targets);

    v->target = calloc(count, sizeof(*v->target));
    if (!v->target)
        return -1;
    for (unsigned i = 0; i < count; i++) {
        struct lp_view_target *o = &v->target[v->targets + v->mdts];

        if (!is_shown(&t->target[i]))
            continue;
        o->number = i;
        o->mdt = t->target[i].mdt;
        o->named = t->target[i].named;
        v->osts += (unsigned)(o->named && !o->mdt);
        v->targets += (unsigned)!o->mdt;
        v->mdts += (unsigned)o->mdt;
    }
    for (unsigned i = 0; i < v->targets + v->mdts; i++) {
        struct lp_view_target *o = &v->target[i];

        snprintf(o->name, sizeof(o->name), "%s%s",
                 lp_study_target(v->study, o->number),
                 v->osts && !o->named && !o->mdt ? " (OST not named)" : "");
    }
    qsort(v->target, v->targets + v->mdts, sizeof(*v->target), by_target_name);
    if (!v->osts)
        v->osts = v->targets;
    return 0;
}

static int list_clients(struct lp_view *v)
{
    const struct lp_traffic *t = v->study->traffic;
    unsigned count = lp_names_count(t->clients.names);

    v->client = calloc(count, sizeof(*v->client));
    if (!v->client)
        return -1;
    for (unsigned i = 0; i < count; i++) {
        struct lp_view_client *c = &v->client[v->clients];

        if (!is_used(&t->clients.list[i].counts))
            continue;
        c->number = i;
        lp_study_client(v->study, i, c->name, sizeof(c->name));
        v->clients++;
    }
    qsort(v->client, v->clients, sizeof(*v->client), by_client_name);
    return 0;
}

static int list_pairs(struct lp_view *v)
{
    const struct lp_traffic *t = v->study->traffic;
    unsigned clients = lp_names_count(t->clients.names);
    unsigned targets = lp_names_count(t->targets);
    unsigned *column = calloc(targets, sizeof(*column));
    unsigned *row = calloc(clients, sizeof(*row));

    v->pair =
        calloc((size_t)v->clients * v->targets + 1, sizeof(struct lp_pair *));
    if (!v->pair || !column || !row) {
        free(column);
        free(row);
        return -1;
    }
    for (unsigned i = 0; i < v->targets; i++)
        column[v->target[i].number] = i + 1;
    for (unsigned i = 0; i < v->clients; i++)
        row[v->client[i].number] = i + 1;
    for (unsigned i = 0; i < t->pairs; i++) {
        unsigned r = row[t->pair[i].client], c = column[t->pair[i].target];

        if (r && c)
            v->pair[(size_t)(r - 1) * v->targets + c - 1] = &t->pair[i];
    }
    free(column);
    free(row);
    return 0;
}

struct lp_view *lp_view_create(const struct lp_study *s)
{
    const struct lp_counts *all = &s->traffic->all.counts;
    struct lp_view *v = calloc(1, sizeof(*v));

    if (!v)
        return NULL;
    v->study = s;
    v->bytes_known = 2 * (all->sized[0] + all->sized[1]) >=
                         all->op[LP_READ] + all->op[LP_WRITE] &&
                     all->sized[0] + all->sized[1] > 0;
    v->seconds = (double)lp_timeline_used(s->traffic->time) *
                 (double)lp_timeline_width(s->traffic->time) / 1e6;
    if (list_targets(v) < 0 || list_clients(v) < 0 || list_pairs(v) < 0) {
        lp_view_destroy(v);
        return NULL;
    }
    return v;
}

void lp_view_destroy(struct lp_view *v)
{
    if (!v)
        return;
    free(v->target);
    free(v->client);
    free(v->pair);
    free(v);
}

const char *lp_view_target(const struct lp_view *v, unsigned i)
{
    return v->target[i].name;
}

const struct lp_target *lp_view_counts(const struct lp_view *v, unsigned i)
{
    return &v->study->traffic->target[v->target[i].number];
}

const struct lp_pair *lp_view_pair(const struct lp_view *v, unsigned client,
                                   unsigned target)
{
    return v->pair[(size_t)client * v->targets + target];
}

double lp_view_amount(const struct lp_view *v, const struct lp_counts *c,
                      int dir)
{
    if (dir == LP_BOTH)
        return lp_view_amount(v, c, 0) + lp_view_amount(v, c, 1);
    return v->bytes_known ? (double)c->bytes[dir]
                          : (double)c->op[dir ? LP_WRITE : LP_READ];
}

double lp_view_at(const struct lp_view *v, const struct lp_series *s, int pair,
                  unsigned bin, int dir)
{
    unsigned kind;

    if (!s)
        return 0;
    if (dir == LP_BOTH)
        return lp_view_at(v, s, pair, bin, 0) + lp_view_at(v, s, pair, bin, 1);
    if (pair)
        kind = v->bytes_known ? LP_PAIR_BYTES : LP_PAIR_REQUESTS;
    else
        kind = v->bytes_known ? LP_READ_BYTES : LP_READ;
    return (double)lp_series_at(s, bin, kind + (unsigned)dir);
}

const char *lp_view_text(const struct lp_view *v, double amount, int rate,
                         char *out)
{
    if (v->bytes_known)
        return rate ? lp_rate_text(amount, out) : lp_bytes_text(amount, out);
    if (!rate)
        return lp_count_text(lp_count_of(amount), out);
    snprintf(out, LP_UNIT_MAX, "%.*f requests/s", amount < 10 ? 1 : 0, amount);
    return out;
}

const char *lp_view_unit(const struct lp_view *v)
{
    return v->bytes_known ? "bytes" : "requests";
}

unsigned lp_view_users(const struct lp_view *v, unsigned target, int dir)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->clients; i++) {
        const struct lp_pair *p = lp_view_pair(v, i, target);

        n += p && lp_view_amount(v, &p->counts, dir) > 0;
    }
    return n;
}

unsigned lp_view_used(const struct lp_view *v, unsigned client, int dir)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->targets; i++) {
        const struct lp_pair *p = lp_view_pair(v, client, i);

        n += p && lp_view_amount(v, &p->counts, dir) > 0;
    }
    return n;
}
