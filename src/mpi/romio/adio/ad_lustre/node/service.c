/* service.c - an aggregator moves its windows: what both directions need */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "service.h"

#include <stdlib.h>

#include "../sys/atomic.h"

/* Direct I/O takes whole aligned blocks only; the rest goes through the page
 * cache on the other descriptor. */
int adl_service_fd(const struct adl_service *s, const char *buf, int64_t off,
                   int64_t len)
{
    if (s->fd_direct < 0 || ((uintptr_t)buf | off | len) % ADL_DIRECT_ALIGN)
        return s->fd;
    return s->fd_direct;
}

void adl_service_fail(struct adl_service *s, int rc, int64_t off)
{
    if (rc < 0 && s->rc == 0) {
        s->rc = rc;
        s->rc_offset = off;
    }
}

int64_t adl_service_expect(const struct adl_service *s, int64_t window)
{
    struct adl_cell cell;
    int64_t sum = 0, off;

    for (int i = 0; adl_window_cell(s->window, s->agg, window, i, &cell) == 0;
         i++)
        sum += adl_terms_part(s->terms, cell.start, cell.end, &off);
    return sum;
}

void adl_service_open(struct adl_service *s, int64_t from, int64_t to)
{
    for (int64_t w = from; w < to; w++)
        adl_windows_expect(s->sink->windows, adl_window_slot(s->window, w),
                           adl_service_expect(s, w));
}

/* The window after `window` that has bytes of the span; ADL_WINDOW_NONE. */
static int64_t next_window(const struct adl_service *s, int64_t window)
{
    int64_t end = adl_window_end(s->window, s->agg, window);
    int64_t next;

    if (end >= s->terms->end)
        return ADL_WINDOW_NONE;
    next = adl_window_first_at(s->window, s->agg, end);
    if (next == ADL_WINDOW_NONE || adl_service_expect(s, next) == 0)
        return ADL_WINDOW_NONE;
    return next;
}

/* Step by step, a message that holds the window may be the caller's own. */
static int is_counted(const struct adl_service *s, int64_t window)
{
    const struct adl_windows *ws = s->sink->windows;
    int slot = adl_window_slot(s->window, window);

    if (s->in_steps && adl_windows_is_held(ws, slot))
        return 0;
    return adl_windows_counted(ws, slot);
}

/* Reading, a window that is not in memory is not complete, whatever the count
 * of its buffer says. */
int64_t adl_service_floor(const struct adl_service *s)
{
    int64_t pos = s->many ? adl_node_reached(s->seg, ADL_AT_SETTLED,
                                             s->terms->call, s->terms->start)
                          : adl_segment_lowest(s->seg, ADL_AT_PLACED);
    int64_t floor = adl_window_first_at(s->window, s->agg, pos);

    if (!s->many || !s->terms->exact || floor > s->base ||
        (!s->terms->write && s->next <= s->base) || !is_counted(s, s->base))
        return floor;
    return next_window(s, s->base);
}

int64_t adl_service_asked(const struct adl_service *s)
{
    int64_t urgent = adl_atomic_load(&s->sink->windows->urgent), floor;

    if (!s->many)
        return adl_window_first_at(s->window, s->agg,
                                   adl_segment_lowest(s->seg, ADL_AT_ASKED));
    floor =
        adl_window_first_at(s->window, s->agg,
                            adl_node_reached(s->seg, ADL_AT_ASKED,
                                             s->terms->call, s->terms->start));
    return floor > urgent ? floor : urgent;
}

/* ---- step by step, or all of it ---- */

void adl_service_begin(struct adl_service *s)
{
    int depth = adl_window_depth(s->window);

    s->eof = INT64_MAX;
    adl_locks_begin(s->locks, s->terms->write);
    s->base = adl_window_first_at(s->window, s->agg, s->terms->start);
    if (s->many && s->base != ADL_WINDOW_NONE) {
        if (adl_service_expect(s, s->base) == 0)
            s->base = ADL_WINDOW_NONE;
        else
            adl_service_open(s, s->base, s->base + depth);
    }
    s->next = s->base;
    if (s->many || !s->terms->write) {
        adl_windows_open(s->sink->windows, s->base);
        adl_windows_free(s->sink->windows, &s->seg->node->windows,
                         s->terms->call, s->base);
    }
}

int adl_service_step(struct adl_service *s)
{
    if (adl_service_is_over(s))
        return 0;
    return s->terms->write ? adl_service_write_step(s)
                           : adl_service_read_step(s);
}

/* On one node. Reading, with room left the next thing is a complete set of
 * requests. Waiting for those cannot block a rank that waits for a window to be
 * freed here: it has asked for more already, and the ranks that have not wait
 * for no later window. */
static void await_ranks(struct adl_service *s)
{
    if (!s->terms->write && !s->terms->whole &&
        s->next - s->base < adl_window_depth(s->window))
        adl_segment_await(s->seg, ADL_AT_ASKED,
                          adl_window_end(s->window, s->agg, s->next));
    else
        adl_segment_await(s->seg, ADL_AT_PLACED,
                          adl_window_end(s->window, s->agg, s->base));
}

void adl_service_run(struct adl_iotask *task)
{
    struct adl_service *s = (struct adl_service *)task;
    struct adl_bell *bell = &s->sink->windows->work;

    adl_service_begin(s);
    while (!adl_service_is_over(s)) {
        uint32_t seen = adl_bell_read(bell);

        if (adl_service_step(s))
            continue;
        if (s->many)
            adl_bell_wait(bell, seen);
        else
            await_ranks(s);
    }
}

void adl_service_end(struct adl_service *s)
{
    free(s->scratch);
    s->scratch = NULL;
}
