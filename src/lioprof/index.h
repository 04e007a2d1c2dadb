/* index.h - finds an entry of an array by three numbers */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_INDEX_H
#define LP_INDEX_H

#include <stdint.h>

struct lp_index;

struct lp_index *lp_index_create(void);
void lp_index_destroy(struct lp_index *x);

/* The value that was added with this key, 0: none. */
unsigned lp_index_find(const struct lp_index *x, const uint32_t key[3]);
/* value: not 0; the key must be new. 0 or -ENOMEM. */
int lp_index_add(struct lp_index *x, const uint32_t key[3], unsigned value);

#endif
