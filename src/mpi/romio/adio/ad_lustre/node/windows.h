/* windows.h - the windows of one aggregator, and the only rules about them
 *
 * Each aggregator has one struct adl_windows, in shared memory. `freed` is the
 * lowest window that is still needed: the `depth` windows from there on have a
 * buffer.
 *
 *              admit: LATER       admit: NOW                    admit: PAST
 *   a window:  CLOSED ----------> OPEN ------> COMPLETE ------> FREE
 *                       freed      |  bytes moved, or all       written, or
 *                       comes      |  ranks past its end        taken by all
 *                       near    held by messages under way
 *
 * CLOSED: the window has no buffer yet; ranks with bytes for it wait. OPEN:
 * ranks of the node and the receiver of messages move bytes into it (writing)
 * or, when it is below `ready`, out of it (reading). COMPLETE: no rank moves
 * any more of its bytes (adl_service_floor); the aggregator waits until no
 * message holds the window and writes it to the file. FREE: its buffer belongs
 * to a later window, which is thereby OPEN.
 *
 * PAST cannot happen in a correct call. A window is not complete as long as its
 * aggregator has not received one of its bytes: in a gap-free call the count of
 * bytes is too small; in any other call the rank that has the byte publishes no
 * position after it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_WINDOWS_H
#define ADL_WINDOWS_H

#include <stdint.h>

#include "../sys/futex.h"

#define ADL_DEPTH_MAX 4 /* of core/coll/window.h */

enum adl_admit { ADL_NOW, ADL_LATER, ADL_PAST };

/* Valid while `call` is the running call's number. */
struct adl_windows {
    int64_t call;
    int64_t freed;
    int64_t ready; /* reading: windows below it are in memory */
    int64_t eof;   /* reading: end of file, as far as it is known */
    int64_t want;  /* the lowest value of `freed` that a process waits for */
    struct adl_bell bell;
    /* Several nodes, for each window. moved: bytes that were moved into it
     * (writing) or out of it (reading). expect: the number of bytes that makes
     * it complete in a gap-free call. held: the number of messages under way
     * that use it. */
    int64_t moved[ADL_DEPTH_MAX];
    int64_t expect[ADL_DEPTH_MAX];
    int32_t held[ADL_DEPTH_MAX];
    int32_t awaited; /* the aggregator waits until `held` is 0 */
    /* Several nodes, when windows are read in parts: windows below `urgent`
     * must be read with the requests that have come; windows below `closed` are
     * being read, or have been. */
    int64_t urgent;
    int64_t closed;
    struct adl_bell work; /* for the aggregator's io thread */
} __attribute__((aligned(128)));

/* ---- by anyone ---- */

/* May bytes of the window be moved? `first`: the value of `freed` while the
 * struct still shows an older call. */
enum adl_admit adl_windows_admit(const struct adl_windows *ws, int64_t call,
                                 int64_t first, int depth, int64_t window);
/* The values of `freed` and `ready`; `first` while the struct still shows an
 * older call. */
int64_t adl_windows_freed(const struct adl_windows *ws, int64_t call,
                          int64_t first);
int64_t adl_windows_ready(const struct adl_windows *ws, int64_t call,
                          int64_t first);
/* Announce that this process waits until the windows below `freed` are free.
 * Read the bell before this call, and check the condition again after it. */
void adl_windows_want(struct adl_windows *ws, int64_t freed);

/* Count `bytes` of the window as moved. Several nodes only. */
void adl_windows_moved(struct adl_windows *ws, int slot, int64_t bytes);
/* A message uses the window's buffer from adl_windows_hold to
 * adl_windows_release, which counts the `bytes` that it moved. */
void adl_windows_hold(struct adl_windows *ws, int slot);
void adl_windows_release(struct adl_windows *ws, int slot, int64_t bytes);

/* When windows are read in parts: hold the window in order to mark requests in
 * it. 0: it is being read, or has been. */
int adl_windows_hold_open(struct adl_windows *ws, int64_t call, int slot,
                          int64_t window);
/* Announce that a reader waits for windows below `window` and cannot send
 * further requests before they are read. */
void adl_windows_hurry(struct adl_windows *ws, int64_t window);

/* ---- by the aggregator ---- */

/* At a call's start: `base` is the first window. */
void adl_windows_open(struct adl_windows *ws, int64_t base);
/* Free the windows below `freed`; announce that ranks may copy from the windows
 * below `ready`. adl_windows_free also publishes `call`. Both ring the
 * aggregator's bell, and `node`, the bell of all aggregators of the node. */
void adl_windows_free(struct adl_windows *ws, struct adl_bell *node,
                      int64_t call, int64_t freed);
void adl_windows_set_ready(struct adl_windows *ws, struct adl_bell *node,
                           int64_t ready, int64_t eof);
/* From now on no rank marks bytes of windows below `window`. */
void adl_windows_close(struct adl_windows *ws, int64_t window);
/* Have all expected bytes been moved? */
int adl_windows_counted(const struct adl_windows *ws, int slot);
/* Does a message hold the window? Wait until none does; the aggregator then
 * sees all bytes that were counted. */
int adl_windows_is_held(const struct adl_windows *ws, int slot);
void adl_windows_await_unheld(struct adl_windows *ws, int slot);
/* Mark the slot's buffer as empty; set the number of bytes that the next window
 * in this slot expects. */
void adl_windows_clear(struct adl_windows *ws, int slot);
void adl_windows_expect(struct adl_windows *ws, int slot, int64_t bytes);

#endif
