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

#include "../core/coll/cover.h"
#include "../core/coll/terms.h"
#include "../core/coll/window.h"
#include "../sys/futex.h"

#define ADL_DEPTH_MAX 4 /* of core/coll/window.h */

enum adl_admit { ADL_NOW, ADL_LATER, ADL_PAST };

/* In shared memory. Valid while `call` is the running call's number. */
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

/* An aggregator of this node as one of the node's ranks sees it. The segment
 * (segment.h) sets the first part, adl_windows_begin the second.
 *
 * The first window of every call is at the beginning of `buf`, so that short
 * calls all over a file use the same memory again: it is in the caches, and its
 * pages are mapped. Of a call that has only this window, the first byte is
 * there:
 *
 *     the window     | 12  | 14  | 16  |    the call has bytes in 14 and 16
 *     buf                    |--------------- memory -------------|
 *                    <-lead->
 */
struct adl_sink {
    int agg;
    int depth;
    struct adl_windows *windows;
    struct adl_bell *node; /* windows of any aggregator here have changed */
    char *buf;             /* depth windows of `size` bytes */
    char *bits;            /* depth coverages of `cover` bytes */
    int64_t size, cover;
    /* ---- of the call ---- */
    const struct adl_terms *terms;
    const struct adl_window *schedule;
    int many;      /* there are several nodes */
    int64_t first; /* the aggregator's first window */
    int turn;      /* its slot: this one is at `buf` */
    int64_t lead;  /* bytes of this window that have no memory */
};

/* At a call's start, on every rank of the node; none is still in the call
 * before. The call's terms and the file's schedule must outlive the call. */
void adl_windows_begin(struct adl_sink *sink, const struct adl_terms *terms,
                       const struct adl_window *schedule, int many);

/* ---- by anyone ---- */

/* The buffer and the coverage of a window. The first `lead` bytes of the buffer
 * must not be accessed. */
char *adl_windows_buf(const struct adl_sink *sink, int64_t window);
void adl_windows_cover(const struct adl_sink *sink, int64_t window,
                       struct adl_cover *cover);

/* May bytes of the window be moved? */
enum adl_admit adl_windows_admit(const struct adl_sink *sink, int64_t window);
/* The values of `freed` and `ready`: the call's first window while the struct
 * still shows an older call. */
int64_t adl_windows_freed(const struct adl_sink *sink);
int64_t adl_windows_ready(const struct adl_sink *sink);
/* Announce that this process waits until the window is admitted. Read the bell
 * before this call, and check the condition again after it. */
void adl_windows_want(const struct adl_sink *sink, int64_t window);

/* On one node the next functions up to adl_windows_hurry change nothing: the
 * aggregator reads the ranks' positions. */

/* Count `bytes` of the window as moved. */
void adl_windows_moved(const struct adl_sink *sink, int64_t window,
                       int64_t bytes);
/* A message uses the window's buffer from adl_windows_hold to
 * adl_windows_release, which counts the `bytes` that it moved. */
void adl_windows_hold(const struct adl_sink *sink, int64_t window);
void adl_windows_release(const struct adl_sink *sink, int64_t window,
                         int64_t bytes);

/* When windows are read in parts: hold the window in order to mark requests in
 * it. 0: it is being read, or has been. */
int adl_windows_hold_open(const struct adl_sink *sink, int64_t window);
/* Announce that a reader waits for windows below `window` and cannot send
 * further requests before they are read. */
void adl_windows_hurry(const struct adl_sink *sink, int64_t window);

/* ---- by the aggregator ---- */

/* At a call's start. */
void adl_windows_open(const struct adl_sink *sink, int64_t base);
/* adl_windows_free frees the windows below `freed`, and publishes the call; the
 * `depth` windows from there on then expect their bytes. The other announces
 * that ranks may copy from the windows below `ready`. Both ring the
 * aggregator's bell and the node's. */
void adl_windows_free(const struct adl_sink *sink, int64_t freed);
void adl_windows_set_ready(const struct adl_sink *sink, int64_t ready,
                           int64_t eof);
/* From now on no rank marks bytes of windows below `window`. */
void adl_windows_close(const struct adl_sink *sink, int64_t window);
/* Have all expected bytes been moved? */
int adl_windows_counted(const struct adl_sink *sink, int64_t window);
/* Does a message hold the window? Wait until none does; the aggregator then
 * sees all bytes that were counted. */
int adl_windows_is_held(const struct adl_sink *sink, int64_t window);
void adl_windows_await_unheld(const struct adl_sink *sink, int64_t window);
/* Count from 0 in the window's buffer: the window is done with. */
void adl_windows_clear(const struct adl_sink *sink, int64_t window);
/* Bytes of the window that lie in the call's span. */
int64_t adl_windows_bytes(const struct adl_sink *sink, int64_t window);

#endif
