/* frontier.h - how far all nodes have come in a call
 *
 * An aggregator that has not received every byte of a window must learn that no
 * rank has more bytes for it. Every rank publishes the offset before which all
 * its bytes are settled: taken by an aggregator (writing) or received from it
 * (reading). The leaders of the nodes reduce these offsets to the lowest one,
 * again and again, until it is the end. In a read that wants only parts of the
 * windows they reduce in the same way the offset before which all ranks have
 * sent their requests. No node sends a message to every aggregator. A call that
 * is known to cover each byte once needs no such round.
 *
 * A leader enters a round when its node has advanced by `step`, when its node
 * has ended, or when nothing has moved for a while. So no rank waits for ever:
 * the rank with the lowest position of all can always go on, since all bytes
 * below that position are known to be settled.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FRONTIER_H
#define ADL_FRONTIER_H

#include "../../core/coll/terms.h"
#include "../../node/pool.h"
#include "reduce.h"
#include "../../node/segment.h"

struct adl_frontier {
    struct adl_segment *seg;
    struct adl_pool *pool;
    struct adl_reduce leaders;
    int64_t step;
    const struct adl_terms *terms;
    /* the node's settled and asked offsets, as given to this round */
    int64_t mine[2];
    int64_t known[2]; /* the last round's result */
    int64_t since;    /* when an offset last moved, ns */
    int64_t last[2];  /* the offsets at that time */
    int reducing;
    int64_t rounds; /* so far, for the report */
};

/* Local, leaders only. Prepare for a new call. */
void adl_frontier_begin(struct adl_frontier *f, const struct adl_terms *terms);
/* Local, leaders only. 1: all nodes have ended. */
int adl_frontier_step(struct adl_frontier *f);

#endif
