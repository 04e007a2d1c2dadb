/* locks.h - an aggregator's Lustre locks: those it has, and those it asks for
 *
 * The state of one file's locks. Which of them are wanted is decided where all
 * ranks agree (mpi/locks/lockmode.h); the io thread then calls adl_locks_begin
 * before its first access of a call and adl_locks_access before each.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKS_H
#define ADL_LOCKS_H

#include <stdint.h>

#include "../core/coll/lockwindow.h"

struct adl_lock_ahead;

/* What to report. */
struct adl_lock_counts {
    int64_t extents; /* lock ahead extent count */
    int64_t hits;    /* lock ahead write hits */
    int64_t misses;  /* lock ahead write misses */
    int64_t unused;  /* extents asked for that no write needed so far */
    int64_t lost;    /* locks found cancelled by independent accesses */
    int64_t ns;      /* time in "lock mode": calls for locks */
    int turned_off;  /* 0, or the errno for which it was given up */
};

/* Hangs on the file. All (own) but `mode`, `ahead_read`, `held`,
 * `end` and `written`. */
struct adl_locks {
    int mode;       /* cray_cb_write_lock_mode in force, all ranks know */
    int ahead_read; /* lockahead for collective reads, the same */
    /* Mode and errno of a mode that was given up, until it has been said: see
     * adl_lockmode_say. 0: nothing to say. */
    int unsaid_mode, unsaid_why;
    int held;     /* mode 1: the aggregators hold the file, all ranks know */
    int64_t end;  /* mode 1: last byte written collectively since then */
    int mine;     /* mode 1: my descriptor is in the group */
    int fd;       /* the descriptor locks are asked for on */
    int written;  /* mode 2: there was a collective write, all ranks know */
    int begun;    /* mode 2: a call let the server expand my locks */
    int exact;    /* the descriptor whose locks are not expanded + 1, or 0 */
    int said;     /* the line about a broken promise was printed */
    int64_t from; /* mode 2: writes of this size or more take no lock of the
                   * client (hybrid I/O); 0: not asked yet */
    const char *note; /* mode 2: why nothing is locked ahead, or NULL */
    int trouble;      /* errno for the end agreement, or 0 */
    int64_t lo, hi;   /* accessed independently since the last call; lo >= hi:
                       * nothing */
    struct adl_lockwindow *window[2]; /* [write]; NULL: none */
    struct adl_lock_ahead *ask;       /* [num_extents] */
    struct adl_lock_counts counts;
};

#define ADL_LOCKS_PATIENCE 1000 /* interrupted calls, made again */

/* Nothing is held or known yet. */
void adl_locks_init(struct adl_locks *lk);
/* Free the memory. The locks themselves end with the descriptors. */
void adl_locks_fini(struct adl_locks *lk);

/* `want` 1: the server must not expand the locks of this descriptor; 0: it may.
 * While it must not, data on the MDT need another descriptor (sys/rw.h), so for
 * many small writes of one rank 0 is better. 0 or -errno. */
int adl_locks_exact(struct adl_locks *lk, int fd, int want);

/* Called by the io thread. An error is left in `trouble`. */
void adl_locks_begin(struct adl_locks *lk, int write);
void adl_locks_access(struct adl_locks *lk, int write, int64_t off);

#endif
