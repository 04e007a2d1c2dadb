/* chart.c - what all pictures need: frames, axes, time slices */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "chart.h"

#include <math.h>
#include <stdio.h>

#include "table.h"
#include "units.h"

void lp_svg_open(struct adl_strbuf *out, double width, double height,
                 const char *name)
{
    adl_strbuf_printf(out,
                      "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                      "aria-label=\"",
                      width, height);
    lp_html_text(out, name);
    adl_strbuf_puts(out, "\">\n");
}

void lp_svg_close(struct adl_strbuf *out)
{
    adl_strbuf_puts(out, "</svg>\n");
}

void lp_svg_text(struct adl_strbuf *out, double x, double y, const char *class,
                 const char *text)
{
    adl_strbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y,
                      class);
    lp_html_text(out, text);
    adl_strbuf_puts(out, "</text>\n");
}

void lp_svg_rect(struct adl_strbuf *out, const double box[4], const char *class,
                 const char *more, const char *tip)
{
    adl_strbuf_printf(out,
                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\" class=\"%s\"%s%s",
                      box[0], box[1], box[2], box[3], class, more ? " " : "",
                      more ? more : "");
    if (!tip) {
        adl_strbuf_puts(out, "/>\n");
        return;
    }
    adl_strbuf_puts(out, "><title>");
    lp_html_text(out, tip);
    adl_strbuf_puts(out, "</title></rect>\n");
}

/* Where there are few requests narrow slices would show them one by one, with
 * nothing between them, and no rate. */
#define FEWEST 24

struct lp_slices lp_slices_make(const struct lp_view *v, unsigned most,
                                const struct lp_scale *scale)
{
    const struct lp_timeline *time = v->study->traffic->time;
    unsigned used = lp_timeline_used(time);
    const struct lp_counts *all = &v->study->traffic->all.counts;
    uint64_t each = (all->op[LP_READ] + all->op[LP_WRITE]) / (v->targets + 1);
    struct lp_slices s = {.step = 1};

    if (scale && scale->microseconds > used * lp_timeline_width(time))
        used = (unsigned)ceil(scale->microseconds / lp_timeline_width(time));
    if (each < most)
        most = each > FEWEST ? (unsigned)each : FEWEST;
    if (used > most)
        s.step = (used + most - 1) / most;
    if (scale && scale->width > s.step * (double)lp_timeline_width(time))
        s.step = (unsigned)ceil(scale->width / lp_timeline_width(time));
    s.count = (used + s.step - 1) / s.step;
    s.width = (double)s.step * (double)lp_timeline_width(time);
    return s;
}

double lp_slice_amount(const struct lp_view *v, const struct lp_slices *s,
                       unsigned i, const struct lp_series *series, int pair)
{
    unsigned used = lp_timeline_used(v->study->traffic->time);
    double sum = 0;

    for (unsigned bin = i * s->step; bin < (i + 1) * s->step && bin < used;
         bin++)
        sum += lp_view_at(v, series, pair, bin, LP_BOTH);
    return sum;
}

uint64_t lp_slice_count(const struct lp_view *v, const struct lp_slices *s,
                        unsigned i, const struct lp_series *series,
                        unsigned kind)
{
    unsigned used = lp_timeline_used(v->study->traffic->time);
    uint64_t sum = 0;

    for (unsigned bin = i * s->step;
         series && bin < (i + 1) * s->step && bin < used; bin++)
        sum += lp_series_at(series, bin, kind);
    return sum;
}

double lp_round_up(double n, int bytes)
{
    double unit;

    if (!(n > 0))
        return 1;
    if (bytes)
        return pow(2, ceil(log2(n)));
    unit = pow(10, floor(log10(n)));
    return n <= unit       ? unit
           : n <= 2 * unit ? 2 * unit
           : n <= 5 * unit ? 5 * unit
                           : 10 * unit;
}

void lp_axis_time(const struct lp_frame *f, double microseconds)
{
    double step = lp_round_up(microseconds / 8, 0);
    char text[LP_UNIT_MAX];

    for (double t = 0; t <= microseconds * 1.0001; t += step) {
        double x = f->left + (f->right - f->left) * t / microseconds;

        adl_strbuf_printf(f->out,
                          "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" "
                          "y1=\"%.1f\" y2=\"%.1f\"/>\n",
                          x, x, f->bottom, f->bottom + 4);
        lp_svg_text(f->out, x, f->bottom + 16, "mid",
                    t > 0 ? lp_time_text(t, text) : "0");
    }
}

void lp_axis_values(const struct lp_frame *f, const struct lp_view *v, int rate)
{
    char text[LP_UNIT_MAX];

    for (int i = 0; i <= 2; i++) {
        double y = f->bottom - (f->bottom - f->top) * i / 2;
        double value = f->most * i / 2;

        adl_strbuf_printf(f->out,
                          "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" "
                          "y1=\"%.1f\" y2=\"%.1f\"/>\n",
                          f->left, f->right, y, y);
        if (!v)
            snprintf(text, sizeof(text), "%g", value);
        else
            lp_view_text(v, value, rate, text);
        lp_svg_text(f->out, f->left - 6, y + 4, "end", i ? text : "0");
    }
}
