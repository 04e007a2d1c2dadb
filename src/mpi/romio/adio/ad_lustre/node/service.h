/* service.h - an aggregator moves its windows to and from the file
 *
 * Runs on the io thread, while ranks copy. A call of few bytes runs step by
 * step on the rank's own thread, because waking the io thread would cost more.
 *
 * Writing: a window is complete when no rank can have more bytes for it: on one
 * node, when all ranks are past its end; on several nodes, when every byte of
 * it has arrived, or when all nodes are past its end (frontier.h). Complete
 * windows are written in order, exactly the covered runs, and freed. In a part
 * of the file that has no bytes yet (terms.h: fresh) short gaps between runs
 * are written as zeros.
 *
 * Reading: windows are read in order, up to `depth` ahead of the ranks that
 * copy from them. A window is read whole if the call wants most of its span.
 * Else the wanted runs are read, once every rank has asked for its bytes, or
 * waits and cannot ask for more. Gaps between runs shorter than
 * ADL_READ_THROUGH are read too: one larger read costs less than two.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SERVICE_H
#define ADL_SERVICE_H

#include <stdint.h>

#include "../core/messages/packing.h"
#include "../core/coll/terms.h"
#include "../core/coll/window.h"
#include "../sys/iothread.h"
#include "locks.h"
#include "prof.h"
#include "segment.h"

#define ADL_READ_THROUGH 65536
#define ADL_WRITE_THROUGH 65536 /* longest gap that is filled with zeros */
#define ADL_DIRECT_ALIGN 4096

/* A part of a window's buffer. */
struct adl_stretch {
    int64_t start, len;
};

/* What was done in this call; the rest is counted by prof. */
struct adl_service_counts {
    int64_t bytes;
    int64_t ns; /* time in system calls, if times were asked for */
};

struct adl_service {
    struct adl_iotask task;
    /* set by the caller */
    const struct adl_terms *terms;
    const struct adl_window *window;
    struct adl_segment *seg;
    struct adl_sink *sink;
    int agg; /* which aggregator we are */
    int fd;
    int fd_direct; /* for aligned whole cells, -1: none */
    int sieve;     /* writing: fill holes by read-modify-write under a lock;
                    * reading: read through short gaps */
    int gid;       /* writing: the group lock of the file's aggregators, which
                    * excludes all other processes while gaps are filled; 0:
                    * gaps are left alone */
    int stuck;     /* the group lock could not be given back */
    int many;      /* there are other nodes */
    int in_steps;  /* without the io thread */
    struct adl_locks *locks;
    struct adl_prof *prof;
    /* windows base .. next - 1 are in memory (reading), up to base + depth
     * there is room; ADL_WINDOW_NONE: it is over */
    int64_t base, next;
    /* results, valid when it is */
    int rc; /* first error, -errno */
    int64_t rc_offset;
    struct adl_service_counts counts;
    char *scratch; /* for sieving */
    int64_t eof;   /* reading: where the file ended, INT64_MAX: not seen */
};

/* Local. The task's function: the whole call. After an error it goes on freeing
 * windows, so that no rank waits for ever; nothing more is written. */
void adl_service_run(struct adl_iotask *task);

/* Local. The same without a thread (`in_steps`), in an exact call between
 * nodes: there a window is moved when all its bytes have arrived, so that a
 * step need not wait for other ranks. 1: something was moved. */
void adl_service_begin(struct adl_service *s);
int adl_service_step(struct adl_service *s);
static inline int adl_service_is_over(const struct adl_service *s)
{
    return s->base == ADL_WINDOW_NONE;
}

/* Local. After either of the two. */
void adl_service_end(struct adl_service *s);

/* Local. Read runs of a window straight from the file into `packed`: those that
 * were asked for after the window was read in parts. *done is what was read. 0
 * or -errno. */
int adl_service_read_late(struct adl_service *s, int64_t window,
                          const struct adl_runs_of *runs, char *packed,
                          int64_t *done);

/* ---- inside ---- */

int adl_service_write_step(struct adl_service *s);
int adl_service_read_step(struct adl_service *s);
/* Bytes of a window that lie in the call's span. */
int64_t adl_service_expect(const struct adl_service *s, int64_t window);
/* Which windows are complete: those below this one. The only rule. */
int64_t adl_service_floor(const struct adl_service *s);
/* The windows below this one have been asked for by all. */
int64_t adl_service_asked(const struct adl_service *s);
/* Expect the bytes of the windows [from, to). */
void adl_service_open(struct adl_service *s, int64_t from, int64_t to);
/* The descriptor for these bytes. */
int adl_service_fd(const struct adl_service *s, const char *buf, int64_t off,
                   int64_t len);
void adl_service_fail(struct adl_service *s, int rc, int64_t off);

#endif
