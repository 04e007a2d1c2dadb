/* agree.h - what all ranks of a collective call must know, and nothing more
 *
 * Two small reductions a call. The first makes the decision (aggregate or not,
 * where the access starts, how fine the coverage must be) and is the point
 * after which every rank's published position is valid. The second makes the
 * error the same everywhere. Neither grows with the number of ranks.
 */
#ifndef ADL_AGREE_H
#define ADL_AGREE_H

#include <stdint.h>

#include <mpi.h>

/* One rank's view of its request; after the reduction, everybody's. */
struct adl_claim {
    int64_t start, end;  /* span of file offsets; start > end: nothing */
    int64_t edge;        /* largest end over the ranks before and mine */
    int64_t bytes;       /* sum */
    int64_t pieces;      /* sum */
    int64_t most, least; /* bytes of the largest and smallest request */
    int64_t bits;        /* OR of all offsets and lengths */
    int32_t error;       /* 0 or the worst -errno */
    int32_t flags;       /* ADL_CLAIM_*, OR */
};

#define ADL_CLAIM_INTERLEAVED 1 /* set by the reduction: spans overlap */
#define ADL_CLAIM_NONCONTIG 2   /* more than one piece in the file */

struct adl_agree; /* the reduction's operation and type */

/* Local. 0 or -errno. */
int adl_agree_create(struct adl_agree **out);
void adl_agree_destroy(struct adl_agree *agree); /* accepts NULL */

/* Collective over comm. Start: reduces in rank order, so that interleaving is
 * exact for neighbours: a rank that starts before an earlier one ended. */
int adl_agree_start(struct adl_agree *agree, MPI_Comm comm,
                    struct adl_claim *claim);
/* Nonblocking form: *all is the result when *request completes. */
int adl_agree_istart(struct adl_agree *agree, MPI_Comm comm,
                     const struct adl_claim *mine, struct adl_claim *all,
                     MPI_Request *request);

/* Collective over comm. The worst error of all ranks. */
int adl_agree_end(MPI_Comm comm, int rc);

#endif
