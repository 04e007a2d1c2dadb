/* order.c - a processor that orders less: copies that others see late */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "memory.h"
#include "sched.h"

#define MOST 65536     /* larger copies are visible at once */
#define LONGEST 300000 /* ns until the bytes are visible, at most */

/* The last copy of the running fiber, and what was there before. */
static struct {
    void *to;
    size_t n; /* 0: none */
    unsigned char before[MOST];
} last;

void order_copy(void *to, size_t n)
{
    last.n = 0;
    if (config.weak <= 0 || n > MOST)
        return;
    last.to = to;
    last.n = n;
    memcpy(last.before, to, n);
}

void order_all(void)
{
    last.n = 0;
}

void order_begin(struct order_late *late, int order)
{
    late->bytes = NULL;
    if (last.n && order < __ATOMIC_RELEASE &&
        sched_random((uint64_t)config.weak) == 0) {
        late->to = last.to;
        late->n = last.n;
        late->bytes = must_calloc(1, last.n);
        memcpy(late->bytes, last.to, last.n);
        memcpy(last.to, last.before, last.n);
    }
    last.n = 0;
}

void order_end(struct order_late *late)
{
    if (!late->bytes)
        return;
    sched_sleep((int64_t)sched_random(LONGEST));
    memcpy(late->to, late->bytes, late->n);
    free(late->bytes);
}
