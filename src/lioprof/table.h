/* table.h - rows and columns, written as text, CSV, JSON or HTML */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TABLE_H
#define LP_TABLE_H

#include <stdint.h>

#include "core/text/strbuf.h"

enum lp_column {
    LP_TEXT,
    LP_COUNT,
    LP_BYTES,
    LP_RATE,    /* bytes a second */
    LP_PERCENT, /* a part: 0 to 1 */
    LP_RATIO,
    LP_MICROS, /* how long */
    LP_MOMENT, /* microseconds since the epoch */
};

enum lp_format { LP_AS_TEXT, LP_AS_CSV, LP_AS_JSON, LP_FORMATS };

struct lp_table;

/* name: key for files and JSON; title: for people. NULL if malloc fails. Errors
 * stick, as in a strbuf. */
struct lp_table *lp_table_create(const char *name, const char *title);
void lp_table_destroy(struct lp_table *t);

/* Columns first, then rows: cells from left to right. A cell that is left out
 * is empty. */
void lp_table_column(struct lp_table *t, const char *name, enum lp_column kind);
void lp_table_row(struct lp_table *t);
void lp_table_text(struct lp_table *t, const char *text);
void lp_table_number(struct lp_table *t, double value);
void lp_table_empty(struct lp_table *t);

const char *lp_table_name(const struct lp_table *t);
const char *lp_table_title(const struct lp_table *t);
unsigned lp_table_rows(const struct lp_table *t);

/* JSON: one object {"name", "title", "rows": [{column: value}]}. CSV and JSON
 * hold plain numbers, text and HTML units. */
void lp_table_write(const struct lp_table *t, enum lp_format format,
                    struct adl_strbuf *out);
/* `most`: largest number of rows; a line says how many are left out. */
void lp_table_html(const struct lp_table *t, unsigned most,
                   struct adl_strbuf *out);

/* Text for HTML and SVG. */
void lp_html_text(struct adl_strbuf *out, const char *text);

#endif
