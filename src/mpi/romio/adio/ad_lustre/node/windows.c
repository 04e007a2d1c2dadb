/* windows.c - the windows of one aggregator, and the only rules about them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#include "windows.h"

#include "../sys/atomic.h"

/* ---- by anyone ---- */

/* Reading `call` first: when it is this call's, the rest is at least as new.
 * An aggregator cannot be a call ahead of us, it waits for us at the end. */
static int64_t value_of(const struct adl_windows *ws, const int64_t *value,
                        int64_t call, int64_t first)
{
    return adl_atomic_load(&ws->call) == call ? adl_atomic_load(value) : first;
}

int64_t adl_windows_freed(const struct adl_windows *ws, int64_t call,
                          int64_t first)
{
    return value_of(ws, &ws->freed, call, first);
}

int64_t adl_windows_ready(const struct adl_windows *ws, int64_t call,
                          int64_t first)
{
    return value_of(ws, &ws->ready, call, first);
}

enum adl_admit adl_windows_admit(const struct adl_windows *ws, int64_t call,
                                 int64_t first, int depth, int64_t window)
{
    int64_t freed = adl_windows_freed(ws, call, first);

    if (window < freed)
        return ADL_PAST;
    return window - freed < depth ? ADL_NOW : ADL_LATER;
}

/* Wake the ranks only when the lowest window that one waits for is free. Ranks
 * far ahead would otherwise wake at every window and keep the ranks that are
 * behind off the cores. */
void adl_windows_want(struct adl_windows *ws, int64_t freed)
{
    adl_atomic_lower(&ws->want, freed);
}

/* 1: these were the last ones. */
static int add_moved(struct adl_windows *ws, int slot, int64_t bytes)
{
    return __atomic_add_fetch(&ws->moved[slot], bytes, __ATOMIC_SEQ_CST) >=
           adl_atomic_load(&ws->expect[slot]);
}

void adl_windows_moved(struct adl_windows *ws, int slot, int64_t bytes)
{
    if (add_moved(ws, slot, bytes))
        adl_bell_ring(&ws->work);
}

void adl_windows_hold(struct adl_windows *ws, int slot)
{
    __atomic_add_fetch(&ws->held[slot], 1, __ATOMIC_SEQ_CST);
}

/* The bytes are counted while the window is held: an aggregator that finds it
 * unheld has all of them. The aggregator stores that it waits before it looks
 * at `held`. This rank releases the window before it looks whether the
 * aggregator waits: one of the two sees what the other has stored. */
void adl_windows_release(struct adl_windows *ws, int slot, int64_t bytes)
{
    int last = add_moved(ws, slot, bytes);
    int left = __atomic_sub_fetch(&ws->held[slot], 1, __ATOMIC_SEQ_CST);

    if ((left == 0 && __atomic_load_n(&ws->awaited, __ATOMIC_SEQ_CST)) || last)
        adl_bell_ring(&ws->work);
}

/* Holding is visible before we look at `closed`, closing before the aggregator
 * looks at `held`: one sees the other. */
int adl_windows_hold_open(struct adl_windows *ws, int64_t call, int slot,
                          int64_t window)
{
    adl_windows_hold(ws, slot);
    if (window >= value_of(ws, &ws->closed, call, INT64_MIN))
        return 1;
    adl_windows_release(ws, slot, 0);
    return 0;
}

void adl_windows_hurry(struct adl_windows *ws, int64_t window)
{
    if (adl_atomic_load(&ws->urgent) >= window)
        return;
    adl_atomic_store(&ws->urgent, window);
    adl_bell_ring(&ws->work);
}

/* ---- by the aggregator ---- */

void adl_windows_open(struct adl_windows *ws, int64_t base)
{
    adl_atomic_store(&ws->closed, base);
    adl_atomic_store(&ws->urgent, base);
}

void adl_windows_free(struct adl_windows *ws, struct adl_bell *node,
                      int64_t call, int64_t freed)
{
    if (ws->call != call) {
        ws->ready = freed;
        ws->eof = INT64_MAX;
    }
    adl_atomic_store(&ws->freed, freed);
    adl_atomic_store(&ws->call, call);
    adl_bell_ring(node);
    if (freed < adl_atomic_load(&ws->want))
        return;
    adl_atomic_store(&ws->want, INT64_MAX);
    adl_bell_ring(&ws->bell);
}

void adl_windows_set_ready(struct adl_windows *ws, struct adl_bell *node,
                           int64_t ready, int64_t eof)
{
    adl_atomic_store(&ws->eof, eof);
    adl_atomic_store(&ws->ready, ready);
    adl_bell_ring(node);
    adl_bell_ring(&ws->bell);
}

void adl_windows_close(struct adl_windows *ws, int64_t window)
{
    adl_atomic_store(&ws->closed, window);
}

int adl_windows_counted(const struct adl_windows *ws, int slot)
{
    return __atomic_load_n(&ws->moved[slot], __ATOMIC_SEQ_CST) >=
           ws->expect[slot];
}

int adl_windows_is_held(const struct adl_windows *ws, int slot)
{
    return __atomic_load_n(&ws->held[slot], __ATOMIC_SEQ_CST) != 0;
}

/* That a window is complete, the aggregator learns from the frontier, by way of
 * the ranks' seats and the node's leader. A rank counts bytes after it has
 * copied them. Reading the count orders the copies of this process's own rank
 * before the use of the buffer without that way round through other processes,
 * which a checker of the threads of one process cannot follow. */
void adl_windows_await_unheld(struct adl_windows *ws, int slot)
{
    __atomic_store_n(&ws->awaited, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        uint32_t seen = adl_bell_read(&ws->work);

        if (!adl_windows_is_held(ws, slot))
            break;
        adl_bell_wait(&ws->work, seen);
    }
    __atomic_store_n(&ws->awaited, 0, __ATOMIC_SEQ_CST);
    (void)__atomic_load_n(&ws->moved[slot], __ATOMIC_SEQ_CST);
}

/* An exchange, not a store: whatever ranks did with the window before they
 * counted its bytes has happened before its buffer is used again. */
void adl_windows_clear(struct adl_windows *ws, int slot)
{
    (void)__atomic_exchange_n(&ws->moved[slot], 0, __ATOMIC_SEQ_CST);
}

void adl_windows_expect(struct adl_windows *ws, int slot, int64_t bytes)
{
    __atomic_store_n(&ws->expect[slot], bytes, __ATOMIC_SEQ_CST);
}
