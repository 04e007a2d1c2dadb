/* prefetch.h - an aggregator reads on between collective reads
 *
 * Between two calls, and while it hands out what it has read, an aggregator
 * asks its OSTs for nothing; and Lustre's own read-ahead sees no pattern in
 * reads that begin and end where calls do. So where reads follow each other
 * (core/coll/ahead.h) the io thread reads on behind the windows of a call. The
 * bytes go into a scratch buffer and are forgotten: they are then in the
 * client's page cache, under its locks, where the next call finds them; if
 * another process has written them since, the next call finds the new bytes.
 *
 * Everything else goes first: at a new call, or when another function needs the
 * descriptor, it ends after the read() that is under way. Errors are ignored:
 * the call that reads the bytes will meet them. The reports do not count these
 * reads.
 *
 * All functions are local, of the thread that makes MPI's calls, and accept
 * NULL for a rank that does not aggregate.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PREFETCH_H
#define ADL_PREFETCH_H

#include <stdint.h>

#include "../core/coll/ahead.h"
#include "../sys/iothread.h"

struct adl_prefetch;

/* Where to read, and whose part. */
struct adl_prefetch_from {
    int fd;
    const struct adl_owner *owner; /* must stay until adl_prefetch_wait */
    int agg;
};

/* `io` must outlive it. 0 or -errno. */
int adl_prefetch_create(struct adl_iothread *io, struct adl_prefetch **out);
void adl_prefetch_destroy(struct adl_prefetch *p);

/* The owners read the span [start, end); the io thread has its part of that.
 * Where it is the next one of a row, go on behind that with what is expected
 * then, `room` bytes at most. */
void adl_prefetch_follow(struct adl_prefetch *p,
                         const struct adl_prefetch_from *from, int64_t start,
                         int64_t end, int64_t room);

/* Something else than the next read: the row is over. Returns at once. */
void adl_prefetch_forget(struct adl_prefetch *p);

/* The same, and the descriptor is in use no more. Waits for one read(). */
void adl_prefetch_wait(struct adl_prefetch *p);

#endif
