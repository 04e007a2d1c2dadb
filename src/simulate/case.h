/* case.h - one number, one case: the machine and the job
 *
 * A case is a function of its number alone. Items make it smaller: words of the
 * program (program/program.h) or "world:NAME", which sets one property of the
 * machine to that of an undisturbed one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_CASE_H
#define SIMULATE_CASE_H

#include "config.h"
#include "program/program.h"

struct sim_case {
    uint64_t number;
    struct config config;
    struct job job;
    int hooked; /* the driver's objects with a hook at every access */
    int stock;  /* ROMIO's own drivers */
};

void case_make(uint64_t number, struct sim_case *c);

/* Take items away, "a,b,c". The text is kept. */
void case_cut(struct sim_case *c, const char *items);

int case_has_item(const struct sim_case *c, const char *item);

/* Set one property of the machine or the pattern by name: of `simulate scale`
 * and of options. 0, or -1: no such name or value. */
int case_set(struct sim_case *c, const char *name, const char *value);

/* The names that case_set knows, one a line with what they mean. */
void case_help(FILE *to);

/* The items of the machine that apply. */
void case_items(const struct sim_case *c,
                void (*fn)(const char *item, void *arg), void *arg);

void case_print(const struct sim_case *c, FILE *to);
void case_add_hint(struct sim_case *c, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
