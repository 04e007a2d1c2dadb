/* arena.h - memory that is given back all at once, at the end of a case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ORACLE_ARENA_H
#define ORACLE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *blocks;
};

/* Zeroed; never NULL: without memory the program ends. */
void *arena_alloc(struct arena *arena, size_t size);
void arena_clear(struct arena *arena);

#endif
