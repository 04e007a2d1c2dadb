/* serve.h - an aggregator moves its windows to and from the file
 *
 * Runs on the io thread, beside the copying. Writing: a window is complete when
 * nobody can reach it any more: all ranks of the node have come past its end
 * and all other nodes have said so. Complete windows are written in order,
 * exactly the covered runs, and freed.
 *
 * Reading: a window's wishes are complete in the same way; then the wanted runs
 * are read, up to `depth` windows ahead of the ranks that copy them out. Gaps
 * between runs shorter than ADL_READ_THROUGH are read as well: one larger read
 * costs less than two.
 */
#ifndef ADL_SERVE_H
#define ADL_SERVE_H

#include <stdint.h>

#include "../core/window.h"
#include "../sys/iothread.h"
#include "lockmode.h"
#include "prof.h"
#include "segment.h"

#define ADL_READ_THROUGH 65536
#define ADL_DIRECT_ALIGN 4096

/* What was done in this call; the rest is counted by prof. */
struct adl_serve_counts {
    int64_t bytes;
    int64_t covered; /* different bytes that somebody asked to move */
    int64_t ns;      /* time in system calls, where somebody asked for it */
};

struct adl_serve {
    struct adl_iotask task;
    /* set by the caller */
    const struct adl_window *window;
    struct adl_segment *seg;
    int agg; /* which aggregator we are */
    int fd;
    int fd_direct; /* for aligned whole cells, -1: none */
    int shift;     /* unit of the coverage */
    int sieve;     /* fill holes by read-modify-write under a lock */
    int64_t call;
    int64_t start, end; /* span of what everybody accesses */
    int dense;          /* it has no holes, and nobody marks */
    struct adl_lockmode *locks;
    struct adl_prof *prof;
    /* windows that other nodes may still reach; ADL_WINDOW_NONE: none. Set
     * with adl_serve_remote. Reading: still wish for, still take from */
    int64_t remote;
    int64_t remote_taken;
    struct adl_bell remote_bell;
    /* results, valid when the task is done */
    int rc; /* first error, -errno */
    struct adl_serve_counts counts;
    char *scratch; /* for sieving */
    int64_t eof;   /* reading: where the file ended, INT64_MAX: not seen */
};

/* Local. The task's function. After an error it goes on freeing windows, so
 * that nobody waits for ever; nothing more is written. */
void adl_serve_write(struct adl_iotask *task);
void adl_serve_read(struct adl_iotask *task);

/* Local. The part of a cell that lies in the call's span: its length, 0 or less
 * for none. */
static inline int64_t adl_serve_part(const struct adl_serve *s,
                                     const struct adl_cell *cell, int64_t *off)
{
    int64_t end = cell->end < s->end ? cell->end : s->end;

    *off = cell->start > s->start ? cell->start : s->start;
    return end - *off;
}

/* Local, any thread. Other nodes will touch no window below `floor`. */
void adl_serve_remote(struct adl_serve *serve, int64_t floor);
/* Reading: other nodes have taken everything from windows below `floor`. */
void adl_serve_taken(struct adl_serve *serve, int64_t floor);

#endif
