/* chart_time.c - courses over time: rates stacked by client, locks */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "table.h"
#include "units.h"

#define SLICES 80
#define LAYERS 16 /* clients that are told apart; the rest is one layer */
#define PLOTS 12  /* OSTs shown */

struct stack {
    const struct lp_view *v;
    struct lp_slices slices;
    unsigned layer[LAYERS]; /* clients of the view, most data first */
    unsigned layers;
    int rest; /* there are more: one layer on top */
    double most;
};

/* ---- which clients, which OSTs ---- */

static double client_amount(const struct lp_view *v, unsigned i)
{
    return lp_view_amount(
        v, &v->study->traffic->clients.list[v->client[i].number].counts,
        LP_BOTH);
}

struct ranked {
    unsigned client;
    double amount;
};

static int by_amount(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->amount != y->amount)
        return x->amount < y->amount ? 1 : -1;
    return x->client < y->client ? -1 : 1;
}

static int by_client(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

/* The clients that moved most, in the order of their names. */
static void choose_layers(struct stack *s)
{
    struct ranked *list = calloc(s->v->clients + 1, sizeof(*list));
    unsigned n = 0;

    for (unsigned i = 0; list && i < s->v->clients; i++) {
        list[n] = (struct ranked){i, client_amount(s->v, i)};
        n += list[n].amount > 0;
    }
    if (n)
        qsort(list, n, sizeof(*list), by_amount);
    s->layers = n < LAYERS ? n : LAYERS;
    for (unsigned i = 0; i < s->layers; i++)
        s->layer[i] = list[i].client;
    qsort(s->layer, s->layers, sizeof(s->layer[0]), by_client);
    s->rest = n > s->layers;
    free(list);
}

static double slice_of(const struct stack *s, unsigned target, unsigned layer,
                       unsigned k)
{
    const struct lp_target *o = lp_view_counts(s->v, target);
    const struct lp_pair *p;
    double rest;

    if (layer < s->layers) {
        p = lp_view_pair(s->v, s->layer[layer], target);
        return p ? lp_slice_amount(s->v, &s->slices, k, p->series, 1) : 0;
    }
    rest = lp_slice_amount(s->v, &s->slices, k, o->series, 0);
    for (unsigned i = 0; i < s->layers; i++)
        rest -= slice_of(s, target, i, k);
    return rest > 0 ? rest : 0;
}

static const char *layer_name(const struct stack *s, unsigned layer)
{
    return layer < s->layers ? s->v->client[s->layer[layer]].name
                             : "other clients";
}

/* ---- one OST ---- */

/* The area of a layer: along its upper edge and back along its lower one. */
static void draw_layer(const struct lp_frame *f, const struct stack *s,
                       double *low, const double *value, unsigned layer)
{
    double column = (f->right - f->left) / s->slices.count;
    double scale = (f->bottom - f->top) / f->most;

    adl_strbuf_printf(f->out, "<path class=\"c%u\" d=\"M%.1f %.1f",
                      layer < s->layers ? layer % LAYERS : 99, f->left,
                      f->bottom - low[0] * scale);
    for (unsigned k = 0; k < s->slices.count; k++)
        adl_strbuf_printf(f->out, "V%.1fH%.1f",
                          f->bottom - (low[k] + value[k]) * scale,
                          f->left + (k + 1) * column);
    for (unsigned k = s->slices.count; k-- > 0;) {
        adl_strbuf_printf(f->out, "V%.1fH%.1f", f->bottom - low[k] * scale,
                          f->left + k * column);
        low[k] += value[k];
    }
    adl_strbuf_puts(f->out, "Z\"/>\n");
}

static void stack_tip(const struct stack *s, unsigned target, unsigned k,
                      double sum, struct adl_strbuf *tip)
{
    char a[LP_UNIT_MAX], b[LP_UNIT_MAX];
    double second = 1e6 / s->slices.width;

    adl_strbuf_printf(tip, "%s, %s to %s\n", lp_view_target(s->v, target),
                      lp_time_text(k * s->slices.width, a),
                      lp_time_text((k + 1) * s->slices.width, b));
    adl_strbuf_printf(tip, "%s in all", lp_view_text(s->v, sum * second, 1, a));
    for (unsigned i = 0; i < s->layers + (unsigned)s->rest; i++) {
        double amount = slice_of(s, target, i, k);

        if (amount > 0)
            adl_strbuf_printf(tip, "\n%s: %s", layer_name(s, i),
                              lp_view_text(s->v, amount * second, 1, a));
    }
}

static void draw_tips(const struct lp_frame *f, const struct stack *s,
                      unsigned target, const double *sum)
{
    double column = (f->right - f->left) / s->slices.count;

    for (unsigned k = 0; k < s->slices.count; k++) {
        const double box[4] = {f->left + k * column, f->top, column,
                               f->bottom - f->top};
        struct adl_strbuf tip = ADL_STRBUF_INIT;

        if (!(sum[k] > 0))
            continue;
        stack_tip(s, target, k, sum[k], &tip);
        lp_svg_rect(f->out, box, "tip", NULL, adl_strbuf_text(&tip));
        adl_strbuf_release(&tip);
    }
}

static void draw_target(const struct stack *s, unsigned target,
                        struct adl_strbuf *out)
{
    double low[SLICES] = {0}, value[SLICES];
    struct lp_frame f = {.out = out,
                         .width = 500,
                         .height = 168,
                         .left = 76,
                         .right = 492,
                         .top = 24,
                         .bottom = 144};
    unsigned users = lp_view_users(s->v, target, LP_BOTH);
    char title[160], text[LP_UNIT_MAX];

    f.most = s->most;
    snprintf(
        title, sizeof(title), "%s: %u client%s, %s",
        lp_view_target(s->v, target), users, users == 1 ? "" : "s",
        lp_view_text(s->v,
                     lp_view_amount(s->v, &lp_view_counts(s->v, target)->counts,
                                    LP_BOTH),
                     0, text));
    lp_svg_open(out, f.width, f.height, title);
    lp_svg_text(out, f.left, 14, "strong", title);
    f.most = s->most * 1e6 / s->slices.width;
    lp_axis_values(&f, s->v, 1);
    f.most = s->most;
    for (unsigned i = 0; i < s->layers + (unsigned)s->rest; i++) {
        double any = 0;

        for (unsigned k = 0; k < s->slices.count; k++) {
            value[k] = slice_of(s, target, i, k);
            any += value[k];
        }
        if (any > 0)
            draw_layer(&f, s, low, value, i);
    }
    draw_tips(&f, s, target, low);
    lp_axis_time(&f, s->slices.count * s->slices.width);
    lp_svg_close(out);
}

/* ---- all of them ---- */

static void draw_legend(const struct stack *s, struct adl_strbuf *out)
{
    char text[LP_UNIT_MAX];

    adl_strbuf_puts(out, "<ul class=\"legend\">\n");
    for (unsigned i = 0; i < s->layers + (unsigned)s->rest; i++) {
        adl_strbuf_printf(out,
                          "<li><svg viewBox=\"0 0 14 14\" width=\"14\" "
                          "height=\"14\" aria-hidden=\"true\"><rect "
                          "width=\"14\" height=\"14\" class=\"c%u\"/></svg> ",
                          i < s->layers ? i : 99);
        lp_html_text(out, layer_name(s, i));
        if (i < s->layers)
            adl_strbuf_printf(
                out, " <span class=\"dim\">%s</span>",
                lp_view_text(s->v, client_amount(s->v, s->layer[i]), 0, text));
        adl_strbuf_puts(out, "</li>\n");
    }
    adl_strbuf_puts(out, "</ul>\n");
}

/* The OSTs that moved most, in order. */
static unsigned choose_targets(const struct lp_view *v, unsigned *list)
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->targets && n < PLOTS; i++) {
        double amount =
            lp_view_amount(v, &lp_view_counts(v, i)->counts, LP_BOTH);
        unsigned better = 0;

        for (unsigned k = 0; k < v->targets; k++)
            better += lp_view_amount(v, &lp_view_counts(v, k)->counts,
                                     LP_BOTH) > amount;
        if (amount > 0 && better < PLOTS)
            list[n++] = i;
    }
    return n;
}

/* The highest rate of an OST in a slice. */
static double highest_rate(const struct lp_view *v, const struct lp_slices *s)
{
    double most = 0;

    for (unsigned i = 0; i < v->targets; i++)
        for (unsigned k = 0; k < s->count; k++)
            most = fmax(most, lp_slice_amount(v, s, k,
                                              lp_view_counts(v, i)->series, 0));
    return s->count ? most * 1e6 / s->width : 0;
}

/* A rate is the mean over a slice, so that rates of slices of different widths
 * cannot be compared: the width is chosen first. */
struct lp_scale lp_scale_make(const struct lp_view *a, const struct lp_view *b)
{
    const struct lp_view *v[2] = {a, b};
    struct lp_scale scale = {0};
    double width = 0;

    for (int i = 0; i < 2; i++) {
        struct lp_slices s = lp_slices_make(v[i], SLICES, NULL);

        scale.microseconds = fmax(scale.microseconds, s.count * s.width);
    }
    for (int i = 0; i < 2; i++)
        width = fmax(width, lp_slices_make(v[i], SLICES, &scale).width);
    scale.width = width;
    for (int i = 0; i < 2; i++) {
        struct lp_slices s = lp_slices_make(v[i], SLICES, &scale);

        scale.rate = fmax(scale.rate, highest_rate(v[i], &s));
    }
    if (v[0]->bytes_known != v[1]->bytes_known)
        scale.rate = 0; /* bytes and requests have no scale in common */
    return scale;
}

void lp_chart_stack(const struct lp_view *v, const struct lp_scale *scale,
                    struct adl_strbuf *out)
{
    struct stack s = {.v = v, .slices = lp_slices_make(v, SLICES, scale)};
    unsigned list[PLOTS], n = choose_targets(v, list);

    choose_layers(&s);
    s.most = highest_rate(v, &s.slices);
    if (!(s.most > 0))
        return;
    if (scale)
        s.most = fmax(s.most, scale->rate);
    s.most = lp_round_up(s.most, v->bytes_known) * s.slices.width / 1e6;
    adl_strbuf_puts(out, "<div class=\"plots\">\n");
    for (unsigned i = 0; i < n; i++)
        draw_target(&s, list[i], out);
    adl_strbuf_puts(out, "</div>\n");
    draw_legend(&s, out);
    if (n < v->osts)
        adl_strbuf_printf(out,
                          "<p class=\"note\">The %u busiest of %u OSTs, all "
                          "with the same scale.</p>\n",
                          n, v->osts);
}

/* ---- locks ---- */

struct course {
    enum lp_op op;
    const char *class, *name;
};

static const struct course courses[] = {
    {LP_ENQUEUE, "line1", "lock requests"},
    {LP_BLOCKING, "line2", "blocking callbacks"},
    {LP_CANCEL, "line3", "cancels"},
};
#define COURSES 3

static void draw_course(const struct lp_frame *f, const struct lp_view *v,
                        const struct lp_slices *s, const struct course *c)
{
    const struct lp_series *series = v->study->traffic->all.series;
    double column = (f->right - f->left) / s->count;

    adl_strbuf_printf(f->out, "<path class=\"line %s\" d=\"M%.1f %.1f",
                      c->class, f->left, f->bottom);
    for (unsigned k = 0; k < s->count; k++)
        adl_strbuf_printf(
            f->out, "V%.1fH%.1f",
            f->bottom - (f->bottom - f->top) *
                            (double)lp_slice_count(v, s, k, series, c->op) /
                            f->most,
            f->left + (k + 1) * column);
    adl_strbuf_printf(f->out, "V%.1f\"/>\n", f->bottom);
}

static void draw_lock_tips(const struct lp_frame *f, const struct lp_view *v,
                           const struct lp_slices *s)
{
    const struct lp_series *series = v->study->traffic->all.series;
    double column = (f->right - f->left) / s->count;
    char tip[256], a[LP_UNIT_MAX], b[LP_UNIT_MAX];

    for (unsigned k = 0; k < s->count; k++) {
        const double box[4] = {f->left + k * column, f->top, column,
                               f->bottom - f->top};
        int n = snprintf(tip, sizeof(tip), "%s to %s",
                         lp_time_text(k * s->width, a),
                         lp_time_text((k + 1) * s->width, b));

        for (int i = 0; i < COURSES; i++)
            n += snprintf(tip + n, sizeof(tip) - (size_t)n, "\n%llu %s",
                          (unsigned long long)lp_slice_count(v, s, k, series,
                                                             courses[i].op),
                          courses[i].name);
        lp_svg_rect(f->out, box, "tip", NULL, tip);
    }
}

void lp_chart_locks(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_target *all = &v->study->traffic->all;
    struct lp_slices s = lp_slices_make(v, SLICES, NULL);
    struct lp_frame f = {.out = out,
                         .width = 1000,
                         .height = 210,
                         .left = 76,
                         .right = 990,
                         .top = 30,
                         .bottom = 180};
    char text[120], n[LP_UNIT_MAX];

    for (unsigned k = 0; k < s.count; k++)
        for (int i = 0; i < COURSES; i++)
            f.most = fmax(f.most, (double)lp_slice_count(v, &s, k, all->series,
                                                         courses[i].op));
    if (!(f.most > 0))
        return;
    f.most = lp_round_up(f.most, 0);
    lp_svg_open(out, f.width, f.height, "Locks over time");
    lp_axis_values(&f, NULL, 0);
    for (int i = 0; i < COURSES; i++) {
        double x = f.left + i * 260;

        draw_course(&f, v, &s, &courses[i]);
        adl_strbuf_printf(out, "<path class=\"line %s\" d=\"M%.0f 14h34\"/>\n",
                          courses[i].class, x);
        snprintf(text, sizeof(text), "%s: %s", courses[i].name,
                 lp_count_text(all->counts.op[courses[i].op], n));
        lp_svg_text(out, x + 42, 18, "", text);
    }
    draw_lock_tips(&f, v, &s);
    lp_axis_time(&f, s.count * s.width);
    lp_svg_close(out);
}
