/* trace.c - every event of chosen ranks, as text, in virtual time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched.h"

#define MOST 65536
int trace_on;
static unsigned char chosen[MOST];

static int choose_range(const char **at)
{
    char *end;
    long first = strtol(*at, &end, 10), last = first;

    if (end == *at)
        return -1;
    if (*end == '-') {
        *at = end + 1;
        last = strtol(*at, &end, 10);
    }
    if (end == *at || first < 0 || last >= MOST || last < first)
        return -1;
    memset(chosen + first, 1, (size_t)(last - first + 1));
    *at = *end == ',' ? end + 1 : end;
    return 0;
}

int trace_choose(const char *ranks)
{
    trace_on = 1;
    if (strcmp(ranks, "all") == 0) {
        memset(chosen, 1, sizeof(chosen));
        return 0;
    }
    while (*ranks)
        if (choose_range(&ranks) < 0)
            return -1;
    return 0;
}

void trace_line(const char *fmt, ...)
{
    va_list ap;

    if (sched_rank < 0 || sched_rank >= MOST || !chosen[sched_rank])
        return;
    fprintf(stderr, "%14.3f us  rank %-4d #%-3d ", (double)sched_time() / 1e3,
            sched_rank, sched_fiber_id(sched_current));
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}
