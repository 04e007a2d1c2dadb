/* heap.c - allocations of a rank, counted: the driver's, ROMIO's, lustre-sim's
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../config.h"
#include "../memory.h"
#include "calls.h"
#include "libc.h"

struct heap {
    int64_t now, peak;
};
static struct heap *heaps; /* [ranks] */

static void count_heap(void *p, int sign)
{
    struct heap *h;

    if (!p || sched_rank < 0)
        return;
    if (!heaps)
        heaps = must_calloc((size_t)config.ranks, sizeof(*heaps));
    h = &heaps[sched_rank];
    h->now += sign * (int64_t)malloc_usable_size(p);
    if (h->now > h->peak)
        h->peak = h->now;
}

int64_t heap_peak(int rank)
{
    return heaps ? heaps[rank].peak : 0;
}

void *libc_malloc(size_t n)
{
    void *p = malloc(n);

    count_heap(p, 1);
    return p;
}

void *libc_calloc(size_t n, size_t size)
{
    void *p = calloc(n, size);

    count_heap(p, 1);
    return p;
}

void *libc_realloc(void *old, size_t n)
{
    void *p;

    count_heap(old, -1);
    p = realloc(old, n);
    count_heap(p ? p : n ? old : NULL, 1);
    return p;
}

void libc_free(void *p)
{
    count_heap(p, -1);
    free(p);
}

char *libc_strdup(const char *text)
{
    char *p = strdup(text);

    count_heap(p, 1);
    return p;
}

/* Memory of the program: not counted. */
void *program_malloc(size_t n)
{
    return malloc(n);
}

void *program_calloc(size_t n, size_t size)
{
    return calloc(n, size);
}

void *program_realloc(void *old, size_t n)
{
    return realloc(old, n);
}

void program_free(void *p)
{
    free(p);
}
