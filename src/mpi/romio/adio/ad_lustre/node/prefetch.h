/* prefetch.h - an aggregator reads on between collective reads
 *
 * Between two calls, and while ranks copy what it has read, an aggregator sends
 * no requests to its OSTs. Lustre's own read-ahead does not help: it sees no
 * pattern in reads that begin and end where the calls do. So if reads follow
 * each other (core/coll/ahead.h), the io thread goes on reading after the
 * windows of a call. It reads into a scratch buffer, whose content is not used:
 * the bytes are then in the client's page cache, under Lustre's locks. The next
 * call reads them from there, or the new bytes, if another process has written
 * them since.
 *
 * It ends after the current read() when a new call begins or another function
 * needs the descriptor. Errors are ignored: the call that reads the bytes will
 * meet them. The reports do not count these reads.
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

/* The descriptor, and the aggregator whose part of the file is read. */
struct adl_prefetch_from {
    int fd;
    const struct adl_owner *owner; /* must stay until adl_prefetch_wait */
    int agg;
};

/* `io` must outlive it. 0 or -errno. */
int adl_prefetch_create(struct adl_iothread *io, struct adl_prefetch **out);
void adl_prefetch_destroy(struct adl_prefetch *p);

/* A call reads the span [start, end), and the io thread has the task for its
 * part of it. If this span continues a sequence, the io thread then reads its
 * part of the span that is expected next, at most `room` bytes. */
void adl_prefetch_follow(struct adl_prefetch *p,
                         const struct adl_prefetch_from *from, int64_t start,
                         int64_t end, int64_t room);

/* The call was something else than the next read: the sequence ends. Returns at
 * once. */
void adl_prefetch_forget(struct adl_prefetch *p);

/* The same, and when it returns the descriptor is no longer in use. Waits for
 * at most one read(). */
void adl_prefetch_wait(struct adl_prefetch *p);

#endif
