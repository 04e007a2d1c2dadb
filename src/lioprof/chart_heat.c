/* chart_heat.c - time and OSTs, clients and OSTs: heat maps */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart.h"
#include "table.h"
#include "units.h"

#define WIDTH 1000.0
#define SLICES 100
#define MOST_ROWS 64

/* Small amounts must be told from none: shades begin above 0 and follow the
 * square root. */
static void shade(double part, char *out, size_t len)
{
    snprintf(out, len, "fill-opacity=\"%.2f\"", 0.08 + 0.92 * sqrt(part));
}

/* ---- time and OSTs ---- */

struct heat {
    const struct lp_view *v;
    struct lp_slices slices;
    struct lp_frame frame;
    double row, column; /* size of a cell */
};

static double most_of(const struct heat *h, unsigned rows)
{
    double most = 0;

    for (unsigned i = 0; i < rows; i++)
        for (unsigned k = 0; k < h->slices.count; k++)
            most =
                fmax(most, lp_slice_amount(h->v, &h->slices, k,
                                           lp_view_counts(h->v, i)->series, 0));
    return most;
}

static void heat_tip(const struct heat *h, unsigned i, unsigned k,
                     double amount, char *out, size_t len)
{
    const struct lp_series *s = lp_view_counts(h->v, i)->series;
    char from[LP_UNIT_MAX], to[LP_UNIT_MAX], rate[LP_UNIT_MAX];
    char sum[LP_UNIT_MAX];

    snprintf(
        out, len,
        "%s, %s to %s\n%s (%s)\n%llu reads, %llu writes, %llu lock "
        "callbacks",
        lp_view_target(h->v, i), lp_time_text(k * h->slices.width, from),
        lp_time_text((k + 1) * h->slices.width, to),
        lp_view_text(h->v, amount * 1e6 / h->slices.width, 1, rate),
        lp_view_text(h->v, amount, 0, sum),
        (unsigned long long)lp_slice_count(h->v, &h->slices, k, s, LP_READ),
        (unsigned long long)lp_slice_count(h->v, &h->slices, k, s, LP_WRITE),
        (unsigned long long)lp_slice_count(h->v, &h->slices, k, s,
                                           LP_BLOCKING));
}

static void heat_row(const struct heat *h, unsigned i)
{
    const struct lp_target *o = lp_view_counts(h->v, i);
    double y = h->frame.top + i * h->row;
    char text[256], more[48];

    lp_svg_text(h->frame.out, h->frame.left - 8, y + h->row / 2 + 4, "end",
                lp_view_target(h->v, i));
    for (unsigned k = 0; k < h->slices.count; k++) {
        double amount = lp_slice_amount(h->v, &h->slices, k, o->series, 0);
        const double box[4] = {h->frame.left + k * h->column, y + 1,
                               h->column - (h->column > 4 ? 1 : 0), h->row - 2};

        heat_tip(h, i, k, amount, text, sizeof(text));
        if (amount > 0)
            shade(amount / h->frame.most, more, sizeof(more));
        lp_svg_rect(h->frame.out, box, amount > 0 ? "heat" : "cold",
                    amount > 0 ? more : NULL, text);
    }
    lp_svg_text(
        h->frame.out, h->frame.right + 8, y + h->row / 2 + 4, "",
        lp_view_text(h->v, lp_view_amount(h->v, &o->counts, LP_BOTH), 0, text));
}

/* From nothing to the most, with numbers. */
static void heat_legend(const struct heat *h, double y)
{
    struct adl_strbuf *out = h->frame.out;
    char text[LP_UNIT_MAX], more[48];
    double x = h->frame.right - 200;

    lp_svg_text(out, x - 8, y + 10, "end", "0");
    for (int i = 0; i < 10; i++) {
        const double box[4] = {x + i * 13, y, 12, 12};

        shade((i + 1) / 10.0, more, sizeof(more));
        lp_svg_rect(out, box, "heat", more, NULL);
    }
    lp_svg_text(
        out, x + 138, y + 10, "",
        lp_view_text(h->v, h->frame.most * 1e6 / h->slices.width, 1, text));
}

void lp_chart_heat(const struct lp_view *v, const struct lp_scale *scale,
                   struct adl_strbuf *out)
{
    unsigned rows = v->targets < MOST_ROWS ? v->targets : MOST_ROWS;
    struct heat h = {.v = v, .slices = lp_slices_make(v, SLICES, scale)};

    if (!rows || !h.slices.count)
        return;
    h.row = rows <= 8 ? 26 : rows <= 24 ? 18 : 12;
    h.frame = (struct lp_frame){
        .out = out, .width = WIDTH, .left = 110, .right = WIDTH - 90, .top = 4};
    h.frame.bottom = h.frame.top + rows * h.row;
    h.frame.height = h.frame.bottom + 44;
    h.column = (h.frame.right - h.frame.left) / h.slices.count;
    h.frame.most = most_of(&h, rows);
    if (scale)
        h.frame.most = fmax(h.frame.most, scale->rate * h.slices.width / 1e6);
    if (!(h.frame.most > 0))
        h.frame.most = 1;
    lp_svg_open(out, h.frame.width, h.frame.height, "Heat map: OSTs over time");
    for (unsigned i = 0; i < rows; i++)
        heat_row(&h, i);
    lp_axis_time(&h.frame, h.slices.count * h.slices.width);
    heat_legend(&h, h.frame.bottom + 28);
    lp_svg_close(out);
    if (rows < v->targets)
        adl_strbuf_printf(out,
                          "<p class=\"note\">The first %u of %u OSTs.</p>\n",
                          rows, v->targets);
}

/* ---- clients and OSTs ---- */

struct matrix {
    const struct lp_view *v;
    struct adl_strbuf *out;
    int dir;
    unsigned rows, columns;
    double left, top, width, height; /* of the first cell, of a cell */
    double most;
    int values; /* there is room for numbers */
};

static double cell_amount(const struct matrix *m, unsigned client,
                          unsigned target)
{
    const struct lp_pair *p = lp_view_pair(m->v, client, target);

    return p ? lp_view_amount(m->v, &p->counts, m->dir) : 0;
}

static void matrix_cell(const struct matrix *m, unsigned r, unsigned c)
{
    double amount = cell_amount(m, r, c);
    double x = m->left + c * m->width, y = m->top + r * m->height;
    const double box[4] = {x + 1, y + 1, m->width - 2, m->height - 2};
    char text[256], more[48], value[LP_UNIT_MAX], share[LP_UNIT_MAX];
    double all = lp_view_amount(m->v, &lp_view_counts(m->v, c)->counts, m->dir);

    snprintf(text, sizeof(text), "client %s, %s\n%s %s, %s of the OST's",
             m->v->client[r].name, lp_view_target(m->v, c),
             lp_view_text(m->v, amount, 0, value), m->dir ? "written" : "read",
             lp_percent_text(all > 0 ? amount / all : 0, share));
    if (amount > 0)
        shade(amount / m->most, more, sizeof(more));
    lp_svg_rect(m->out, box, amount > 0 ? "heat" : "cold",
                amount > 0 ? more : NULL, text);
    if (m->values)
        lp_svg_text(m->out, x + m->width / 2, y + m->height / 2 + 4,
                    amount > 0.3 * m->most ? "mid value on" : "mid value",
                    amount > 0 ? value : "–");
}

/* How many OSTs a client uses, how many clients an OST has: the sentence that
 * the picture is about. */
static void matrix_margins(const struct matrix *m)
{
    char text[64];

    for (unsigned r = 0; r < m->rows; r++) {
        double y = m->top + (r + 0.5) * m->height + 4;
        unsigned n = lp_view_used(m->v, r, m->dir);

        if (m->height >= 10) {
            lp_svg_text(m->out, m->left - 8, y, "end", m->v->client[r].name);
            snprintf(text, sizeof(text), "%u OST%s", n, n == 1 ? "" : "s");
            lp_svg_text(m->out, m->left + m->columns * m->width + 8, y, "",
                        text);
        }
    }
    for (unsigned c = 0; c < m->columns; c++) {
        double x = m->left + (c + 0.5) * m->width;
        unsigned n = lp_view_users(m->v, c, m->dir);

        if (m->width >= 44 || c % (unsigned)ceil(44 / m->width) == 0) {
            lp_svg_text(m->out, x, m->top - 8, "mid", lp_view_target(m->v, c));
            snprintf(text, sizeof(text), m->width >= 70 ? "%u client%s" : "%u",
                     n, n == 1 ? "" : "s");
            lp_svg_text(m->out, x, m->top + m->rows * m->height + 16,
                        "mid strong", text);
        }
    }
}

static void matrix_fit(struct matrix *m)
{
    const double room = WIDTH - 160 - 80;

    m->left = 160;
    m->top = 26;
    m->width = fmin(120, room / m->columns);
    m->height = m->rows <= 20    ? 24
                : m->rows <= 48  ? 14
                : m->rows <= 200 ? 5
                                 : 2;
    m->values = m->width >= 60 && m->height >= 20;
    for (unsigned r = 0; r < m->rows; r++)
        for (unsigned c = 0; c < m->columns; c++)
            m->most = fmax(m->most, cell_amount(m, r, c));
}

void lp_chart_matrix(const struct lp_view *v, int dir, struct adl_strbuf *out)
{
    struct matrix m = {.v = v,
                       .out = out,
                       .dir = dir,
                       .columns = v->targets < 200 ? v->targets : 200};

    for (unsigned i = 0; i < v->clients && i < 400; i++)
        m.rows = i + 1;
    if (!m.rows || !m.columns)
        return;
    matrix_fit(&m);
    if (!(m.most > 0))
        return;
    lp_svg_open(out, WIDTH, m.top + m.rows * m.height + 24,
                dir ? "Matrix: bytes written by client and OST"
                    : "Matrix: bytes read by client and OST");
    for (unsigned r = 0; r < m.rows; r++)
        for (unsigned c = 0; c < m.columns; c++)
            matrix_cell(&m, r, c);
    matrix_margins(&m);
    lp_svg_close(out);
    if (m.rows < v->clients || m.columns < v->targets)
        adl_strbuf_printf(out,
                          "<p class=\"note\">%u of %u clients, %u of %u "
                          "OSTs.</p>\n",
                          m.rows, v->clients, m.columns, v->targets);
}
