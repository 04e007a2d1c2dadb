/* frontier.h - how far all nodes have come in a call
 *
 * An aggregator that has not got every byte of a window must learn that nobody
 * has more. Every rank publishes the offset before which all its bytes are
 * settled (taken by an aggregator, or come from it); the nodes' leaders reduce
 * the lowest, again and again, until it is the end. Reading windows of which
 * only parts are wanted, they reduce likewise the offset before which all have
 * said what they want. That is all: no message from every node to every
 * aggregator. A call that is known to give each byte once needs no round.
 *
 * A leader enters a round when its node has come a good way further (`step`),
 * when it has ended, or when nothing has moved for a while, so that nobody
 * waits for ever: the rank with the lowest position of all is always let in,
 * since what lies below it is known to be settled.
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
    int64_t mine[2];  /* settled, wished: of the node, in the round */
    int64_t known[2]; /* the last result */
    int64_t since;    /* when something moved, ns */
    int64_t last[2];  /* what was seen then */
    int reducing;
    int64_t rounds; /* so far, for the report */
};

/* Local, leaders only. A new call. */
void adl_frontier_begin(struct adl_frontier *f, const struct adl_terms *terms);
/* Local, leaders only. 1: all nodes have ended. */
int adl_frontier_step(struct adl_frontier *f);

#endif
