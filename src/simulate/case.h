/* case.h - a test case: the simulated machine and the job, made from one number
 *
 * A case follows from its number alone: the same number always gives the same
 * run. Items make a case smaller. An item is a word of the program
 * (program/program.h), or "world:NAME", which sets one property of the machine
 * to its undisturbed value.
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
    int hooked; /* the driver is compiled with a hook at every memory access */
    int stock;  /* ROMIO's own drivers */
};

void case_make(uint64_t number, struct sim_case *c);

/* Remove these items, "a,b,c". The case keeps the pointer to the text. */
void case_cut(struct sim_case *c, const char *items);

int case_has_item(const struct sim_case *c, const char *item);

/* Set one property of the machine or the pattern by its name, for `simulate
 * scale` and for options. 0, or -1: no such name or value. */
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
