/* agree.h - what all ranks of a collective call must know, and nothing more
 *
 * Two small reductions a call. The first (core/coll/claim.h) makes the
 * decision: aggregate or not, where the access starts, how fine the coverage
 * must be. It is the point after which every rank's published position is
 * valid. The second (core/coll/outcome.h) makes the error the same everywhere.
 * Neither grows with the number of ranks.
 *
 * The ranks of a node meet in the node's shared memory: each leaves its words
 * at its seat and sleeps; the last one to come merges them and wakes the
 * others. With several nodes the node's leader then reduces them with the other
 * leaders (reduce.h). Sleeping costs no core, polling for a reduction among
 * more ranks than cores costs a scheduling quantum a step.
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

enum adl_agree_kind { ADL_AGREE_START, ADL_AGREE_END, ADL_AGREE_KINDS };

/* Local. `leaders`: of the nodes' first ranks; NULL: one node, or not a
 * leader. It must outlive the agreement. 0 or -ENOMEM. */
int adl_agree_create(struct adl_segment *seg, int nnodes,
                     struct adl_reduce *leaders, struct adl_agree **out);
void adl_agree_destroy(struct adl_agree *agree); /* accepts NULL */

/* Local. Leave one's words; one agreement at a time. */
void adl_agree_begin(struct adl_agree *agree, enum adl_agree_kind kind,
                     const union adl_words *mine);
/* Local. 1 and the words of all ranks merged, or 0: not all have come. */
int adl_agree_test(struct adl_agree *agree, union adl_words *all);
/* Local. The bell that announces what this rank waits for, as it was before the
 * last look; NULL: it waits for MPI. */
struct adl_bell *adl_agree_bell(struct adl_agree *agree, uint32_t *seen);

/* Local. What an agreement under way waits for: which ranks of this node, which
 * leaders of others. */
void adl_agree_describe(const struct adl_agree *agree, struct adl_strbuf *sb);

/* Collective over comm, by MPI alone: while an engine is being made. */
int adl_agree_plain(MPI_Comm comm, int rc);

#endif
