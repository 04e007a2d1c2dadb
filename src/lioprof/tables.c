/* tables.c - the tables of an analysis, each answers one question */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"
#include "finding.h"
#include "units.h"

/* ---- columns that several tables have ---- */

static void data_columns(struct lp_table *t)
{
    lp_table_column(t, "reads", LP_COUNT);
    lp_table_column(t, "writes", LP_COUNT);
    lp_table_column(t, "read_bytes", LP_BYTES);
    lp_table_column(t, "written_bytes", LP_BYTES);
}

static void data_cells(struct lp_table *t, const struct lp_counts *c)
{
    lp_table_number(t, (double)c->op[LP_READ]);
    lp_table_number(t, (double)c->op[LP_WRITE]);
    for (int dir = 0; dir < 2; dir++) {
        if (c->sized[dir] || !c->op[dir ? LP_WRITE : LP_READ])
            lp_table_number(t, (double)c->bytes[dir]);
        else
            lp_table_empty(t);
    }
}

static void lock_columns(struct lp_table *t)
{
    lp_table_column(t, "lock_requests", LP_COUNT);
    lp_table_column(t, "callbacks", LP_COUNT);
    lp_table_column(t, "cancels", LP_COUNT);
}

static void lock_cells(struct lp_table *t, const struct lp_counts *c)
{
    lp_table_number(t, (double)c->op[LP_ENQUEUE]);
    lp_table_number(t, (double)c->op[LP_BLOCKING]);
    lp_table_number(t, (double)c->op[LP_CANCEL]);
}

static double part(double of, double whole)
{
    return whole > 0 ? of / whole : NAN;
}

static const struct lp_counts *client_counts(const struct lp_view *v,
                                             unsigned i)
{
    return &v->study->traffic->clients.list[v->client[i].number].counts;
}

/* ---- in all ---- */

static void pair_row(struct lp_table *t, const char *what, const char *value)
{
    lp_table_row(t);
    lp_table_text(t, what);
    lp_table_text(t, value);
}

static void count_row(struct lp_table *t, const char *what, uint64_t n)
{
    char text[LP_UNIT_MAX];

    pair_row(t, what, lp_count_text(n, text));
}

static void overview_inputs(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_study *s = v->study;
    uint64_t lines = 0, bytes = 0;
    char text[LP_UNIT_MAX];
    unsigned logs = 0;

    for (unsigned i = 0; i < s->sources; i++) {
        lines += s->source[i].log.lines;
        bytes += s->source[i].bytes;
        logs += s->source[i].kind == LP_INPUT_LOG;
    }
    count_row(t, "server logs", logs);
    count_row(t, "log lines", lines);
    pair_row(t, "input", lp_bytes_text((double)bytes, text));
    count_row(t, "reports of the driver", s->reports);
    if (s->sim)
        pair_row(t, "servers", "lustre-sim, a model");
}

static void make_overview(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_traffic *tr = v->study->traffic;
    const struct lp_counts *c = &tr->all.counts;
    char text[LP_UNIT_MAX];

    lp_table_column(t, "what", LP_TEXT);
    lp_table_column(t, "value", LP_TEXT);
    overview_inputs(v, t);
    pair_row(t, "period", lp_time_text(v->seconds * 1e6, text));
    pair_row(t, "time bin",
             lp_time_text((double)lp_timeline_width(tr->time), text));
    count_row(t, "OSTs", v->osts);
    count_row(t, "clients", v->clients);
    for (int i = 0; i < LP_SENT_BLOCKING; i++)
        count_row(t, lp_op_texts[i], c->op[i]);
    pair_row(t, "read", lp_bytes_text((double)c->bytes[0], text));
    pair_row(t, "written", lp_bytes_text((double)c->bytes[1], text));
    if (v->seconds > 0)
        pair_row(t, "mean rate",
                 lp_rate_text((double)(c->bytes[0] + c->bytes[1]) / v->seconds,
                              text));
    count_row(t, "log lines dropped", v->study->dropped);
    if (tr->undated)
        count_row(t, "requests with an impossible time", tr->undated);
    if (tr->err)
        pair_row(t, "limits", "too many names or pairs: not all told apart");
}

static void make_findings(const struct lp_view *v, struct lp_table *t)
{
    struct lp_findings f;

    lp_table_column(t, "rule", LP_TEXT);
    lp_table_column(t, "finding", LP_TEXT);
    lp_table_column(t, "try", LP_TEXT);
    lp_findings_make(v, &f);
    for (unsigned i = 0; i < f.count; i++) {
        lp_table_row(t);
        lp_table_text(t, f.list[i].rule);
        lp_table_text(t, f.list[i].text);
        lp_table_text(t, f.list[i].hint);
    }
}

/* ---- OSTs ---- */

/* Of the slices a page shows: a bin of a few requests has no rate. */
static double peak_rate(const struct lp_view *v, const struct lp_series *series)
{
    struct lp_slices s = lp_slices_make(v, 100, NULL);
    double most = 0;

    for (unsigned i = 0; i < s.count; i++)
        most = fmax(most, lp_slice_amount(v, &s, i, series, 0));
    return most * 1e6 / s.width;
}

#define OST_CALLBACKS 10 /* the column of them in the table of OSTs */

/* Of metadata targets only callbacks are told. */
static void mdt_rows(const struct lp_view *v, struct lp_table *t)
{
    for (unsigned i = v->targets; i < v->targets + v->mdts; i++) {
        const struct lp_counts *c = &lp_view_counts(v, i)->counts;

        lp_table_row(t);
        lp_table_text(t, lp_view_target(v, i));
        for (int k = 1; k < OST_CALLBACKS; k++)
            lp_table_empty(t);
        lp_table_number(t, (double)c->op[LP_META_BLOCKING]);
    }
}

static void make_ost(const struct lp_view *v, struct lp_table *t)
{
    double all = lp_view_amount(v, &v->study->traffic->all.counts, LP_BOTH);

    lp_table_column(t, "ost", LP_TEXT);
    data_columns(t);
    lp_table_column(t, "share", LP_PERCENT);
    lp_table_column(t, "clients", LP_COUNT);
    lp_table_column(t, "peak_rate", v->bytes_known ? LP_RATE : LP_RATIO);
    lp_table_column(t, "seeks", LP_COUNT);
    lock_columns(t);
    lp_table_column(t, "mean_service", LP_MICROS);
    lp_table_column(t, "slowest", LP_MICROS);
    for (unsigned i = 0; i < v->targets; i++) {
        const struct lp_target *o = lp_view_counts(v, i);
        const struct lp_counts *c = &o->counts;

        lp_table_row(t);
        lp_table_text(t, lp_view_target(v, i));
        data_cells(t, c);
        lp_table_number(t, part(lp_view_amount(v, c, LP_BOTH), all));
        lp_table_number(t, lp_view_users(v, i, LP_BOTH));
        lp_table_number(t, peak_rate(v, o->series));
        lp_table_number(t, c->placed ? (double)c->seeks : NAN);
        lock_cells(t, c);
        lp_table_number(t, part((double)c->service_us, (double)c->served));
        lp_table_number(t, c->served ? (double)c->slowest_us : NAN);
    }
    mdt_rows(v, t);
}

static int bin_is_empty(const struct lp_series *s, unsigned bin)
{
    for (unsigned k = 0; k < LP_TARGET_KINDS; k++)
        if (lp_series_at(s, bin, k))
            return 0;
    return 1;
}

static void make_ost_time(const struct lp_view *v, struct lp_table *t)
{
    static const enum lp_op ops[] = {LP_READ,     LP_WRITE,  LP_ENQUEUE,
                                     LP_BLOCKING, LP_CANCEL, LP_META};
    const struct lp_timeline *time = v->study->traffic->time;

    lp_table_column(t, "time", LP_MOMENT);
    lp_table_column(t, "ost", LP_TEXT);
    for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
        lp_table_column(t, lp_op_keys[ops[k]], LP_COUNT);
    lp_table_column(t, "read_bytes", LP_BYTES);
    lp_table_column(t, "written_bytes", LP_BYTES);
    for (unsigned bin = 0; bin < lp_timeline_used(time); bin++) {
        for (unsigned i = 0; i < v->targets; i++) {
            const struct lp_series *s = lp_view_counts(v, i)->series;

            if (!s || bin_is_empty(s, bin))
                continue;
            lp_table_row(t);
            lp_table_number(t,
                            (double)lp_timeline_start(time) +
                                (double)bin * (double)lp_timeline_width(time));
            lp_table_text(t, lp_view_target(v, i));
            for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
                lp_table_number(t, (double)lp_series_at(s, bin, ops[k]));
            lp_table_number(t, (double)lp_series_at(s, bin, LP_READ_BYTES));
            lp_table_number(t, (double)lp_series_at(s, bin, LP_WRITE_BYTES));
        }
    }
}

/* ---- clients ---- */

static void make_client(const struct lp_view *v, struct lp_table *t)
{
    double all = lp_view_amount(v, &v->study->traffic->all.counts, LP_BOTH);

    lp_table_column(t, "client", LP_TEXT);
    data_columns(t);
    lp_table_column(t, "share", LP_PERCENT);
    lp_table_column(t, "osts", LP_COUNT);
    lock_columns(t);
    for (unsigned i = 0; i < v->clients; i++) {
        const struct lp_counts *c = client_counts(v, i);

        lp_table_row(t);
        lp_table_text(t, v->client[i].name);
        data_cells(t, c);
        lp_table_number(t, part(lp_view_amount(v, c, LP_BOTH), all));
        lp_table_number(t, lp_view_used(v, i, LP_BOTH));
        lock_cells(t, c);
    }
}

static void make_client_ost(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "client", LP_TEXT);
    data_columns(t);
    lp_table_column(t, "share_of_ost", LP_PERCENT);
    lock_columns(t);
    for (unsigned o = 0; o < v->targets; o++) {
        double all = lp_view_amount(v, &lp_view_counts(v, o)->counts, LP_BOTH);

        for (unsigned i = 0; i < v->clients; i++) {
            const struct lp_pair *p = lp_view_pair(v, i, o);

            if (!p)
                continue;
            lp_table_row(t);
            lp_table_text(t, lp_view_target(v, o));
            lp_table_text(t, v->client[i].name);
            data_cells(t, &p->counts);
            lp_table_number(t,
                            part(lp_view_amount(v, &p->counts, LP_BOTH), all));
            lock_cells(t, &p->counts);
        }
    }
}

/* ---- locks ---- */

static void make_contention(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_traffic *tr = v->study->traffic;
    char name[64];

    lp_table_column(t, "client", LP_TEXT);
    lp_table_column(t, "and", LP_TEXT);
    lp_table_column(t, "object", LP_TEXT);
    lp_table_column(t, "file", LP_TEXT);
    lp_table_column(t, "callbacks", LP_COUNT);
    lp_table_column(t, "share", LP_PERCENT);
    for (unsigned i = 0; i < tr->contests; i++) {
        const struct lp_contest *c = &tr->contest[i];
        const char *file = lp_study_file(v->study, c->object);

        lp_table_row(t);
        lp_study_client(v->study, c->one, name, sizeof(name));
        lp_table_text(t, name);
        lp_study_client(v->study, c->other, name, sizeof(name));
        lp_table_text(t, name);
        lp_table_text(t, lp_names_text(tr->objects.names, c->object));
        lp_table_text(t, file ? file : "");
        lp_table_number(t, (double)c->count);
        lp_table_number(
            t, part((double)c->count, (double)tr->all.counts.op[LP_BLOCKING]));
    }
}

/* ---- sizes ---- */

void lp_size_text(unsigned i, char *out, size_t len)
{
    char size[LP_UNIT_MAX];

    if (i == LP_SIZES - 1)
        snprintf(out, len, "more");
    else
        snprintf(
            out, len, "up to %s",
            lp_bytes_text((double)(UINT64_C(1) << (LP_SIZE_FIRST + i)), size));
}

unsigned lp_sizes_used(const struct lp_sizes *s)
{
    unsigned n = LP_SIZES;

    while (n > 0 && !s->class[0][n - 1] && !s->class[1][n - 1])
        n--;
    return n;
}

static void make_sizes(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_sizes *s = &v->study->traffic->all.sizes;
    const struct lp_counts *c = &v->study->traffic->all.counts;
    char text[48];

    lp_table_column(t, "size", LP_TEXT);
    lp_table_column(t, "reads", LP_COUNT);
    lp_table_column(t, "reads_share", LP_PERCENT);
    lp_table_column(t, "writes", LP_COUNT);
    lp_table_column(t, "writes_share", LP_PERCENT);
    for (unsigned i = 0; i < lp_sizes_used(s); i++) {
        lp_size_text(i, text, sizeof(text));
        lp_table_row(t);
        lp_table_text(t, text);
        for (int dir = 0; dir < 2; dir++) {
            lp_table_number(t, (double)s->class[dir][i]);
            lp_table_number(
                t, part((double)s->class[dir][i], (double)c -> sized[dir]));
        }
    }
}

/* ---- balance ---- */

struct spread {
    unsigned n, idle;
    double sum, squares, least, most;
};

static void spread_add(struct spread *s, double x)
{
    if (!s->n || x < s->least)
        s->least = x;
    if (!s->n || x > s->most)
        s->most = x;
    s->n++;
    s->idle += x == 0;
    s->sum += x;
    s->squares += x * x;
}

static void spread_row(struct lp_table *t, const char *what,
                       const struct spread *s)
{
    double mean = s->n ? s->sum / s->n : 0;
    double variance = s->n ? s->squares / s->n - mean * mean : 0;

    lp_table_row(t);
    lp_table_text(t, what);
    lp_table_number(t, s->n);
    lp_table_number(t, s->idle);
    lp_table_number(t, s->least);
    lp_table_number(t, mean);
    lp_table_number(t, s->most);
    lp_table_number(t, part(s->most, mean));
    lp_table_number(t, part(sqrt(variance > 0 ? variance : 0), mean));
}

static void make_imbalance(const struct lp_view *v, struct lp_table *t)
{
    struct spread osts = {0}, clients = {0}, users = {0}, used = {0};
    char what[80];

    lp_table_column(t, "of", LP_TEXT);
    lp_table_column(t, "number", LP_COUNT);
    lp_table_column(t, "idle", LP_COUNT);
    lp_table_column(t, "least", LP_RATIO);
    lp_table_column(t, "mean", LP_RATIO);
    lp_table_column(t, "most", LP_RATIO);
    lp_table_column(t, "most_to_mean", LP_RATIO);
    lp_table_column(t, "deviation_to_mean", LP_RATIO);
    for (unsigned i = 0; i < v->osts; i++) {
        spread_add(&osts,
                   lp_view_amount(v, &lp_view_counts(v, i)->counts, LP_BOTH));
        spread_add(&users, lp_view_users(v, i, LP_BOTH));
    }
    for (unsigned i = 0; i < v->clients; i++) {
        spread_add(&clients, lp_view_amount(v, client_counts(v, i), LP_BOTH));
        spread_add(&used, lp_view_used(v, i, LP_BOTH));
    }
    snprintf(what, sizeof(what), "%s of an OST", lp_view_unit(v));
    spread_row(t, what, &osts);
    snprintf(what, sizeof(what), "%s of a client", lp_view_unit(v));
    spread_row(t, what, &clients);
    spread_row(t, "clients of an OST", &users);
    spread_row(t, "OSTs of a client", &used);
}

/* ---- jobs, objects, files ---- */

static void party_rows(const struct lp_parties *p, struct lp_table *t)
{
    for (unsigned i = 1; i < lp_names_count(p->names); i++) {
        const struct lp_counts *c = &p->list[i].counts;

        lp_table_row(t);
        lp_table_text(t, lp_names_text(p->names, i));
        data_cells(t, c);
        lock_cells(t, c);
    }
}

static void make_job(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "job", LP_TEXT);
    data_columns(t);
    lock_columns(t);
    party_rows(&v->study->traffic->jobs, t);
}

static void make_object(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_traffic *tr = v->study->traffic;

    lp_table_column(t, "object", LP_TEXT);
    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "file", LP_TEXT);
    data_columns(t);
    lp_table_column(t, "seeks", LP_COUNT);
    lp_table_column(t, "callbacks", LP_COUNT);
    for (unsigned i = 1; i < lp_names_count(tr->objects.names); i++) {
        const struct lp_party *p = &tr->objects.list[i];
        const char *file = lp_study_file(v->study, i);
        uint64_t sent = p->counts.op[LP_SENT_BLOCKING];

        lp_table_row(t);
        lp_table_text(t, lp_names_text(tr->objects.names, i));
        lp_table_text(t, p->target ? lp_study_target(v->study, p->target) : "");
        lp_table_text(t, file ? file : "");
        data_cells(t, &p->counts);
        lp_table_number(t, (double)p->counts.seeks);
        lp_table_number(t, (double)sent);
    }
}

/* Objects of lustre-sim know their file. */
static void make_file(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_study *s = v->study;
    const struct lp_names *objects = s->traffic->objects.names;

    lp_table_column(t, "file", LP_TEXT);
    lp_table_column(t, "objects", LP_COUNT);
    data_columns(t);
    lp_table_column(t, "seeks", LP_COUNT);
    lp_table_column(t, "callbacks", LP_COUNT);
    for (unsigned k = 1; k < s->key_files; k++) {
        struct lp_counts sum = {0};
        unsigned n = 0;

        for (unsigned i = 1; s->key_file[k] && i < lp_names_count(objects);
             i++) {
            if (lp_study_file(s, i) != s->key_file[k])
                continue;
            lp_counts_add(&sum, &s->traffic->objects.list[i].counts);
            n++;
        }
        if (!n)
            continue;
        lp_table_row(t);
        lp_table_text(t, s->key_file[k]);
        lp_table_number(t, n);
        data_cells(t, &sum);
        lp_table_number(t, (double)sum.seeks);
        lp_table_number(t, (double)sum.op[LP_SENT_BLOCKING]);
    }
}

/* ---- servers' own statistics ---- */

static void make_brw(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_brw_list *b = &v->study->brw;

    lp_table_column(t, "ost", LP_TEXT);
    lp_table_column(t, "histogram", LP_TEXT);
    lp_table_column(t, "value", LP_TEXT);
    lp_table_column(t, "reads", LP_COUNT);
    lp_table_column(t, "writes", LP_COUNT);
    for (unsigned i = 0; i < b->count; i++) {
        for (unsigned r = 0; r < b->list[i].rows; r++) {
            const struct lp_brw_row *row = &b->list[i].row[r];

            lp_table_row(t);
            lp_table_text(t, b->list[i].target);
            lp_table_text(t, lp_brw_titles[row->section]);
            lp_table_text(t, row->label);
            lp_table_number(t, (double)lp_brw_value(&b->list[i], row, 0));
            lp_table_number(t, (double)lp_brw_value(&b->list[i], row, 1));
        }
    }
}

static void make_disk(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_disk_list *d = &v->study->disks;

    lp_table_column(t, "host", LP_TEXT);
    lp_table_column(t, "device", LP_TEXT);
    lp_table_column(t, "reports", LP_COUNT);
    lp_table_column(t, "mean_read", LP_RATE);
    lp_table_column(t, "peak_read", LP_RATE);
    lp_table_column(t, "mean_write", LP_RATE);
    lp_table_column(t, "peak_write", LP_RATE);
    lp_table_column(t, "mean_util", LP_PERCENT);
    lp_table_column(t, "peak_util", LP_PERCENT);
    for (unsigned i = 0; i < d->count; i++) {
        const struct lp_disk *k = &d->list[i];

        lp_table_row(t);
        lp_table_text(t, k->host);
        lp_table_text(t, k->device);
        lp_table_number(t, k->reports);
        for (int dir = 0; dir < 2; dir++) {
            lp_table_number(t, part(k->sum[dir] * 1024, k->reports));
            lp_table_number(t, k->most[dir] * 1024);
        }
        lp_table_number(t, part(k->util_sum / 100, k->reports));
        lp_table_number(t, k->util_most / 100);
    }
}

/* ---- the driver's own reports ---- */

static double counter(const struct lp_json *report, const char *dir,
                      const char *name)
{
    return lp_json_number(
        lp_json_get(lp_json_get(lp_json_get(report, dir), "counters"), name),
        0);
}

static unsigned count_children(const struct lp_json *j)
{
    unsigned n = 0;

    for (const struct lp_json *c = j ? j->first : NULL; c; c = c->next)
        n++;
    return n;
}

static void make_driver(const struct lp_view *v, struct lp_table *t)
{
    static const char *const columns[] = {"ranks", "nodes", "aggregators",
                                          "stripes"};

    lp_table_column(t, "file", LP_TEXT);
    for (int i = 0; i < 4; i++)
        lp_table_column(t, columns[i], LP_COUNT);
    lp_table_column(t, "collective_writes", LP_COUNT);
    lp_table_column(t, "independent_writes", LP_COUNT);
    lp_table_column(t, "written_bytes", LP_BYTES);
    lp_table_column(t, "collective_reads", LP_COUNT);
    lp_table_column(t, "independent_reads", LP_COUNT);
    lp_table_column(t, "read_bytes", LP_BYTES);
    for (unsigned i = 0; i < v->study->reports; i++) {
        const struct lp_json *r = v->study->report[i];

        lp_table_row(t);
        lp_table_text(t, lp_json_text(lp_json_get(r, "file"), "?"));
        lp_table_number(t, lp_json_number(lp_json_get(r, "ranks"), NAN));
        lp_table_number(t, lp_json_number(lp_json_get(r, "nodes"), NAN));
        lp_table_number(t, count_children(lp_json_get(r, "aggregators")));
        lp_table_number(
            t, lp_json_number(
                   lp_json_get(lp_json_get(r, "layout"), "stripe_count"), NAN));
        for (int dir = 1; dir >= 0; dir--) {
            const char *name = dir ? "write" : "read";

            lp_table_number(t, counter(r, name, "collective_calls"));
            lp_table_number(t, counter(r, name, "independent_calls"));
            lp_table_number(t, counter(r, name, "system_bytes"));
        }
    }
}

static void make_hint(const struct lp_view *v, struct lp_table *t)
{
    lp_table_column(t, "file", LP_TEXT);
    lp_table_column(t, "hint", LP_TEXT);
    lp_table_column(t, "requested", LP_TEXT);
    lp_table_column(t, "effective", LP_TEXT);
    lp_table_column(t, "origin", LP_TEXT);
    for (unsigned i = 0; i < v->study->reports; i++) {
        const struct lp_json *r = v->study->report[i];
        const struct lp_json *hints = lp_json_get(r, "hints");

        for (const struct lp_json *h = hints ? hints->first : NULL; h;
             h = h->next) {
            lp_table_row(t);
            lp_table_text(t, lp_json_text(lp_json_get(r, "file"), "?"));
            lp_table_text(t, lp_json_text(lp_json_get(h, "name"), "?"));
            lp_table_text(t, lp_json_text(lp_json_get(h, "requested"), ""));
            lp_table_text(t, lp_json_text(lp_json_get(h, "effective"), ""));
            lp_table_text(t, lp_json_text(lp_json_get(h, "origin"), ""));
        }
    }
}

/* The application's side of the course over time. */
static void make_app_time(const struct lp_view *v, struct lp_table *t)
{
    const struct lp_timeline *time = v->study->traffic->time;
    const struct lp_series *s = v->study->app;

    lp_table_column(t, "time", LP_MOMENT);
    lp_table_column(t, "read_bytes", LP_BYTES);
    lp_table_column(t, "written_bytes", LP_BYTES);
    for (unsigned bin = 0; s && bin < lp_timeline_used(time); bin++) {
        uint64_t read = lp_series_at(s, bin, LP_APP_READ);
        uint64_t written = lp_series_at(s, bin, LP_APP_WRITE);

        if (!read && !written)
            continue;
        lp_table_row(t);
        lp_table_number(t, (double)lp_timeline_start(time) +
                               (double)bin * (double)lp_timeline_width(time));
        lp_table_number(t, (double)read);
        lp_table_number(t, (double)written);
    }
}

/* clang-format off */
const struct lp_table_kind lp_tables[] = {
    {"overview", "In all", make_overview},
    {"findings", "What stands out", make_findings},
    {"ost", "OSTs: requests, bytes, locks", make_ost},
    {"client", "Clients: requests, bytes, locks and contention", make_client},
    {"client_ost", "Each OST's bandwidth, by client", make_client_ost},
    {"imbalance", "Balance", make_imbalance},
    {"contention", "Blocking callbacks between clients", make_contention},
    {"sizes", "Request sizes", make_sizes},
    {"job", "Jobs", make_job},
    {"file", "Files", make_file},
    {"object", "Objects", make_object},
    {"brw", "brw_stats: the OSTs' own histograms", make_brw},
    {"disk", "iostat: the servers' disks", make_disk},
    {"driver", "The driver's reports", make_driver},
    {"hint", "Hints in force", make_hint},
    {"app_time", "The driver's bytes over time", make_app_time},
    {"ost_time", "OSTs over time", make_ost_time},
    {NULL, NULL, NULL},
};
/* clang-format on */

struct lp_table *lp_table_make(const struct lp_view *v, const char *name)
{
    for (const struct lp_table_kind *k = lp_tables; k->name; k++) {
        struct lp_table *t;

        if (strcmp(k->name, name) != 0)
            continue;
        t = lp_table_create(k->name, k->title);
        if (t)
            k->make(v, t);
        return t;
    }
    return NULL;
}
