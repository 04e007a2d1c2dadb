/* service.c - an aggregator moves its windows: what both directions need */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "service.h"

#include <stdlib.h>

#include "../core/text/minmax.h"
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

/* The lowest window with a byte at or after `off`. */
static int64_t window_at(const struct adl_service *s, int64_t off)
{
    return adl_window_first_at(s->sink->schedule, s->sink->agg, off);
}

/* The end of a window in the file. */
static int64_t window_end(const struct adl_service *s, int64_t window)
{
    return adl_window_end(s->sink->schedule, s->sink->agg, window);
}

/* The window after `window` that has bytes of the span; ADL_WINDOW_NONE. */
static int64_t next_window(const struct adl_service *s, int64_t window)
{
    int64_t end = window_end(s, window), next;

    if (end >= s->sink->terms->end)
        return ADL_WINDOW_NONE;
    next = window_at(s, end);
    if (next == ADL_WINDOW_NONE || adl_windows_bytes(s->sink, next) == 0)
        return ADL_WINDOW_NONE;
    return next;
}

/* Where all nodes have passed; on one node where its ranks are. */
static int64_t position(const struct adl_service *s, enum adl_position many,
                        enum adl_position one)
{
    const struct adl_terms *terms = s->sink->terms;

    return s->sink->many
               ? adl_node_reached(s->seg, many, terms->call, terms->start)
               : adl_segment_lowest(s->seg, one);
}

/* Step by step, a message that holds the window may be the caller's own. */
static int is_counted(const struct adl_service *s, int64_t window)
{
    if (s->in_steps && adl_windows_is_held(s->sink, window))
        return 0;
    return adl_windows_counted(s->sink, window);
}

/* Reading, a window that is not in memory is not complete, whatever the count
 * of its buffer says. */
int64_t adl_service_floor(const struct adl_service *s)
{
    const struct adl_terms *terms = s->sink->terms;
    int64_t floor = window_at(s, position(s, ADL_AT_SETTLED, ADL_AT_PLACED));

    if (!s->sink->many || !terms->exact || floor > s->base ||
        (!terms->write && s->next <= s->base) || !is_counted(s, s->base))
        return floor;
    return next_window(s, s->base);
}

int64_t adl_service_asked(const struct adl_service *s)
{
    return adl_max(window_at(s, position(s, ADL_AT_ASKED, ADL_AT_ASKED)),
                   adl_atomic_load(&s->sink->windows->urgent));
}

/* ---- step by step, or all of it ---- */

void adl_service_begin(struct adl_service *s)
{
    int write = s->sink->terms->write;

    s->eof = INT64_MAX;
    adl_locks_begin(s->locks, write);
    s->base = s->sink->first;
    if (s->sink->many && s->base != ADL_WINDOW_NONE &&
        adl_windows_bytes(s->sink, s->base) == 0)
        s->base = ADL_WINDOW_NONE;
    s->next = s->base;
    if (s->sink->many || !write) {
        adl_windows_open(s->sink, s->base);
        adl_windows_free(s->sink, s->base);
    }
}

int adl_service_step(struct adl_service *s)
{
    if (adl_service_is_over(s))
        return 0;
    return s->sink->terms->write ? adl_service_write_step(s)
                                 : adl_service_read_step(s);
}

/* On one node. Reading, with room left the next thing is a complete set of
 * requests. Waiting for those cannot block a rank that waits for a window to be
 * freed here: it has asked for more already, and the ranks that have not wait
 * for no later window. */
static void await_ranks(struct adl_service *s)
{
    const struct adl_terms *terms = s->sink->terms;

    if (!terms->write && !terms->whole && s->next - s->base < s->sink->depth)
        adl_segment_await(s->seg, ADL_AT_ASKED, window_end(s, s->next));
    else
        adl_segment_await(s->seg, ADL_AT_PLACED, window_end(s, s->base));
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
        if (s->sink->many)
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
