/* service.h - an aggregator moves its windows to and from the file
 *
 * Runs on the io thread, beside the copying; a call of few bytes step by step
 * on the rank's own, since to wake another costs more than they do. Writing: a
 * window is complete when nobody can reach it any more: on one node, when all
 * ranks have come past its end; on several, when every byte of it has come, or
 * when all nodes are past its end (frontier.h). Complete windows are written in
 * order, exactly the covered runs, and freed.
 *
 * Reading: windows are read in order, up to `depth` ahead of those who take
 * from them: whole where the call wants most of its span, else the wanted runs
 * once everybody has said what it wants, or waits and cannot say more. Gaps
 * between runs shorter than ADL_READ_THROUGH are read as well: one larger read
 * costs less than two. Runs that one rank elsewhere wants and nobody else (in
 * an exact call) are read straight into the reply, if it has asked in time.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SERVICE_H
#define ADL_SERVICE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/uio.h>

#include "../core/messages/packing.h"
#include "../core/coll/terms.h"
#include "../core/coll/window.h"
#include "../sys/iothread.h"
#include "locks.h"
#include "prof.h"
#include "segment.h"

#define ADL_READ_THROUGH 65536
#define ADL_DIRECT_ALIGN 4096

/* Runs of a window whose bytes are to go to `to`, one after the other. */
struct adl_scatter {
    int64_t window;
    struct adl_runs_of runs;
    int64_t bytes; /* their sum, if the sender is right */
    char *to;
    struct adl_scatter *next; /* the service's own */
};

struct adl_target;

/* What was done in this call; the rest is counted by prof. */
struct adl_service_counts {
    int64_t bytes;
    int64_t ns; /* time in system calls, where somebody asked for it */
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
    /* held between read and write back, and by who writes past the window;
     * reading, while somebody is at `scatter` */
    pthread_mutex_t sieving;
    struct adl_scatter *scatter; /* of windows from `scattered` on */
    int64_t scattered;
    struct adl_target *target; /* of the window that is being read */
    int ntargets, room;
    int64_t eof; /* reading: where the file ended, INT64_MAX: not seen */
};

/* Local. The task's function: all of it. After an error it goes on freeing
 * windows, so that nobody waits for ever; nothing more is written. */
void adl_service_run(struct adl_iotask *task);

/* Local. The same without a thread (`in_steps`), in an exact call between
 * nodes: there a window is moved when all of it is there, so that a step need
 * not wait for anybody. 1: something was moved. */
void adl_service_begin(struct adl_service *s);
int adl_service_step(struct adl_service *s);
static inline int adl_service_is_over(const struct adl_service *s)
{
    return s->base == ADL_WINDOW_NONE;
}

/* Local, any thread, in an exact read: the runs are nobody else's. 1: they will
 * be where they are to go when their window is ready, and `sc` is the service's
 * until then. 0: the window is being read, or has been. */
int adl_service_scatter(struct adl_service *s, struct adl_scatter *sc);

/* Local. After either of the two. */
void adl_service_end(struct adl_service *s);

/* Local. Move runs of a window that is not in memory straight between `packed`
 * and the file: late comers'. *done is what was moved. 0 or -errno. */
int adl_service_through(struct adl_service *s, int64_t window,
                        const struct adl_runs_of *runs, char *packed,
                        int64_t *done);

/* ---- inside ---- */

int adl_service_write_step(struct adl_service *s);
int adl_service_read_step(struct adl_service *s);
/* 1: what is in the window's replies and what is between has been read; 0:
 * nothing of it is. */
int adl_service_read_scattered(struct adl_service *s, int64_t w, char *buf);
/* Read `len` bytes at `off` into the pieces of a vector, which is changed. */
void adl_service_readv(struct adl_service *s, struct iovec *v, int n,
                       int64_t off, int64_t len);

/* Bytes of a window that lie in the call's span. */
int64_t adl_service_expect(const struct adl_service *s, int64_t window);
/* The lowest window at or after the frontier. */
int64_t adl_service_settled(const struct adl_service *s);
int64_t adl_service_wished(const struct adl_service *s);
/* Has all of the window been moved, as far as counting tells? Step by step
 * also: and does nobody hold it? That might be the caller. */
int adl_service_counted(const struct adl_service *s, int64_t window);
/* The window after `window` that has bytes of the span; ADL_WINDOW_NONE. */
int64_t adl_service_next(const struct adl_service *s, int64_t window);
/* Expect the bytes of the windows [from, to). */
void adl_service_open(struct adl_service *s, int64_t from, int64_t to);
/* The descriptor for these bytes. */
int adl_service_fd(const struct adl_service *s, const char *buf, int64_t off,
                   int64_t len);
void adl_service_fail(struct adl_service *s, int rc, int64_t off);

#endif
