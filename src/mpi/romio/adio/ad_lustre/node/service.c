/* service.c - an aggregator moves its windows: what both directions need */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/text/err.h"
#include "../sys/rw.h"

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
    for (int64_t w = from; w < to; w++) {
        int64_t *expect = &s->sink->gate->expect[adl_window_slot(s->window, w)];

        __atomic_store_n(expect, adl_service_expect(s, w), __ATOMIC_SEQ_CST);
    }
}

int64_t adl_service_settled(const struct adl_service *s)
{
    return adl_window_first_at(
        s->window, s->agg,
        adl_meeting_settled(s->seg, s->terms->call, s->terms->start));
}

int64_t adl_service_wished(const struct adl_service *s)
{
    return adl_window_first_at(
        s->window, s->agg,
        adl_meeting_wished(s->seg, s->terms->call, s->terms->start));
}

int adl_service_counted(const struct adl_service *s, int64_t window)
{
    const struct adl_gate *gate = s->sink->gate;
    int slot = adl_window_slot(s->window, window);

    if (s->in_steps && __atomic_load_n(&gate->inside[slot], __ATOMIC_SEQ_CST))
        return 0;
    return __atomic_load_n(&gate->moved[slot], __ATOMIC_SEQ_CST) >=
           gate->expect[slot];
}

int64_t adl_service_next(const struct adl_service *s, int64_t window)
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
        adl_gate_open(s->sink->gate, s->base);
        adl_gate_free(s->sink->gate, &s->seg->meeting->gates, s->terms->call,
                      s->base);
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
 * wishes. Waiting for those cannot block whoever waits for a window to be freed
 * here: it has wished for more already, and the ranks that have not wait for no
 * later window. */
static void await_ranks(struct adl_service *s)
{
    if (!s->terms->write && !s->terms->whole &&
        s->next - s->base < adl_window_depth(s->window))
        adl_segment_await_wished(s->seg,
                                 adl_window_end(s->window, s->agg, s->next));
    else
        adl_segment_await_placed(s->seg,
                                 adl_window_end(s->window, s->agg, s->base));
}

void adl_service_run(struct adl_iotask *task)
{
    struct adl_service *s = (struct adl_service *)task;
    struct adl_bell *bell = &s->sink->gate->work;

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
    pthread_mutex_destroy(&s->sieving);
    free(s->scratch);
    free(s->target);
    s->scratch = NULL;
    s->target = NULL;
}

/* ---- late comers ---- */

struct through {
    struct adl_service *s;
    int64_t window;
    char *packed;
    int64_t done;
};

/* The cell that place `buf` of a window lies in. */
static int cell_at(const struct through *t, int64_t buf, struct adl_cell *cell)
{
    for (int i = 0;
         adl_window_cell(t->s->window, t->s->agg, t->window, i, cell) == 0; i++)
        if (buf >= cell->buf && buf < cell->buf + (cell->end - cell->start))
            return 0;
    return -EPROTO;
}

static int move_stretch(struct through *t, int64_t off, int64_t len)
{
    struct adl_service *s = t->s;
    int64_t began = adl_prof_now(s->prof);
    size_t n = 0;
    int rc;

    if (s->terms->write) {
        pthread_mutex_lock(&s->sieving);
        rc = adl_rw_write(s->fd, t->packed, len, off, &n);
        pthread_mutex_unlock(&s->sieving);
    } else {
        rc = adl_rw_read(s->fd, t->packed, len, off, &n);
    }
    adl_prof_own(s->prof, s->terms->write ? ADL_WRITES : ADL_READS, off, n,
                 began);
    t->packed += n;
    t->done += n;
    if (rc == 0 && (int64_t)n < len)
        rc = -ENODATA; /* the file ends here: so does what is sent back */
    return rc;
}

static int move_run(struct through *t, int64_t buf, int64_t len)
{
    struct adl_cell cell;
    int rc = 0;

    while (len > 0 && rc == 0) {
        int64_t n = len;

        rc = cell_at(t, buf, &cell);
        if (rc < 0)
            break;
        if (n > cell.buf + (cell.end - cell.start) - buf)
            n = cell.buf + (cell.end - cell.start) - buf;
        rc = move_stretch(t, cell.start + (buf - cell.buf), n);
        buf += n;
        len -= n;
    }
    return rc;
}

int adl_service_through(struct adl_service *s, int64_t window,
                        const struct adl_runs_of *runs, char *packed,
                        int64_t *done)
{
    struct through t = {s, window, packed, 0};
    struct adl_pattern_iter it;
    struct adl_err err;
    int64_t off, len;
    int more, rc;

    rc = adl_pattern_open(&it, runs->pattern, runs->size, runs->window, &err);
    while (rc == 0 && (more = adl_pattern_next(&it, &off, &len)) != 0)
        rc = more < 0 ? more : move_run(&t, off, len);
    *done = t.done;
    return rc == -ENODATA ? 0 : rc;
}
