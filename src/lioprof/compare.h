/* compare.h - two studies, figure by figure */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_COMPARE_H
#define LP_COMPARE_H

#include "table.h"
#include "view.h"

/* A table with the columns: name of the figure, the two values, and the change.
 * NULL if malloc fails. */
struct lp_table *lp_compare(const struct lp_view *const v[2],
                            const char *const name[2]);

#endif
