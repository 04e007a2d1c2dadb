/* chart_sizes.c - distributions: request sizes, rates */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"
#include "tables.h"
#include "units.h"
#include "workload.h"

static const char *const verbs[2] = {"reads", "writes"};

static void draw_bar(const struct lp_frame *f, double x, double width, int dir,
                     uint64_t n, const char *label)
{
    double height = (f->bottom - f->top) * (double)n / f->most;
    const double box[4] = {x, f->bottom - height, width, height};
    char tip[120], text[LP_UNIT_MAX];

    if (!n)
        return;
    snprintf(tip, sizeof(tip), "%s: %s %s", label, lp_count_text(n, text),
             verbs[dir]);
    lp_svg_rect(f->out, box, dir ? "bar1" : "bar0", NULL, tip);
    lp_svg_text(f->out, x + width / 2, f->bottom - height - 5, "mid small",
                text);
}

static void draw_keys(struct adl_strbuf *out, const struct lp_counts *c)
{
    char text[80], n[LP_UNIT_MAX];

    for (int dir = 0; dir < 2; dir++) {
        const double box[4] = {76 + dir * 260.0, 4, 14, 14};

        lp_svg_rect(out, box, dir ? "bar1" : "bar0", NULL, NULL);
        snprintf(text, sizeof(text), "%s: %s", verbs[dir],
                 lp_count_text(c->sized[dir], n));
        lp_svg_text(out, box[0] + 22, 16, "", text);
    }
}

void lp_chart_sizes(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_target *all = &v->study->traffic->all;
    unsigned n = lp_sizes_used(&all->sizes);
    struct lp_frame f = {.out = out,
                         .width = 1000,
                         .height = 240,
                         .left = 76,
                         .right = 990,
                         .top = 44,
                         .bottom = 212};
    char label[48];

    for (unsigned i = 0; i < n; i++)
        for (int dir = 0; dir < 2; dir++)
            f.most = fmax(f.most, (double)all->sizes.class[dir][i]);
    if (!(f.most > 0))
        return;
    f.most = lp_round_up(f.most, 0);
    lp_svg_open(out, f.width, f.height, "Histogram of request sizes");
    draw_keys(out, &all->counts);
    lp_axis_values(&f, NULL, 0);
    for (unsigned i = 0; i < n; i++) {
        double column = (f.right - f.left) / n;
        double width = fmin(44, column / 2 - 4);
        double x = f.left + (i + 0.5) * column;

        lp_size_text(i, label, sizeof(label));
        draw_bar(&f, x - width - 1, width, 0, all->sizes.class[0][i], label);
        draw_bar(&f, x + 1, width, 1, all->sizes.class[1][i], label);
        lp_svg_text(out, x, f.bottom + 16, "mid",
                    strncmp(label, "up to ", 6) == 0 ? label + 6 : label);
    }
    lp_svg_close(out);
}

static void draw_curve(const struct lp_frame *f, const struct lp_rates *r,
                       int dir)
{
    adl_strbuf_printf(f->out, "<path class=\"line line%d\" d=\"M%.1f %.1f",
                      dir ? 2 : 1, f->left, f->bottom);
    for (int i = 0; i <= 200; i++) {
        double part = i / 200.0;

        adl_strbuf_printf(
            f->out, "L%.1f %.1f", f->left + (f->right - f->left) * part,
            f->bottom -
                (f->bottom - f->top) * lp_rates_percentile(r, part) / f->most);
    }
    adl_strbuf_puts(f->out, "\"/>\n");
}

static void draw_curve_tips(const struct lp_frame *f, const struct lp_view *v,
                            const struct lp_rates r[2])
{
    char tip[200], a[LP_UNIT_MAX], b[LP_UNIT_MAX];
    double column = (f->right - f->left) / 50;

    for (int i = 0; i < 50; i++) {
        const double box[4] = {f->left + i * column, f->top, column,
                               f->bottom - f->top};
        double part = (i + 1) / 50.0;

        snprintf(tip, sizeof(tip),
                 "in %.0f %% of the time not above\n%s read, %s written",
                 part * 100,
                 lp_view_text(v, lp_rates_percentile(&r[0], part), 1, a),
                 lp_view_text(v, lp_rates_percentile(&r[1], part), 1, b));
        lp_svg_rect(f->out, box, "tip", NULL, tip);
    }
}

void lp_chart_cdf(const struct lp_view *v, struct adl_strbuf *out)
{
    const struct lp_series *all = v->study->traffic->all.series;
    struct lp_frame f = {.out = out,
                         .width = 1000,
                         .height = 210,
                         .left = 86,
                         .right = 990,
                         .top = 30,
                         .bottom = 176};
    struct lp_slices s = lp_slices_make(v, 100, NULL);
    struct lp_rates r[2] = {{0}};
    char text[160], mean[LP_UNIT_MAX], peak[LP_UNIT_MAX];

    for (int dir = 0; dir < 2; dir++)
        if (lp_rates_make(v, all, dir, s.step, &r[dir]) < 0)
            break;
    f.most = fmax(r[0].peak, r[1].peak);
    if (f.most > 0) {
        f.most = lp_round_up(f.most, v->bytes_known);
        lp_svg_open(out, f.width, f.height, "Distribution of rates");
        lp_axis_values(&f, v, 1);
        for (int dir = 0; dir < 2; dir++) {
            double x = f.left + dir * 400;

            draw_curve(&f, &r[dir], dir);
            adl_strbuf_printf(out,
                              "<path class=\"line line%d\" d=\"M%.0f "
                              "14h34\"/>\n",
                              dir ? 2 : 1, x);
            snprintf(text, sizeof(text), "%s: mean %s, peak %s", verbs[dir],
                     lp_view_text(v, r[dir].mean, 1, mean),
                     lp_view_text(v, r[dir].peak, 1, peak));
            lp_svg_text(out, x + 42, 18, "", text);
        }
        draw_curve_tips(&f, v, r);
        for (int i = 0; i <= 10; i++) {
            snprintf(text, sizeof(text), "%d %%", i * 10);
            lp_svg_text(out, f.left + (f.right - f.left) * i / 10.0,
                        f.bottom + 16, i == 10 ? "end" : "mid", text);
        }
        lp_svg_text(out, f.right, f.bottom + 32, "end",
                    "of the time the rate is not above the curve");
        lp_svg_close(out);
    }
    for (int dir = 0; dir < 2; dir++)
        lp_rates_release(&r[dir]);
}
