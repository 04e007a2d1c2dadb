/* tables.h - the tables of an analysis, each answers one question */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_TABLES_H
#define LP_TABLES_H

#include "table.h"
#include "view.h"

struct lp_table_kind {
    const char *name, *title;
    /* Fills an empty table: columns, then rows. */
    void (*make)(const struct lp_view *v, struct lp_table *t);
};

/* Ends with a NULL name. */
extern const struct lp_table_kind lp_tables[];

/* lp_size_text: the name of a class of request sizes, "up to 64 KiB". The
 * other: the number of classes in use. */
void lp_size_text(unsigned class, char *out, size_t len);
unsigned lp_sizes_used(const struct lp_sizes *s);

/* NULL: no such name, or malloc failed. */
struct lp_table *lp_table_make(const struct lp_view *v, const char *name);

#endif
