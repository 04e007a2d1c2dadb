/* names.h - gives texts small numbers, up to a limit
 *
 * A log names clients, jobs and objects again and again. With numbers a table
 * of counts is a plain array. Number 0 stands for all texts that came after the
 * limit was reached, so that memory does not grow with the input.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_NAMES_H
#define LP_NAMES_H

#include <stddef.h>

struct lp_names;

/* Make an empty list for at most `limit` texts; `others` is the text of number
 * 0. NULL if malloc fails. */
struct lp_names *lp_names_create(unsigned limit, const char *others);
void lp_names_destroy(struct lp_names *names);

/* The text's number; a new text gets a new number, or 0 if there is no room. */
unsigned lp_names_add(struct lp_names *names, const char *text, size_t len);
/* The same, but 0 for a text that is not in the list. */
unsigned lp_names_find(const struct lp_names *names, const char *text,
                       size_t len);

const char *lp_names_text(const struct lp_names *names, unsigned number);
/* All numbers so far are below this one. */
unsigned lp_names_count(const struct lp_names *names);

#endif
