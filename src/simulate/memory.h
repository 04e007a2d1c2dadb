/* memory.h - gives each rank its own copy of the library's variables
 *
 * All ranks run in one process, so they would share the variables (.data and
 * .bss) of the library under test. When another rank begins to run, the
 * variables of the last rank are saved and those of the next one put in place.
 * Each fiber has its own thread-local variables (see __tls_get_addr in
 * memory.c). The heap needs no such care, because no rank knows another rank's
 * pointers.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_MEMORY_H
#define SIMULATE_MEMORY_H

#include <stddef.h>

/* Load the library of the ranks, with its variables as at the start of a
 * process. NULL: done; else the reason why not. */
const char *memory_load(const char *path);

/* The address of a function of the library, NULL: there is none. */
void *memory_symbol(const char *name);

/* Prepare for `ranks` ranks. Each gets the variables as they were when the
 * library was loaded; the variables of an earlier job's ranks are lost. */
void memory_start(int ranks);

/* Put the variables of this rank in place. */
void memory_of_rank(int rank);

/* The size of these variables, in bytes. */
size_t memory_private_bytes(void);
/* Whether this is the address of such a variable: each rank has another one
 * there. */
int memory_is_variable(const void *at);

/* Allocate or end the process with a message. */
void *must_calloc(size_t n, size_t size);
void *must_realloc(void *old, size_t size);
void memory_gone(void) __attribute__((noreturn));

#endif
