/* chart.h - pictures of a study, as SVG inside a page
 *
 * Colours are classes and custom properties of the page's style, so that light,
 * dark and print need no other picture. Every mark has a <title>: the page's
 * script shows it at the pointer, and without script the browser does.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_CHART_H
#define LP_CHART_H

#include "core/text/strbuf.h"
#include "view.h"

/* One scale for the charts of several runs, side by side. */
struct lp_scale {
    double microseconds; /* the longest period */
    double width;        /* of a slice of time, microseconds; 0: each its own */
    double rate;         /* the highest rate of an OST; 0: each its own */
};

/* The scale into which the charts of both runs fit. */
struct lp_scale lp_scale_make(const struct lp_view *a, const struct lp_view *b);

/* Amounts over time, a row an OST. `scale`: NULL: this run's own. */
void lp_chart_heat(const struct lp_view *v, const struct lp_scale *scale,
                   struct adl_strbuf *out);
/* Amounts by client and OST. A direction without requests has no chart. */
void lp_chart_matrix(const struct lp_view *v, int dir, struct adl_strbuf *out);
/* Each OST's rate over time, stacked by client. `scale` as above. */
void lp_chart_stack(const struct lp_view *v, const struct lp_scale *scale,
                    struct adl_strbuf *out);
/* Lock requests, callbacks and cancels over time. */
void lp_chart_locks(const struct lp_view *v, struct adl_strbuf *out);
/* Request sizes: a histogram. */
void lp_chart_sizes(const struct lp_view *v, struct adl_strbuf *out);
/* The distribution of rates: for each rate the part of the time with a lower
 * rate. */
void lp_chart_cdf(const struct lp_view *v, struct adl_strbuf *out);

/* ---- for the charts ---- */

/* A picture's frame: the plot is the area between the margins. */
struct lp_frame {
    struct adl_strbuf *out;
    double width, height;
    double left, right, top, bottom; /* borders of the plot, from 0, 0 */
    double most;                     /* value at the top; the bottom is 0 */
};

void lp_svg_open(struct adl_strbuf *out, double width, double height,
                 const char *name);
void lp_svg_close(struct adl_strbuf *out);
/* class and anchor: constants; text is escaped. */
void lp_svg_text(struct adl_strbuf *out, double x, double y, const char *class,
                 const char *text);
/* A rectangle; tip may be NULL. `more`: further attributes. */
void lp_svg_rect(struct adl_strbuf *out, const double box[4], const char *class,
                 const char *more, const char *tip);

/* Time cut into not more than `most` slices of whole bins; fewer where there
 * are few requests. With a scale they go on to the end of its period. */
struct lp_slices {
    unsigned step, count; /* bins of a slice; slices */
    double width;         /* of a slice, microseconds */
};

struct lp_slices lp_slices_make(const struct lp_view *v, unsigned most,
                                const struct lp_scale *scale);
/* Amount of a slice, of a target's (pair 0) or pair's series. */
double lp_slice_amount(const struct lp_view *v, const struct lp_slices *s,
                       unsigned i, const struct lp_series *series, int pair);
uint64_t lp_slice_count(const struct lp_view *v, const struct lp_slices *s,
                        unsigned i, const struct lp_series *series,
                        unsigned kind);

/* A round number not below n: 1, 2 or 5 times a power of ten, or of two where
 * bytes are counted. */
double lp_round_up(double n, int bytes);
/* Axes: time below, values at the left; rate: values are a second's. */
void lp_axis_time(const struct lp_frame *f, double microseconds);
void lp_axis_values(const struct lp_frame *f, const struct lp_view *v,
                    int rate);

#endif
