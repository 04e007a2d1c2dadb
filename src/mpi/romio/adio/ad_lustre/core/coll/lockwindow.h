/* lockwindow.h - which extents an aggregator should lock ahead
 *
 * An aggregator writes its own stripes only. The window is the set of stripes
 * for which it has already asked the lock server, in the order in which they
 * will be needed. A lock that is never used costs a request now and a callback
 * to this client later. So the window begins with the stripes of the running
 * call. It grows while calls follow a pattern: by one call ahead for every
 * PATIENCE calls that followed it, up to num_extents extents in all:
 *
 *   calls that go on where        the rest of this call, then what follows
 *   the last one ended            in the file, to the end of the component
 *   calls that repeat (with a     the rest of this call, then the next calls:
 *   period of up to 256 calls)    forwards, backwards, variable by variable
 *
 *   call  1   2   3            1   2   3   ...   start 0, 10, 30, 100, 110,
 *   file  AA..BBBB....CCC......AA..BBBB....CCC   130: deltas 10, 20, 70 repeat
 *
 * After a call that breaks the pattern the window has that call's stripes only.
 * An access inside the window is a hit; an access past its middle extends it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCKWINDOW_H
#define ADL_LOCKWINDOW_H

#include <stdint.h>

#include "owner.h"

struct adl_lockwindow;

/* An extent to ask for. */
struct adl_lockwish {
    int64_t start, end;
};

struct adl_lockwindow_counts {
    int64_t extents; /* asked for */
    int64_t used;    /* of these, those that an access needed */
    int64_t hits;    /* accesses inside the window, no lock lost */
    int64_t misses;
};

/* `owner` must outlive the result. Bytes below `from` have no locks of this
 * kind (data on the MDT) and are left out. 0 or -errno. */
int adl_lockwindow_create(const struct adl_owner *owner, int agg,
                          int num_extents, int64_t from,
                          struct adl_lockwindow **out);
void adl_lockwindow_destroy(struct adl_lockwindow *win); /* accepts NULL */

/* A collective call on [start, end) of the file begins. */
void adl_lockwindow_call(struct adl_lockwindow *win, int64_t start,
                         int64_t end);

/* Before the call's first access: which extents to ask for. Both functions
 * return the number of extents in *wish, which is valid until the next call. */
int adl_lockwindow_begin(struct adl_lockwindow *win,
                         const struct adl_lockwish **wish);
/* Before an access to offset `off`, in a stripe of ours: count it, and say what
 * to ask for now, if anything. */
int adl_lockwindow_access(struct adl_lockwindow *win, int64_t off,
                          const struct adl_lockwish **wish);

/* Locks in [lo, hi) may be lost: another client accessed that range, or the
 * file was truncated. The next access asks for them again; that is no miss. */
void adl_lockwindow_doubt(struct adl_lockwindow *win, int64_t lo, int64_t hi);

const struct adl_lockwindow_counts *
adl_lockwindow_counts(const struct adl_lockwindow *win);

#endif
