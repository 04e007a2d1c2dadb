/* windows.c - the windows of one aggregator, and the only rules about them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "windows.h"

#include "../core/text/minmax.h"
#include "../sys/atomic.h"

#define PAGE 4096

static int slot_of(const struct adl_sink *sink, int64_t window)
{
    return adl_window_slot(sink->schedule, window);
}

/* Is the call's first window the aggregator's only one? */
static int is_only(const struct adl_sink *sink)
{
    const struct adl_window *win = sink->schedule;
    int64_t after = adl_window_end(win, sink->agg, sink->first);
    int64_t next = adl_window_first_at(win, sink->agg, after);
    struct adl_cell cell;

    return next == ADL_WINDOW_NONE ||
           adl_window_cell(win, sink->agg, next, 0, &cell) < 0 ||
           cell.start >= sink->terms->end;
}

/* The lead is a multiple of a page: direct I/O compares places in memory with
 * places in the file. */
void adl_windows_begin(struct adl_sink *sink, const struct adl_terms *terms,
                       const struct adl_window *schedule, int many)
{
    sink->terms = terms;
    sink->schedule = schedule;
    sink->many = many;
    sink->first = adl_window_first_at(schedule, sink->agg, terms->start);
    sink->turn = 0;
    sink->lead = 0;
    if (sink->first == ADL_WINDOW_NONE)
        return;
    sink->turn = slot_of(sink, sink->first);
    if (is_only(sink))
        sink->lead =
            adl_window_place(schedule, sink->agg, sink->first, terms->start) &
            -PAGE;
}

/* ---- by anyone ---- */

char *adl_windows_buf(const struct adl_sink *sink, int64_t window)
{
    int at = slot_of(sink, window) - sink->turn;

    return sink->buf + (at < 0 ? at + sink->depth : at) * sink->size -
           sink->lead;
}

void adl_windows_cover(const struct adl_sink *sink, int64_t window,
                       struct adl_cover *cover)
{
    adl_cover_init(cover, sink->bits + slot_of(sink, window) * sink->cover,
                   sink->size, sink->terms->shift);
}

/* Reading `call` first: when it is this call's, the rest is at least as new.
 * An aggregator cannot be a call ahead of us, it waits for us at the end. */
static int64_t value_of(const struct adl_sink *sink, const int64_t *value,
                        int64_t first)
{
    return adl_atomic_load(&sink->windows->call) == sink->terms->call
               ? adl_atomic_load(value)
               : first;
}

int64_t adl_windows_freed(const struct adl_sink *sink)
{
    return value_of(sink, &sink->windows->freed, sink->first);
}

int64_t adl_windows_ready(const struct adl_sink *sink)
{
    return value_of(sink, &sink->windows->ready, sink->first);
}

enum adl_admit adl_windows_admit(const struct adl_sink *sink, int64_t window)
{
    int64_t freed = adl_windows_freed(sink);

    if (window < freed)
        return ADL_PAST;
    return window - freed < sink->depth ? ADL_NOW : ADL_LATER;
}

/* Wake the ranks only when the lowest window that one waits for is free. Ranks
 * far ahead would otherwise wake at every window and keep the ranks that are
 * behind off the cores. */
void adl_windows_want(const struct adl_sink *sink, int64_t window)
{
    adl_atomic_lower(&sink->windows->want, window - sink->depth + 1);
}

/* 1: these were the last ones. */
static int add_moved(struct adl_windows *ws, int slot, int64_t bytes)
{
    return __atomic_add_fetch(&ws->moved[slot], bytes, __ATOMIC_SEQ_CST) >=
           adl_atomic_load(&ws->expect[slot]);
}

void adl_windows_moved(const struct adl_sink *sink, int64_t window,
                       int64_t bytes)
{
    if (sink->many && add_moved(sink->windows, slot_of(sink, window), bytes))
        adl_bell_ring(&sink->windows->work);
}

void adl_windows_hold(const struct adl_sink *sink, int64_t window)
{
    if (sink->many)
        __atomic_add_fetch(&sink->windows->held[slot_of(sink, window)], 1,
                           __ATOMIC_SEQ_CST);
}

/* The bytes are counted while the window is held: an aggregator that finds it
 * unheld has all of them. The aggregator stores that it waits before it looks
 * at `held`. This rank releases the window before it looks whether the
 * aggregator waits: one of the two sees what the other has stored. */
void adl_windows_release(const struct adl_sink *sink, int64_t window,
                         int64_t bytes)
{
    struct adl_windows *ws = sink->windows;
    int slot = slot_of(sink, window), last, left;

    if (!sink->many)
        return;
    last = add_moved(ws, slot, bytes);
    left = __atomic_sub_fetch(&ws->held[slot], 1, __ATOMIC_SEQ_CST);
    if ((left == 0 && __atomic_load_n(&ws->awaited, __ATOMIC_SEQ_CST)) || last)
        adl_bell_ring(&ws->work);
}

/* Holding is visible before we look at `closed`, closing before the aggregator
 * looks at `held`: one sees the other. */
int adl_windows_hold_open(const struct adl_sink *sink, int64_t window)
{
    adl_windows_hold(sink, window);
    if (!sink->many ||
        window >= value_of(sink, &sink->windows->closed, INT64_MIN))
        return 1;
    adl_windows_release(sink, window, 0);
    return 0;
}

void adl_windows_hurry(const struct adl_sink *sink, int64_t window)
{
    struct adl_windows *ws = sink->windows;

    if (adl_atomic_load(&ws->urgent) >= window)
        return;
    adl_atomic_store(&ws->urgent, window);
    adl_bell_ring(&ws->work);
}

/* ---- by the aggregator ---- */

void adl_windows_open(const struct adl_sink *sink, int64_t base)
{
    adl_atomic_store(&sink->windows->closed, base);
    adl_atomic_store(&sink->windows->urgent, base);
}

int64_t adl_windows_bytes(const struct adl_sink *sink, int64_t window)
{
    struct adl_cell cell;
    int64_t sum = 0, off;

    for (int i = 0;
         adl_window_cell(sink->schedule, sink->agg, window, i, &cell) == 0; i++)
        sum += adl_terms_part(sink->terms, cell.start, cell.end, &off);
    return sum;
}

/* The windows from `freed` on that have a buffer now and had none before. */
static void expect_bytes(const struct adl_sink *sink, int64_t freed)
{
    int64_t first = freed, end = freed + sink->depth;

    if (sink->windows->call == sink->terms->call)
        first = adl_max(freed, sink->windows->freed + sink->depth);
    for (int64_t w = first; w < end; w++)
        __atomic_store_n(&sink->windows->expect[slot_of(sink, w)],
                         adl_windows_bytes(sink, w), __ATOMIC_SEQ_CST);
}

void adl_windows_free(const struct adl_sink *sink, int64_t freed)
{
    struct adl_windows *ws = sink->windows;
    int64_t call = sink->terms->call;

    if (sink->many && freed != ADL_WINDOW_NONE)
        expect_bytes(sink, freed);
    if (ws->call != call) {
        ws->ready = freed;
        ws->eof = INT64_MAX;
    }
    adl_atomic_store(&ws->freed, freed);
    adl_atomic_store(&ws->call, call);
    adl_bell_ring(sink->node);
    if (freed < adl_atomic_load(&ws->want))
        return;
    adl_atomic_store(&ws->want, INT64_MAX);
    adl_bell_ring(&ws->bell);
}

void adl_windows_set_ready(const struct adl_sink *sink, int64_t ready,
                           int64_t eof)
{
    adl_atomic_store(&sink->windows->eof, eof);
    adl_atomic_store(&sink->windows->ready, ready);
    adl_bell_ring(sink->node);
    adl_bell_ring(&sink->windows->bell);
}

void adl_windows_close(const struct adl_sink *sink, int64_t window)
{
    adl_atomic_store(&sink->windows->closed, window);
}

int adl_windows_counted(const struct adl_sink *sink, int64_t window)
{
    const struct adl_windows *ws = sink->windows;
    int slot = slot_of(sink, window);

    return __atomic_load_n(&ws->moved[slot], __ATOMIC_SEQ_CST) >=
           ws->expect[slot];
}

int adl_windows_is_held(const struct adl_sink *sink, int64_t window)
{
    return __atomic_load_n(&sink->windows->held[slot_of(sink, window)],
                           __ATOMIC_SEQ_CST) != 0;
}

/* That a window is complete, the aggregator learns from the frontier, by way of
 * the ranks' seats and the node's leader. A rank counts bytes after it has
 * copied them. Reading the count orders the copies of this process's own rank
 * before the use of the buffer without that way round through other processes,
 * which a checker of the threads of one process cannot follow. */
void adl_windows_await_unheld(const struct adl_sink *sink, int64_t window)
{
    struct adl_windows *ws = sink->windows;

    if (!sink->many)
        return;
    __atomic_store_n(&ws->awaited, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint32_t seen = adl_bell_read(&ws->work);

        if (!adl_windows_is_held(sink, window))
            break;
        adl_bell_wait(&ws->work, seen);
    }
    __atomic_store_n(&ws->awaited, 0, __ATOMIC_SEQ_CST);
    (void)__atomic_load_n(&ws->moved[slot_of(sink, window)], __ATOMIC_SEQ_CST);
}

/* An exchange, not a store: whatever ranks did with the window before they
 * counted its bytes has happened before its buffer is used again. */
void adl_windows_clear(const struct adl_sink *sink, int64_t window)
{
    (void)__atomic_exchange_n(&sink->windows->moved[slot_of(sink, window)], 0,
                              __ATOMIC_SEQ_CST);
}
