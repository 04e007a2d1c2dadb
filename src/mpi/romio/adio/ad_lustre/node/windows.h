/* windows.h - the windows of one aggregator, and the only rules about them
 *
 * In shared memory, one an aggregator. `freed` is the lowest window that is not
 * done with: the `depth` windows from there on have a buffer.
 *
 *              admit: LATER       admit: NOW                    admit: PAST
 *   a window:  CLOSED ----------> OPEN ------> COMPLETE ------> FREE
 *                       freed      |  bytes moved, or all       written, or
 *                       comes      |  ranks past its end        taken by all
 *                       near    held by messages under way
 *
 * CLOSED: no buffer yet; ranks with bytes for it wait. OPEN: ranks of the node
 * and the receiver of messages move bytes into it (writing) or, once it is
 * below `ready`, out of it (reading). COMPLETE: adl_service_floor says that no
 * rank moves any more of it; the aggregator waits until no message holds it,
 * moves it to the file, and makes it FREE, which opens a later one.
 *
 * PAST cannot happen in a correct call. As long as an aggregator has not
 * received a byte, that byte's window is not complete: in a gap-free call the
 * count of bytes is too small; in any other call the rank that has the byte
 * publishes no position behind it.
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
    int64_t eof;   /* ... and the file ends here, as far as is known */
    int64_t want;  /* the lowest `freed` that a sleeper waits for */
    struct adl_bell bell;
    /* Several nodes: bytes that came into (writing) or were taken from
     * (reading) each window, how many it takes until it is complete in a
     * gap-free call, and how many messages under way hold it. */
    int64_t moved[ADL_DEPTH_MAX];
    int64_t expect[ADL_DEPTH_MAX];
    int32_t held[ADL_DEPTH_MAX];
    int32_t awaited; /* the aggregator waits until none does */
    /* ... reading parts of windows: windows below `urgent` are to be read with
     * what is asked for by now; below `closed` they are, or are being. */
    int64_t urgent;
    int64_t closed;
    struct adl_bell work; /* for the aggregator's io thread */
} __attribute__((aligned(128)));

/* ---- by anyone ---- */

/* May bytes of the window be moved? `first`: what `freed` is while the call has
 * not begun here. */
enum adl_admit adl_windows_admit(const struct adl_windows *ws, int64_t call,
                                 int64_t first, int depth, int64_t window);
/* The values of `freed` and `ready`; `first` while the struct still shows an
 * older call. */
int64_t adl_windows_freed(const struct adl_windows *ws, int64_t call,
                          int64_t first);
int64_t adl_windows_ready(const struct adl_windows *ws, int64_t call,
                          int64_t first);
/* Say that a process waits until the windows below `freed` are free. Read the
 * bell before this call, check the condition again after it. */
void adl_windows_want(struct adl_windows *ws, int64_t freed);

/* `bytes` of the window were moved. Several nodes only. */
void adl_windows_moved(struct adl_windows *ws, int slot, int64_t bytes);
/* A message under way uses the window's buffer; then it has moved `bytes`. */
void adl_windows_hold(struct adl_windows *ws, int slot);
void adl_windows_release(struct adl_windows *ws, int slot, int64_t bytes);

/* Reading parts of windows: hold it to mark what is asked for. 0: it is being
 * read, or has been. */
int adl_windows_hold_open(struct adl_windows *ws, int64_t call, int slot,
                          int64_t window);
/* A reader waits for windows below `window` and cannot send further requests
 * before they are read. */
void adl_windows_hurry(struct adl_windows *ws, int64_t window);

/* ---- by the aggregator ---- */

/* At a call's start: `base` is the first window. */
void adl_windows_open(struct adl_windows *ws, int64_t base);
/* Free the windows below `freed`; say that those below `ready` can be read. The
 * first of these shows `call`. Both ring the bell, and `node`, the one of all
 * aggregators of the node. */
void adl_windows_free(struct adl_windows *ws, struct adl_bell *node,
                      int64_t call, int64_t freed);
void adl_windows_set_ready(struct adl_windows *ws, struct adl_bell *node,
                           int64_t ready, int64_t eof);
/* From now on no rank marks bytes of windows below `window`. */
void adl_windows_close(struct adl_windows *ws, int64_t window);
/* Have all bytes been moved that are expected? */
int adl_windows_counted(const struct adl_windows *ws, int slot);
/* Does a message hold it? Wait until none does; then the aggregator sees all
 * bytes that were counted. */
int adl_windows_is_held(const struct adl_windows *ws, int slot);
void adl_windows_await_unheld(struct adl_windows *ws, int slot);
/* The slot's buffer is empty; and the number of bytes that the next window in
 * this slot expects. */
void adl_windows_clear(struct adl_windows *ws, int slot);
void adl_windows_expect(struct adl_windows *ws, int slot, int64_t bytes);

#endif
