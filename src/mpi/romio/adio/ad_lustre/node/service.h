/* service.h - an aggregator moves its windows to and from the file
 *
 * Runs on the io thread, while ranks copy. A call of few bytes runs step by
 * step on the rank's own thread, because waking the io thread would cost more.
 *
 * Writing: a window is complete when no rank can have more bytes for it: on one
 * node, when all ranks are past its end; on several nodes, when every byte of
 * it has arrived, or when all nodes are past its end (frontier.h). Complete
 * windows are written in order and freed. Exactly the covered runs are written,
 * with two exceptions. In a part of the file that has no bytes yet (terms.h:
 * fresh) short gaps between runs are written as zeros. Many gaps are read first
 * and written back with what was read, while a lock keeps other writers out
 * (`sieve`, `gid`).
 *
 * Reading: windows are read in order, up to `depth` ahead of the ranks that
 * copy from them. A window is read whole if the call wants at least half of its
 * span. Otherwise only the wanted runs are read, when every rank has requested
 * its bytes, or waits and cannot request more. Gaps shorter than
 * ADL_READ_THROUGH between runs are read too: one larger read costs less than
 * two.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SERVICE_H
#define ADL_SERVICE_H

#include <stdint.h>

#include "../core/messages/packing.h"
#include "../sys/iothread.h"
#include "locks.h"
#include "prof.h"
#include "segment.h"

#define ADL_READ_THROUGH 65536
#define ADL_WRITE_THROUGH 65536 /* longest gap that is filled with zeros */
#define ADL_DIRECT_ALIGN 4096

/* Counts of this call; prof.h has the counts of the file. */
struct adl_service_counts {
    int64_t bytes;
    int64_t ns; /* time in system calls, 0 if times were not asked for */
};

struct adl_service {
    struct adl_iotask task;
    /* set by the caller */
    struct adl_segment *seg;
    struct adl_sink *sink; /* adl_windows_begin was called */
    int fd;
    int fd_direct; /* for aligned whole cells, -1: none */
    int sieve;     /* writing: fill holes by read-modify-write under a lock;
                    * reading: read through short gaps */
    int gid;       /* writing: the group lock of the file's aggregators, which
                    * excludes all other processes while gaps are filled; 0:
                    * gaps are left alone */
    int excluding; /* ... is held now */
    int stuck;     /* it could not be given back */
    int in_steps;  /* runs in steps, without the io thread */
    int late;      /* reads for requests that came late, on the rank's thread */
    struct adl_locks *locks;
    struct adl_prof *prof;
    /* Reading: windows base to next - 1 are in memory. There is room for
     * windows up to base + depth. ADL_WINDOW_NONE: the call is over. */
    int64_t base, next;
    /* results, valid when the call is over */
    int rc; /* first error, -errno */
    int64_t rc_offset;
    struct adl_service_counts counts;
    char *scratch; /* buffer for reading gaps, or for late requests */
    int64_t eof;   /* reading: the end of file, INT64_MAX: not reached */
};

/* Local. The task's function: does the whole call. After an error it writes
 * nothing more but goes on freeing windows, so that no rank waits for ever. */
void adl_service_run(struct adl_iotask *task);

/* Local. The same without a thread (`in_steps`), for an exact call between
 * nodes: there a window is complete when all its bytes have arrived, so that no
 * step waits for other ranks. adl_service_step returns 1 if it moved something.
 */
void adl_service_begin(struct adl_service *s);
int adl_service_step(struct adl_service *s);
static inline int adl_service_is_over(const struct adl_service *s)
{
    return s->base == ADL_WINDOW_NONE;
}

/* Local. Ends the call, with or without a thread. */
void adl_service_end(struct adl_service *s);

/* Local, on the rank's thread. For requests that came after the wanted parts of
 * a window were read: read their runs from the file. *window: a copy of the
 * window that has these runs, valid until the next call. *eof: the end of file,
 * INT64_MAX: not reached. 0 or -errno. */
int adl_service_read_late(struct adl_service *s, int64_t number,
                          const struct adl_runs_of *runs, const char **window,
                          int64_t *eof);

/* ---- inside ---- */

int adl_service_write_step(struct adl_service *s);
int adl_service_read_step(struct adl_service *s);
/* Cell `i` of a window. 0: there is none. */
static inline int adl_service_cell(const struct adl_service *s, int64_t window,
                                   int i, struct adl_cell *cell)
{
    return adl_window_cell(s->sink->schedule, s->sink->agg, window, i, cell) ==
           0;
}
/* The windows below this one are complete. The only function that decides this.
 */
int64_t adl_service_floor(const struct adl_service *s);
/* All ranks have sent their requests for the windows below this one. */
int64_t adl_service_asked(const struct adl_service *s);
/* The descriptor to use for these bytes: the direct one if they are aligned. */
int adl_service_fd(const struct adl_service *s, const char *buf, int64_t off,
                   int64_t len);
void adl_service_fail(struct adl_service *s, int rc, int64_t off);

#endif
