/* lockstate.h - what a file keeps about its Lustre locks, see lockmode.h */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKSTATE_H
#define ADL_LOCKSTATE_H

#include <stdint.h>

#include "../../core/lockwindow.h"

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

/* Hangs on the file. All (own) but `held`, `end` and `written`. */
struct adl_lockmode {
    int held;     /* mode 1: the aggregators hold the file, all ranks know */
    int64_t end;  /* mode 1: last byte written collectively since then */
    int mine;     /* mode 1: my descriptor is in the group */
    int fd;       /* the descriptor locks are asked for on */
    int written;  /* mode 2: there was a collective write, all ranks know */
    int begun;    /* mode 2: a call let the server expand my locks */
    int exact;    /* the descriptor whose locks are not expanded + 1, or 0 */
    int said;     /* a broken promise was mentioned */
    int64_t from; /* mode 2: writes of so many bytes take no lock of the
                      * client's; 0: not asked yet */
    const char *note; /* mode 2: why nothing is locked ahead, or NULL */
    int trouble;      /* to be told at the end agreement */
    int64_t lo, hi;   /* accessed independently since the last call; lo >= hi:
                       * nothing */
    struct adl_lockwindow *window[2]; /* [write]; NULL: none */
    struct adl_lock_ahead *ask;       /* [num_extents] */
    struct adl_lock_counts counts;
};

/* Local. Nothing is held or known yet. */
void adl_lockstate_init(struct adl_lockmode *lm);
/* Local. Give memory back; the locks went with the descriptors. */
void adl_lockstate_fini(struct adl_lockmode *lm);

#endif
