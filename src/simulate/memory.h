/* memory.h - the memory of a rank that no other rank may see
 *
 * Ranks share one process, so that the variables of the library that is tested
 * (its .data and .bss) would be common to all. They are exchanged when another
 * rank runs. Thread-local variables are each fiber's own (see __tls_get_addr in
 * memory.c). The heap needs nothing: no rank knows another's pointers.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_MEMORY_H
#define SIMULATE_MEMORY_H

#include <stddef.h>

/* Load the library of the ranks, with its variables as they are at the start
 * of a process. NULL: done; else why not. */
const char *memory_load(const char *path);

/* The address of a function of the library, NULL: there is none. */
void *memory_symbol(const char *name);

/* Prepare for `ranks` ranks, all with what the variables held when the library
 * was loaded; what ranks of an earlier job had is gone. */
void memory_start(int ranks);

/* From now on the variables are those of this rank. */
void memory_of_rank(int rank);

/* Bytes that are exchanged. */
size_t memory_private_bytes(void);

/* Allocate or end the process with a message. */
void *must_calloc(size_t n, size_t size);
void *must_realloc(void *old, size_t size);
void memory_gone(void) __attribute__((noreturn));

#endif
