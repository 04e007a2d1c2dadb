/* finding.c - what stands out, in plain words, and what to try */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

static const char *const verbs[2] = {"reads from", "writes to"};
static const char *const nouns[2] = {"reads", "writes"};

static struct lp_finding *add(struct lp_findings *f, const char *rule,
                              int grave)
{
    struct lp_finding *one;

    if (f->count == LP_FINDINGS_MAX)
        f->count--; /* the last one gives way */
    one = &f->list[f->count++];
    *one = (struct lp_finding){.rule = rule, .grave = grave};
    return one;
}

__attribute__((format(printf, 2, 3))) static void say(char out[320],
                                                      const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(out, 320, fmt, args);
    va_end(args);
}

static const struct lp_counts *all_of_finding(const struct lp_view *v)
{
    return &v->study->traffic->all.counts;
}

static unsigned active_targets(const struct lp_view *v, int dir)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->targets; i++)
        n += lp_view_amount(v, &lp_view_counts(v, i)->counts, dir) > 0;
    return n;
}

static unsigned active_clients(const struct lp_view *v, int dir)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->clients; i++)
        n += lp_view_used(v, i, dir) > 0;
    return n;
}

/* ---- which clients use which OSTs ---- */

/* Clients of a target with at least a tenth of an even share: small pieces
 * beside the data of one client, such as metadata, are another finding. */
static unsigned heavy_users(const struct lp_view *v, unsigned target, int dir)
{
    double all = lp_view_amount(v, &lp_view_counts(v, target)->counts, dir);
    unsigned users = lp_view_users(v, target, dir), n = 0;

    for (unsigned i = 0; i < v->clients; i++) {
        const struct lp_pair *p = lp_view_pair(v, i, target);

        n += p && lp_view_amount(v, &p->counts, dir) * 10 * users >= all &&
             lp_view_amount(v, &p->counts, dir) > 0;
    }
    return n;
}

/* Case study 1 of LIOProf: the matrix of clients and OSTs is full. */
static void find_all_on_all(const struct lp_view *v, struct lp_findings *f,
                            int dir)
{
    unsigned targets = active_targets(v, dir), clients = active_clients(v, dir);
    unsigned pairs = 0, most = 0;
    struct lp_finding *one;

    for (unsigned i = 0; i < v->targets; i++) {
        unsigned users = heavy_users(v, i, dir);

        pairs += users;
        most = users > most ? users : most;
    }
    if (targets < 2 || clients < 2 || 4 * pairs < 3 * targets * clients)
        return;
    one = add(f, dir ? "all_write_all" : "all_read_all", 1);
    say(one->text,
        "%s client %s every OST: %u clients on each of %u OSTs; a "
        "Lustre-aware %s would use 1 client an OST.",
        pairs == targets * clients ? "Every" : "Nearly every", verbs[dir], most,
        targets, dir ? "write" : "read");
    say(one->hint,
        "make the %s collective and let the Lustre driver do it "
        "(romio-lustre run; %s=enable): every object then has one owner.",
        nouns[dir], dir ? "romio_cb_write" : "romio_cb_read");
}

static void find_hot_target(const struct lp_view *v, struct lp_findings *f)
{
    double sum = lp_view_amount(v, all_of_finding(v), LP_BOTH), most = 0;
    unsigned at = 0, n = active_targets(v, LP_BOTH);
    struct lp_finding *one;
    char share[LP_UNIT_MAX];

    for (unsigned i = 0; i < v->targets; i++) {
        double amount =
            lp_view_amount(v, &lp_view_counts(v, i)->counts, LP_BOTH);

        if (amount > most) {
            most = amount;
            at = i;
        }
    }
    if (n < 2 || sum <= 0 || most * n < 1.5 * sum)
        return;
    one = add(f, "hot_ost", 1);
    say(one->text, "%s got %s of the %s; an even share of %u OSTs is %.0f %%.",
        lp_view_target(v, at), lp_percent_text(most / sum, share),
        lp_view_unit(v), n, 100.0 / n);
    say(one->hint,
        "look at the files on it: more stripes (striping_factor), or a "
        "smaller striping_unit so that a call reaches all of them.");
}

static int is_idle(const struct lp_view *v, unsigned i)
{
    return lp_view_amount(v, &lp_view_counts(v, i)->counts, LP_BOTH) == 0;
}

static void find_idle_targets(const struct lp_view *v, struct lp_findings *f)
{
    unsigned idle = 0, names = 0;
    struct lp_finding *one;
    size_t len;

    for (unsigned i = 0; i < v->osts; i++)
        idle += is_idle(v, i);
    if (!idle || idle == v->osts)
        return;
    one = add(f, "idle_ost", 0);
    say(one->text, "%u of %u OSTs moved no data:", idle, v->osts);
    for (unsigned i = 0; i < v->osts && names < 6; i++) {
        if (!is_idle(v, i))
            continue;
        len = strlen(one->text);
        snprintf(one->text + len, sizeof(one->text) - len, "%s %s",
                 names++ ? "," : "", lp_view_target(v, i));
    }
    len = strlen(one->text);
    snprintf(one->text + len, sizeof(one->text) - len, "%s",
             idle > names ? ", ..." : ".");
    say(one->hint, "a larger striping_factor uses them.");
}

static void find_hot_client(const struct lp_view *v, struct lp_findings *f)
{
    double sum = lp_view_amount(v, all_of_finding(v), LP_BOTH), most = 0;
    unsigned at = 0, n = active_clients(v, LP_BOTH);
    struct lp_finding *one;
    char share[LP_UNIT_MAX];

    for (unsigned i = 0; i < v->clients; i++) {
        double amount = lp_view_amount(
            v, &v->study->traffic->clients.list[v->client[i].number].counts,
            LP_BOTH);

        if (amount > most) {
            most = amount;
            at = i;
        }
    }
    if (n < 3 || sum <= 0 || most * n < 2 * sum)
        return;
    one = add(f, "hot_client", 0);
    say(one->text, "Client %s moved %s of the %s; there are %u clients.",
        v->client[at].name, lp_percent_text(most / sum, share), lp_view_unit(v),
        n);
    say(one->hint, "more aggregators on more nodes: cb_nodes, "
                   "cb_config_list=*:1.");
}

/* ---- locks ---- */

static void name_contest(const struct lp_view *v, const struct lp_contest *c,
                         char *out, size_t len)
{
    char one[64], other[64];
    const char *file = lp_study_file(v->study, c->object);

    lp_study_client(v->study, c->one, one, sizeof(one));
    lp_study_client(v->study, c->other, other, sizeof(other));
    snprintf(out, len, "%s and %s on %s%.60s", one, other,
             file ? "file " : "object ",
             file ? file
                  : lp_names_text(v->study->traffic->objects.names, c->object));
}

/* The pair of clients that fought most: object by object where known. */
static const struct lp_contest *worst_contest(const struct lp_traffic *t)
{
    const struct lp_contest *worst = NULL;

    for (unsigned i = 0; i < t->contests; i++)
        if (!worst || t->contest[i].count > worst->count)
            worst = &t->contest[i];
    return worst;
}

static void find_contention(const struct lp_view *v, struct lp_findings *f)
{
    const struct lp_counts *all = all_of_finding(v);
    uint64_t callbacks = all->op[LP_BLOCKING];
    const struct lp_contest *worst = worst_contest(v->study->traffic);
    char n[LP_UNIT_MAX], share[LP_UNIT_MAX], who[256];
    struct lp_finding *one;
    double part = worst ? (double)worst->count / (double)callbacks : 0;

    if (callbacks < 16 || 20 * callbacks < all->op[LP_READ] + all->op[LP_WRITE])
        return;
    one = add(f, "contention", 1);
    if (worst && worst->one && worst->other && part >= 0.5) {
        name_contest(v, worst, who, sizeof(who));
        say(one->text,
            "%s blocking lock callbacks, %s between two clients (%s).",
            lp_count_text(callbacks, n), lp_percent_text(part, share), who);
    } else {
        say(one->text,
            "%s blocking lock callbacks for %.0f reads and writes: clients "
            "take extents away from each other.",
            lp_count_text(callbacks, n),
            (double)(all->op[LP_READ] + all->op[LP_WRITE]));
    }
    say(one->hint,
        "collective writes with one owner an object; where several clients "
        "must share one, cray_cb_write_lock_mode=2 (lockahead) or 1 (group "
        "lock).");
}

/* ---- sizes and seeks ---- */

static void find_small(const struct lp_view *v, struct lp_findings *f, int dir)
{
    const struct lp_counts *all = all_of_finding(v);
    char n[LP_UNIT_MAX], share[LP_UNIT_MAX];
    struct lp_finding *one;
    double part =
        all->sized[dir] ? (double)all->small[dir] / (double)all->sized[dir] : 0;

    if (all->small[dir] < 16 || part < 0.3)
        return;
    one = add(f, dir ? "small_writes" : "small_reads", 1);
    say(one->text, "%s of the %s move less than 64 KiB (%s requests).",
        lp_percent_text(part, share), nouns[dir],
        lp_count_text(all->small[dir], n));
    say(one->hint, "collective calls, or larger ones; for HDF5 also "
                   "collective metadata (H5Pset_all_coll_metadata_ops, "
                   "H5Pset_coll_metadata_write).");
}

/* Case study 2 of LIOProf: many clients fetch the same small pieces, beside
 * larger requests, from few OSTs. */
static void find_shared_small(const struct lp_view *v, struct lp_findings *f)
{
    for (unsigned i = 0; i < v->targets; i++) {
        const struct lp_counts *c = &lp_view_counts(v, i)->counts;
        unsigned users = 0;
        struct lp_finding *one;
        char n[LP_UNIT_MAX];

        for (unsigned k = 0; k < v->clients; k++) {
            const struct lp_pair *p = lp_view_pair(v, k, i);

            users += p && p->counts.small[0] > 0;
        }
        if (c->small[0] < 16 || users < 3)
            continue;
        one = add(f, "shared_small_reads", 1);
        say(one->text,
            "%u clients send %s small reads (below 64 KiB) to %s, as for a "
            "file's metadata that each one fetches for itself.",
            users, lp_count_text(c->small[0], n), lp_view_target(v, i));
        say(one->hint, "let one rank read for all: for HDF5 "
                       "H5Pset_all_coll_metadata_ops, for others a collective "
                       "read or a broadcast.");
        return;
    }
}

static void find_seeks(const struct lp_view *v, struct lp_findings *f)
{
    const struct lp_counts *all = all_of_finding(v);
    char share[LP_UNIT_MAX], n[LP_UNIT_MAX];
    struct lp_finding *one;
    double part = all->placed ? (double)all->seeks / (double)all->placed : 0;

    if (all->placed < 32 || part < 0.5)
        return;
    one = add(f, "seeks", 0);
    say(one->text,
        "%s of the requests (%s) do not begin where the OST's last one "
        "ended.",
        lp_percent_text(part, share), lp_count_text(all->seeks, n));
    say(one->hint, "fewer clients an OST at a time, larger calls in file "
                   "order (collective I/O does both).");
}

/* ---- time, and how good the data is ---- */

static void find_bursts(const struct lp_view *v, struct lp_findings *f)
{
    const struct lp_traffic *t = v->study->traffic;
    unsigned used = lp_timeline_used(t->time), busy = 0;
    double sum = 0;
    struct lp_finding *one;
    char share[LP_UNIT_MAX];

    for (unsigned bin = 0; bin < used; bin++) {
        double amount = lp_view_at(v, t->all.series, 0, bin, LP_BOTH);

        sum += amount;
        busy += amount > 0;
    }
    if (v->seconds < 60 || used < 20 || sum <= 0 || 4 * busy > used)
        return;
    one = add(f, "bursts", 0);
    say(one->text,
        "Data moved in %s of the time only; the servers were idle "
        "in the rest.",
        lp_percent_text((double)busy / used, share));
    say(one->hint, "the time is lost elsewhere, or nonblocking collective "
                   "calls (MPI_File_iwrite_all) could hide the bursts.");
}

static void find_dropped(const struct lp_view *v, struct lp_findings *f)
{
    struct lp_finding *one;
    char n[LP_UNIT_MAX];

    if (!v->study->dropped)
        return;
    one = add(f, "dropped", 1);
    say(one->text,
        "The servers dropped log lines (%s times): all counts "
        "here are too low.",
        lp_count_text(v->study->dropped, n));
    say(one->hint, "lioprof collect --buffer-mb with a larger value, or "
                   "without --bytes and --locks.");
}

static void find_unsized(const struct lp_view *v, struct lp_findings *f)
{
    const struct lp_counts *all = all_of_finding(v);
    uint64_t requests = all->op[LP_READ] + all->op[LP_WRITE];
    struct lp_finding *one;

    if (!requests || all->sized[0] + all->sized[1] == requests)
        return;
    one = add(f, "unsized", 0);
    say(one->text, "The logs have the size of %llu of %llu reads and writes%s.",
        (unsigned long long)(all->sized[0] + all->sized[1]),
        (unsigned long long)requests,
        v->bytes_known ? "" : "; requests are counted instead of bytes");
    say(one->hint, "lioprof collect --bytes, or --rpc-size if all are equal.");
}

void lp_findings_make(const struct lp_view *v, struct lp_findings *out)
{
    out->count = 0;
    find_dropped(v, out);
    find_all_on_all(v, out, 0);
    find_all_on_all(v, out, 1);
    find_contention(v, out);
    find_shared_small(v, out);
    find_small(v, out, 0);
    find_small(v, out, 1);
    find_hot_target(v, out);
    find_hot_client(v, out);
    find_seeks(v, out);
    find_idle_targets(v, out);
    find_bursts(v, out);
    find_unsized(v, out);
}
