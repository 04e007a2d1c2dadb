/* locks.h - an aggregator's Lustre locks: those it has, and those it asks for
 *
 * The ranks agree on the lock mode (mpi/locks/lockmode.h). In mode 2 the io
 * thread then calls adl_locks_begin before its first access of a call and
 * adl_locks_access before each access.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKS_H
#define ADL_LOCKS_H

#include <stdint.h>

#include "../core/coll/lockwindow.h"

struct adl_lock_ahead;

/* Numbers for the report. */
struct adl_lock_counts {
    struct adl_lockwindow_counts ahead; /* of writes */
    int64_t ns;     /* time in "lock mode": in system calls for locks */
    int turned_off; /* 0, or the errno for which it was given up */
};

/* A part of struct adl_file. `mode`, `ahead_read`, `held`, `end` and `written`
 * are the same on all ranks; all other fields are the rank's own. */
struct adl_locks {
    int mode;       /* cray_cb_write_lock_mode in force */
    int ahead_read; /* lockahead for collective reads */
    /* The mode that was given up and the errno, until adl_lockmode_say prints
     * them; 0: no mode was given up. */
    int unsaid_mode, unsaid_why;
    int held;    /* mode 1: the aggregators hold the group lock */
    int64_t end; /* mode 1: end of what was written collectively since then */
    int mine;    /* mode 1: this rank's descriptor is in the group */
    int fd;      /* the descriptor on which locks are requested */
    int written; /* mode 2: there was a collective write */
    int begun; /* mode 2: in a call the server could expand this rank's locks */
    int exact; /* the descriptor whose locks are not expanded + 1, or 0 */
    /* the line about a broken promise (romio_no_indep_rw) was printed */
    int said;
    int64_t from;     /* mode 2: writes of this size or more take no lock of the
                   * client (hybrid I/O); 0: not asked yet */
    const char *note; /* mode 2: why nothing is locked ahead, or NULL */
    int trouble;      /* errno for the end agreement, or 0 */
    int64_t lo,
        /* the span of independent accesses since the last call; lo >= hi:
         * none */
        hi;
    struct adl_lockwindow *window[2]; /* [write]; NULL: none */
    struct adl_lock_ahead *ask;       /* [num_extents] */
    struct adl_lock_counts counts;
};

/* Initialise: no lock is held. */
void adl_locks_init(struct adl_locks *lk);
/* Free the memory. The locks themselves end with the descriptors. */
void adl_locks_fini(struct adl_locks *lk);

/* `want` 1: forbid the server to expand the locks of this descriptor; 0: allow
 * it. While it is forbidden, data on the MDT need another descriptor
 * (sys/rw.h); for many small writes of one rank 0 is therefore better. 0 or
 * -errno. */
int adl_locks_exact(struct adl_locks *lk, int fd, int want);

/* Called by the io thread. An error is left in `trouble`. */
void adl_locks_begin(struct adl_locks *lk, int write);
void adl_locks_access(struct adl_locks *lk, int write, int64_t off);

#endif
