/* survey.h - which ranks run on which node
 *
 * Found once for a group of ranks and kept for the job: programs open file
 * after file on the same communicator, and splitting it takes longer than all
 * the rest of an open.
 *
 * No rank but 0 ever has an array with an entry a rank: a node's leader knows
 * its own node's ranks, rank 0 the nodes as runs of ranks (core/nodemap).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SURVEY_H
#define ADL_SURVEY_H

#include <mpi.h>

#include "../core/nodemap.h"

struct adl_survey {
    MPI_Group group;         /* whose survey it is */
    MPI_Comm node;           /* ranks of this node, in order */
    int index;               /* of this node */
    int count;               /* of nodes */
    int rc;                  /* rank 0: -errno, there is no map */
    struct adl_nodemap *map; /* rank 0 only */
    long used;               /* for the oldest to go */
};

/* Collective. A survey of the ranks of `comm`; takes over `group`, theirs. */
struct adl_survey *adl_survey_make(MPI_Comm comm, MPI_Group group);

/* Local. Accepts NULL. */
void adl_survey_destroy(struct adl_survey *s);

#endif
