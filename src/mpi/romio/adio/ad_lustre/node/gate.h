/* gate.h - which windows of an aggregator its node's ranks may use
 *
 * In shared memory, one an aggregator. Its io thread frees windows and says
 * which can be read; ranks go in and out, and sleep on its bell.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_GATE_H
#define ADL_GATE_H

#include <stdint.h>

#include "../sys/futex.h"

#define ADL_DEPTH_MAX 4 /* of core/coll/window.h */

/* Windows below `freed` are done with, so that numbers below freed + depth may
 * be filled; reading: windows below `ready` are in memory, and the file ends
 * at `eof` as far as this owner knows. Valid while `call` is the running
 * call's number. */
struct adl_gate {
    int64_t call;
    int64_t freed;
    int64_t ready;
    int64_t eof;
    int64_t want; /* the lowest `freed` that a sleeper waits for */
    struct adl_bell bell;
    /* Several nodes: bytes that came into (writing) or were taken from
     * (reading) each window, how many it takes until it is done, and who is at
     * it. Nobody enters windows below `shut` any more. */
    int64_t moved[ADL_DEPTH_MAX];
    int64_t expect[ADL_DEPTH_MAX];
    int32_t inside[ADL_DEPTH_MAX];
    int32_t awaited; /* the aggregator waits until nobody is */
    int64_t shut;
    /* ... reading parts of windows: windows below `urgent` are to be read with
     * what is wished for by now; below `closed` they are, or are being. */
    int64_t urgent;
    int64_t closed;
    struct adl_bell work; /* for the aggregator's io thread */
} __attribute__((aligned(128)));

/* By the aggregator: free the windows below `freed`; say that those below
 * `ready` can be read. The first of them opens the gate for `call`. Both ring
 * the gate's bell, and `node`, the one of all gates of the node. */
void adl_gate_free(struct adl_gate *gate, struct adl_bell *node, int64_t call,
                   int64_t freed);
void adl_gate_ready(struct adl_gate *gate, struct adl_bell *node, int64_t ready,
                    int64_t eof);
/* What the gate says; `first` while it still shows an older call. */
int64_t adl_gate_freed(const struct adl_gate *gate, int64_t call,
                       int64_t first);
int64_t adl_gate_is_ready(const struct adl_gate *gate, int64_t call,
                          int64_t first);
/* Note that the windows below `freed` are waited for. Read the gate's
 * bell before, look at the gate again after. */
void adl_gate_want(struct adl_gate *gate, int64_t freed);

/* Several nodes: whoever moves bytes into or out of a window does it
 * between these. Enter: 0 if the window was given up meanwhile, because all its
 * bytes were there: then this one is late. Leave: `bytes` were moved; the io
 * thread is woken when that makes the window complete. */
int adl_gate_enter(struct adl_gate *gate, int64_t call, int slot,
                   int64_t window);
void adl_gate_leave(struct adl_gate *gate, int slot, int64_t bytes);
/* The same for who marks what it wants: 0 if the window is being read.
 */
int adl_gate_enter_wish(struct adl_gate *gate, int64_t call, int slot,
                        int64_t window);
/* Somebody who cannot wish for more waits for windows below `window`. */
void adl_gate_hurry(struct adl_gate *gate, int64_t window);
/* By the aggregator, at a call's start: `base` is the first window. */
void adl_gate_open(struct adl_gate *gate, int64_t base);
/* By the aggregator: take no wishes below `window` any more. */
void adl_gate_close(struct adl_gate *gate, int64_t window);
/* By the aggregator: let nobody enter below `window` any more; wait
 * until nobody is inside a slot's window. */
void adl_gate_shut(struct adl_gate *gate, int64_t window);
void adl_gate_await_empty(struct adl_gate *gate, int slot);

#endif
