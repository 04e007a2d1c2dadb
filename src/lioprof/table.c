/* table.c - rows and columns, written as text, CSV, JSON or HTML */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/text/json.h"
#include "units.h"

#define COLUMNS 24
#define CELL 256

struct cell {
    char *text; /* NULL: a number, or empty */
    double number;
    int filled;
};

struct lp_table {
    char name[48], title[160];
    struct {
        char name[40];
        enum lp_column kind;
    } column[COLUMNS];
    unsigned columns, rows, room;
    unsigned at; /* next cell of the last row */
    struct cell *cell;
    int err;
};

struct lp_table *lp_table_create(const char *name, const char *title)
{
    struct lp_table *t = calloc(1, sizeof(*t));

    if (t) {
        snprintf(t->name, sizeof(t->name), "%s", name);
        snprintf(t->title, sizeof(t->title), "%s", title);
    }
    return t;
}

void lp_table_destroy(struct lp_table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < (size_t)t->rows * t->columns; i++)
        free(t->cell[i].text);
    free(t->cell);
    free(t);
}

void lp_table_column(struct lp_table *t, const char *name, enum lp_column kind)
{
    if (!t || t->columns >= COLUMNS)
        return;
    snprintf(t->column[t->columns].name, sizeof(t->column[0].name), "%s", name);
    t->column[t->columns++].kind = kind;
}

void lp_table_row(struct lp_table *t)
{
    unsigned room;
    struct cell *more;

    if (!t || t->err)
        return;
    if (t->rows == t->room) {
        room = t->room ? 2 * t->room : 16;
        more = realloc(t->cell, (size_t)room * t->columns * sizeof(*more));
        if (!more) {
            t->err = -ENOMEM;
            return;
        }
        t->cell = more;
        t->room = room;
    }
    memset(t->cell + (size_t)t->rows * t->columns, 0,
           t->columns * sizeof(*t->cell));
    t->rows++;
    t->at = 0;
}

/* The next cell of the last row; NULL: there is none. */
static struct cell *next_cell(struct lp_table *t)
{
    if (!t || t->err || !t->rows || t->at >= t->columns)
        return NULL;
    return &t->cell[(size_t)(t->rows - 1) * t->columns + t->at++];
}

void lp_table_text(struct lp_table *t, const char *text)
{
    struct cell *c = next_cell(t);

    if (!c)
        return;
    c->text = strdup(text);
    c->filled = 1;
    if (!c->text)
        t->err = -ENOMEM;
}

void lp_table_number(struct lp_table *t, double value)
{
    struct cell *c = next_cell(t);

    if (c && isfinite(value)) {
        c->number = value;
        c->filled = 1;
    }
}

void lp_table_empty(struct lp_table *t)
{
    (void)next_cell(t);
}

const char *lp_table_name(const struct lp_table *t)
{
    return t->name;
}

const char *lp_table_title(const struct lp_table *t)
{
    return t->title;
}

unsigned lp_table_rows(const struct lp_table *t)
{
    return t->rows;
}

static const struct cell *cell_at(const struct lp_table *t, unsigned row,
                                  unsigned column)
{
    return &t->cell[(size_t)row * t->columns + column];
}

/* ---- cells ---- */

static void moment_text(double us, char *out, size_t len)
{
    time_t seconds = (time_t)(us / 1e6);
    struct tm tm;
    size_t n;

    if (!gmtime_r(&seconds, &tm)) {
        snprintf(out, len, "%.0f", us);
        return;
    }
    n = strftime(out, len, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, len - n, ".%06.0f", us - (double)seconds * 1e6);
}

/* For people. */
static void show_cell(const struct cell *c, enum lp_column kind, char *out)
{
    out[0] = '\0';
    if (!c->filled)
        return;
    if (c->text) {
        snprintf(out, CELL, "%s", c->text);
        return;
    }
    switch (kind) {
    case LP_COUNT:
        lp_count_text(lp_count_of(c->number), out);
        break;
    case LP_BYTES:
        lp_bytes_text(c->number, out);
        break;
    case LP_RATE:
        lp_rate_text(c->number, out);
        break;
    case LP_PERCENT:
        lp_percent_text(c->number, out);
        break;
    case LP_MICROS:
        lp_time_text(c->number, out);
        break;
    case LP_MOMENT:
        moment_text(c->number, out, CELL);
        break;
    default:
        snprintf(out, CELL, "%.2f", c->number);
    }
}

/* For programs: whole numbers as such. */
static void plain_cell(const struct cell *c, char *out)
{
    if (fabs(c->number) < 9e15 && c->number == floor(c->number))
        snprintf(out, CELL, "%.0f", c->number);
    else
        snprintf(out, CELL, "%.6g", c->number);
}

/* ---- text ---- */

/* Characters, not bytes: names and units may hold UTF-8. */
static int text_width(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void put_padded(struct adl_strbuf *out, const char *s, int width,
                       int left)
{
    int pad = width - text_width(s);

    if (left)
        adl_strbuf_puts(out, s);
    for (int i = 0; i < pad; i++)
        adl_strbuf_putc(out, ' ');
    if (!left)
        adl_strbuf_puts(out, s);
}

static void write_text(const struct lp_table *t, struct adl_strbuf *out)
{
    int width[COLUMNS];
    char buf[CELL];

    for (unsigned c = 0; c < t->columns; c++) {
        width[c] = text_width(t->column[c].name);
        for (unsigned r = 0; r < t->rows; r++) {
            show_cell(cell_at(t, r, c), t->column[c].kind, buf);
            if (text_width(buf) > width[c])
                width[c] = text_width(buf);
        }
    }
    adl_strbuf_printf(out, "%s\n", t->title);
    for (unsigned r = 0; r <= t->rows; r++) {
        for (unsigned c = 0; c < t->columns; c++) {
            int left = t->column[c].kind == LP_TEXT;

            if (r == 0)
                snprintf(buf, sizeof(buf), "%s", t->column[c].name);
            else
                show_cell(cell_at(t, r - 1, c), t->column[c].kind, buf);
            adl_strbuf_puts(out, c ? "  " : "  ");
            put_padded(out, buf, left && c + 1 == t->columns ? 0 : width[c],
                       left);
        }
        adl_strbuf_putc(out, '\n');
    }
    adl_strbuf_putc(out, '\n');
}

/* ---- CSV ---- */

static void put_csv(struct adl_strbuf *out, const char *s)
{
    if (!strpbrk(s, ",\"\n\r")) {
        adl_strbuf_puts(out, s);
        return;
    }
    adl_strbuf_putc(out, '"');
    for (; *s; s++) {
        if (*s == '"')
            adl_strbuf_putc(out, '"');
        adl_strbuf_putc(out, *s);
    }
    adl_strbuf_putc(out, '"');
}

static void write_csv(const struct lp_table *t, struct adl_strbuf *out)
{
    char buf[CELL];

    for (unsigned c = 0; c < t->columns; c++) {
        adl_strbuf_puts(out, c ? "," : "");
        put_csv(out, t->column[c].name);
    }
    adl_strbuf_putc(out, '\n');
    for (unsigned r = 0; r < t->rows; r++) {
        for (unsigned c = 0; c < t->columns; c++) {
            const struct cell *cell = cell_at(t, r, c);

            adl_strbuf_puts(out, c ? "," : "");
            if (cell->text) {
                put_csv(out, cell->text);
            } else if (cell->filled) {
                plain_cell(cell, buf);
                adl_strbuf_puts(out, buf);
            }
        }
        adl_strbuf_putc(out, '\n');
    }
}

/* ---- JSON ---- */

static void write_json(const struct lp_table *t, struct adl_strbuf *out)
{
    struct adl_json j = {.sb = out};

    adl_json_open(&j, NULL, '{');
    adl_json_text(&j, "name", t->name);
    adl_json_text(&j, "title", t->title);
    adl_json_open(&j, "rows", '[');
    for (unsigned r = 0; r < t->rows; r++) {
        adl_json_open(&j, NULL, '{');
        for (unsigned c = 0; c < t->columns; c++) {
            const struct cell *cell = cell_at(t, r, c);
            const char *key = t->column[c].name;

            if (cell->text || !cell->filled)
                adl_json_text(&j, key, cell->text);
            else if (cell->number == floor(cell->number) &&
                     fabs(cell->number) < 9e15)
                adl_json_int(&j, key, (int64_t)cell->number);
            else
                adl_json_double(&j, key, cell->number);
        }
        adl_json_close(&j);
    }
    adl_json_close(&j);
    adl_json_close(&j);
}

void lp_table_write(const struct lp_table *t, enum lp_format format,
                    struct adl_strbuf *out)
{
    if (t->err)
        out->err = t->err;
    else if (format == LP_AS_TEXT)
        write_text(t, out);
    else if (format == LP_AS_CSV)
        write_csv(t, out);
    else
        write_json(t, out);
}

/* ---- HTML ---- */

/* Control characters become a question mark: a log is not to be
 * trusted. */
void lp_html_text(struct adl_strbuf *out, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '<')
            adl_strbuf_puts(out, "&lt;");
        else if (*s == '>')
            adl_strbuf_puts(out, "&gt;");
        else if (*s == '&')
            adl_strbuf_puts(out, "&amp;");
        else if (*s == '"')
            adl_strbuf_puts(out, "&quot;");
        else if (*s == '\'')
            adl_strbuf_puts(out, "&#39;");
        else if ((*s < 0x20 && *s != '\n') || *s == 0x7f)
            adl_strbuf_putc(out, '?');
        else
            adl_strbuf_putc(out, (char)*s);
    }
}

void lp_table_html(const struct lp_table *t, unsigned most,
                   struct adl_strbuf *out)
{
    unsigned shown = t->rows < most ? t->rows : most;
    char buf[CELL];

    adl_strbuf_puts(out, "<div class=\"scroll\"><table><thead><tr>");
    for (unsigned c = 0; c < t->columns; c++) {
        adl_strbuf_printf(out, "<th%s>",
                          t->column[c].kind == LP_TEXT ? "" : " class=\"n\"");
        lp_html_text(out, t->column[c].name);
        adl_strbuf_puts(out, "</th>");
    }
    adl_strbuf_puts(out, "</tr></thead><tbody>\n");
    for (unsigned r = 0; r < shown; r++) {
        adl_strbuf_puts(out, "<tr>");
        for (unsigned c = 0; c < t->columns; c++) {
            show_cell(cell_at(t, r, c), t->column[c].kind, buf);
            adl_strbuf_printf(out, "<td%s>",
                              t->column[c].kind == LP_TEXT ? ""
                                                           : " class=\"n\"");
            lp_html_text(out, buf);
            adl_strbuf_puts(out, "</td>");
        }
        adl_strbuf_puts(out, "</tr>\n");
    }
    adl_strbuf_puts(out, "</tbody></table></div>\n");
    if (shown < t->rows)
        adl_strbuf_printf(out,
                          "<p class=\"note\">%u more rows: <code>lioprof "
                          "analyze --table %s</code></p>\n",
                          t->rows - shown, t->name);
}
