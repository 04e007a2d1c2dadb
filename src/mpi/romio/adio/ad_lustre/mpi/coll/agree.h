/* agree.h - small reductions among all ranks: in calls, opens and closes
 *
 * The start agreement (core/coll/claim.h) decides whether the call goes through
 * the aggregators, where the access starts and how fine the coverage must be.
 * After it every rank's published position is valid. The end agreement
 * (core/coll/outcome.h) makes the error the same on all ranks. The size of
 * neither depends on the number of ranks.
 *
 * The ranks of a node meet in the node's shared memory: each leaves its words
 * at its seat and sleeps; the last one to come merges them and wakes the
 * others. With several nodes the node's leader then reduces them with the other
 * leaders (reduce.h). A rank that sleeps uses no core. If there are more ranks
 * than cores, each step of a reduction that polls would cost a time slice of
 * the scheduler.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_AGREE_H
#define ADL_AGREE_H

#include <stdint.h>

#include "adio.h"

#include "reduce.h"
#include "../../core/text/strbuf.h"
#include "../../node/segment.h"

struct adl_agree;

enum adl_agree_kind {
    ADL_AGREE_START,
    ADL_AGREE_END,
    ADL_AGREE_LEAST, /* adl_words.least */
    ADL_AGREE_KINDS
};

/* Local. `leaders`: the reduction among the nodes' first ranks, which must
 * outlive the agreement; NULL on one node, and on ranks that are no leader. 0
 * or -ENOMEM. */
int adl_agree_create(struct adl_segment *seg, int nnodes,
                     struct adl_reduce *leaders, struct adl_agree **out);
void adl_agree_destroy(struct adl_agree *agree); /* accepts NULL */

/* Local. Begin an agreement with this rank's words. One agreement at a time. */
void adl_agree_begin(struct adl_agree *agree, enum adl_agree_kind kind,
                     const union adl_words *mine);
/* Local. 1: *all has the merged words of all ranks. 0: some rank has not begun
 * the agreement yet. */
int adl_agree_test(struct adl_agree *agree, union adl_words *all);
/* Local. Changes when the running agreement has come a step further: the other
 * leaders then answer soon. */
int adl_agree_steps(const struct adl_agree *agree);
/* Local. The bell that announces what this rank waits for, as it was before the
 * last look; NULL: it waits for MPI. */
struct adl_bell *adl_agree_bell(struct adl_agree *agree, uint32_t *seen);

/* Local. Append what the running agreement waits for: ranks of this node, and
 * leaders of other nodes. */
void adl_agree_describe(const struct adl_agree *agree, struct adl_strbuf *sb);

/* Collective over comm. The worst of all ranks' rc, by MPI_Allreduce: for use
 * while the engine does not exist yet. */
int adl_agree_plain(MPI_Comm comm, int rc);

#endif
