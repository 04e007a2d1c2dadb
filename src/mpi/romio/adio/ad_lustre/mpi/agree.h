/* agree.h - what all ranks of a collective call must know, and nothing more
 *
 * Two small reductions a call. The first makes the decision (aggregate or not,
 * where the access starts, how fine the coverage must be) and is the point
 * after which every rank's published position is valid. The second makes the
 * error the same everywhere. Neither grows with the number of ranks.
 *
 * The ranks of a node meet in the node's shared memory: each leaves its claim
 * at its seat and sleeps; the last one to come merges them and wakes the
 * others. With several nodes the node's leader then does one MPI_Allreduce
 * with the other leaders. Sleeping costs no core, polling for a reduction
 * among more ranks than cores costs a scheduling quantum a step.
 */
#ifndef ADL_AGREE_H
#define ADL_AGREE_H

#include <stdint.h>

#include <mpi.h>

#include "../core/claim.h"
#include "segment.h"

struct adl_agree;

/* Collective over `comm`, whose ranks on this node share `seg`. */
int adl_agree_create(MPI_Comm comm, int nnodes, struct adl_segment *seg,
                     struct adl_agree **out);
/* Collective over the node leaders. Accepts NULL. */
void adl_agree_destroy(struct adl_agree *agree);

/* Local. Leave a claim; one at a time. */
void adl_agree_begin(struct adl_agree *agree, const struct adl_claim *mine);
/* Local. 1 and everybody's claim, or 0: not all have come. */
int adl_agree_test(struct adl_agree *agree, struct adl_claim *all);
/* Collective. Begin, and wait; MPI makes progress meanwhile. */
void adl_agree_on(struct adl_agree *agree, struct adl_claim *claim);
/* Collective. The worst error of all ranks. */
int adl_agree_error(struct adl_agree *agree, int rc);

/* Collective over comm, by MPI alone: while an engine is being made. */
int adl_agree_plain(MPI_Comm comm, int rc);

#endif
