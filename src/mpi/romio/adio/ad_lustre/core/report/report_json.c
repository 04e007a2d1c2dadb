/* report_json.c - everything known about a closed file, as one line of JSON */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "report_json.h"

#include <inttypes.h>
#include <string.h>

#include "../text/json.h"

/* ---- what was asked for, what there is ---- */

static void json_hint(struct adl_json *j, const struct adl_hints *h,
                      enum adl_hint id)
{
    const struct adl_hint_state *st = &h->state[id];
    char buf[32];
    const char *value = adl_hints_text(h, id, buf, sizeof(buf));

    if (!value && !st->asked)
        return;
    adl_json_open(j, NULL, '{');
    adl_json_text(j, "name", adl_hint_def(id)->set.name);
    adl_json_text(j, "requested", st->asked);
    adl_json_text(j, "requested_by",
                  st->asked ? adl_origin_text(st->asker) : NULL);
    adl_json_text(j, "effective", value);
    adl_json_text(j, "origin", adl_origin_text(st->origin));
    adl_json_close(j);
}

static void put_hints(struct adl_json *j, const struct adl_hints *h)
{
    adl_json_open(j, "hints", '[');
    for (int i = 0; i < ADL_HINT_COUNT; i++)
        json_hint(j, h, (enum adl_hint)i);
    adl_json_close(j);
}

static void put_ost(struct adl_json *j, const char *key, int ost)
{
    if (ost >= 0)
        adl_json_int(j, key, ost);
    else
        adl_json_text(j, key, NULL);
}

static void json_component(struct adl_json *j, const struct adl_component *c)
{
    adl_json_open(j, NULL, '{');
    adl_json_int(j, "start", c->start);
    if (c->end == ADL_LAYOUT_EOF)
        adl_json_text(j, "end", NULL);
    else
        adl_json_int(j, "end", c->end);
    adl_json_int(j, "stripe_size", c->stripe_size);
    adl_json_int(j, "stripe_count", c->stripe_count);
    adl_json_text(j, "pool", c->pool[0] ? c->pool : NULL);
    adl_json_int(j, "mirror", adl_component_mirror(c));
    adl_json_open(j, "osts", '[');
    for (int i = 0; i < c->nobjects && c->objects; i++)
        put_ost(j, NULL,
                c->objects[i].ost == ADL_LOV_HOLE_OST ? -1
                                                      : (int)c->objects[i].ost);
    adl_json_close(j);
    adl_json_close(j);
}

static void json_layout(struct adl_json *j, const struct adl_report_more *m)
{
    adl_json_open(j, "layout", '{');
    adl_json_bool(j, "on_lustre", m->on_lustre);
    adl_json_int(j, "stripe_count", m->report->stripe_count);
    adl_json_int(j, "stripe_size", m->report->stripe_size);
    adl_json_open(j, "components", '[');
    for (int i = 0; i < adl_layout_ncomponents(m->layout); i++)
        json_component(j, adl_layout_component(m->layout, i));
    adl_json_close(j);
    adl_json_close(j);
}

static void put_aggregators(struct adl_json *j, const struct adl_report_more *m)
{
    adl_json_open(j, "aggregators", '[');
    for (int i = 0; i < m->report->aggregators; i++) {
        adl_json_open(j, NULL, '{');
        adl_json_int(j, "rank", m->agg_rank[i]);
        adl_json_text(j, "node", m->agg_node ? m->agg_node[i] : NULL);
        adl_json_close(j);
    }
    adl_json_close(j);
}

/* ---- what was done ---- */

static int is_histogram(int id)
{
    return id >= ADL_N_size_0 && id <= ADL_N_size_1g;
}

/* A value that no rank has is null: the smallest call where no call was made.
 */
static void put_counters(struct adl_json *j, const struct adl_total *t)
{
    adl_json_open(j, "counters", '{');
    for (int i = 0; i < ADL_TIME_FIRST; i++) {
        if (is_histogram(i))
            continue;
        if (adl_counter_kind(i) == ADL_MIN && t->n[i] == INT64_MAX)
            adl_json_text(j, adl_counter_name(i), NULL);
        else
            adl_json_int(j, adl_counter_name(i), t->n[i]);
    }
    adl_json_close(j);
}

/* How often a byte of the collective calls was copied on its way between ranks
 * and aggregators, by which of them; null where no byte was copied. */
static void put_copies(struct adl_json *j, const struct adl_total *t)
{
    double moved = (double)t->n[ADL_N_collective_bytes];
    int64_t owner = t->n[ADL_N_copied_owner_bytes];
    int64_t rank = t->n[ADL_N_copied_bytes] - owner;

    if (moved <= 0) {
        adl_json_text(j, "copies_per_byte", NULL);
        return;
    }
    adl_json_open(j, "copies_per_byte", '{');
    adl_json_double(j, "rank", (double)rank / moved);
    adl_json_double(j, "owner", (double)owner / moved);
    adl_json_close(j);
}

static void put_histogram(struct adl_json *j, const struct adl_total *t)
{
    adl_json_open(j, "sizes", '[');
    for (int i = 0; i < ADL_SIZES; i++) {
        adl_json_open(j, NULL, '{');
        adl_json_int(j, "from", adl_size_from(i));
        adl_json_int(j, "calls", t->n[ADL_N_size_0 + i]);
        adl_json_close(j);
    }
    adl_json_close(j);
}

static void put_use(struct adl_json *j, const struct adl_layout *layout,
                    const struct adl_object_use *use, int number)
{
    struct adl_object_use sum;
    struct adl_home home;
    int objects = adl_use_of_ost(layout, use, number, &sum);

    if (objects == 0)
        return;
    adl_layout_home(layout, number, &home);
    adl_json_open(j, NULL, '{');
    put_ost(j, "ost", home.ost);
    adl_json_int(j, "objects", objects);
    adl_json_int(j, "bytes", sum.bytes);
    adl_json_int(j, "calls", sum.calls);
    adl_json_close(j);
}

static void put_osts(struct adl_json *j, const struct adl_report_more *m,
                     enum adl_dir dir)
{
    const struct adl_object_use *use = m->facts->use[dir];

    adl_json_open(j, "osts", '[');
    for (int i = 0; use && i < adl_layout_objects(m->layout); i++)
        put_use(j, m->layout, use, i);
    adl_json_close(j);
}

static void json_rows(struct adl_json *j, const struct adl_report *r,
                      enum adl_dir dir, enum adl_whose whose)
{
    struct adl_rates rates = adl_phase_rates(r, dir, whose);
    const struct adl_phase *p;

    adl_json_open(j, whose == ADL_ALL_RANKS ? "all_ranks" : "io_ranks", '{');
    adl_json_int(j, "total_ns", adl_phase_total(r, dir, whose));
    for (int i = 0; (p = adl_phase(i)); i++) {
        struct adl_row row = adl_phase_row(r, dir, whose, p->counter);

        adl_json_open(j, p->key[dir], '{');
        adl_json_int(j, "min_ns", row.min);
        adl_json_int(j, "max_ns", row.max);
        adl_json_int(j, "ave_ns", row.ave);
        adl_json_int(j, "percent", row.percent);
        adl_json_close(j);
    }
    adl_json_double(
        j, dir == ADL_WRITES ? "data_send_mib_s" : "data_receive_mib_s",
        rates.send);
    adl_json_double(j, "raw_mib_s", rates.raw);
    adl_json_double(j, "net_mib_s", rates.net);
    adl_json_close(j);
}

static void put_direction(struct adl_json *j, const struct adl_report_more *m,
                          enum adl_dir dir)
{
    const struct adl_total *t = &m->report->total[dir];

    adl_json_open(j, dir == ADL_WRITES ? "write" : "read", '{');
    put_counters(j, t);
    put_copies(j, t);
    put_histogram(j, t);
    put_osts(j, m, dir);
    if (m->timers) {
        adl_json_open(j, "phases", '{');
        json_rows(j, m->report, dir, ADL_ALL_RANKS);
        json_rows(j, m->report, dir, ADL_IO_RANKS);
        adl_json_close(j);
    }
    adl_json_close(j);
}

static void json_advice(struct adl_json *j, const struct adl_report_more *m)
{
    struct adl_advice advice[ADL_ADVICE_MAX];
    int n = adl_advice_find(m->facts, advice);

    adl_json_open(j, "advice", '[');
    for (int i = 0; i < n; i++) {
        adl_json_open(j, NULL, '{');
        adl_json_text(j, "rule", advice[i].rule);
        adl_json_text(j, "text", advice[i].text);
        adl_json_text(j, "try", advice[i].hint[0] ? advice[i].hint : NULL);
        adl_json_close(j);
    }
    adl_json_close(j);
}

void adl_report_json(struct adl_strbuf *sb, const struct adl_report_more *m)
{
    struct adl_json j = {.sb = sb};

    adl_json_open(&j, NULL, '{');
    adl_json_text(&j, "schema", ADL_REPORT_SCHEMA);
    adl_json_int(&j, "version", ADL_REPORT_VERSION);
    adl_json_text(&j, "file", m->report->file);
    adl_json_text(&j, "job", m->job);
    adl_json_int(&j, "pid", m->pid);
    adl_json_int(&j, "opened_ms", m->opened_ms);
    adl_json_int(&j, "closed_ms", m->closed_ms);
    adl_json_bool(&j, "open_at_finalize", m->open_at_end);
    adl_json_int(&j, "ranks", m->report->ranks);
    adl_json_int(&j, "nodes", m->facts->nodes);
    adl_json_int(&j, "lock_mode", m->report->lock_mode);
    put_hints(&j, m->hints);
    json_layout(&j, m);
    put_aggregators(&j, m);
    put_direction(&j, m, ADL_WRITES);
    put_direction(&j, m, ADL_READS);
    json_advice(&j, m);
    adl_json_close(&j);
    adl_strbuf_putc(sb, '\n');
}

/* ---- its name ---- */

static void json_flat(struct adl_strbuf *sb, const char *text)
{
    for (; *text; text++)
        adl_strbuf_putc(sb, *text == '/' ? '_' : *text);
}

void adl_report_name(struct adl_strbuf *sb, const char *pattern,
                     const char *file, int64_t pid, const char *job)
{
    const char *slash = strrchr(file, '/');

    for (; *pattern; pattern++) {
        if (*pattern != '%' || !strchr("fpj%", pattern[1]) || !pattern[1]) {
            adl_strbuf_putc(sb, *pattern);
            continue;
        }
        switch (*++pattern) {
        case 'f':
            json_flat(sb, slash ? slash + 1 : file);
            break;
        case 'p':
            adl_strbuf_printf(sb, "%" PRId64, pid);
            break;
        case 'j':
            json_flat(sb, job);
            break;
        default:
            adl_strbuf_putc(sb, '%');
        }
    }
}
