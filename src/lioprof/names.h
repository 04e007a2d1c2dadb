/* names.h - gives texts small numbers, up to a limit
 *
 * A log names clients, jobs and objects again and again; counting by number
 * keeps a table a plain array. Number 0 stands for all texts that came after
 * the limit was reached, so that memory does not grow with the input.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_NAMES_H
#define LP_NAMES_H

#include <stddef.h>

struct lp_names;

/* At most `limit` texts; `others` is what number 0 is called. NULL if malloc
 * fails. */
struct lp_names *lp_names_create(unsigned limit, const char *others);
void lp_names_destroy(struct lp_names *names);

/* The text's number, a new one the first time; 0 when there is no room. */
unsigned lp_names_add(struct lp_names *names, const char *text, size_t len);
/* The same, but 0 for one that is not known. */
unsigned lp_names_find(const struct lp_names *names, const char *text,
                       size_t len);

const char *lp_names_text(const struct lp_names *names, unsigned number);
/* Numbers given out so far are below this. */
unsigned lp_names_count(const struct lp_names *names);

#endif
