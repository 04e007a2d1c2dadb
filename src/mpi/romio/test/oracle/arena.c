/* arena.c - memory that is given back all at once, at the end of a case */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>

struct arena_block {
    struct arena_block *next;
    max_align_t data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
    struct arena_block *block = calloc(1, sizeof(*block) + size);

    if (!block) {
        fprintf(stderr, "oracle: out of memory\n");
        abort();
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->data;
}

void arena_clear(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
}
