/* broadcast.h - what rank 0 sends to all ranks at open, in one broadcast
 *
 *   | head | hints (packed) | layout (xattr) | aggregators: ranks, nodes |
 *   | nodes, if the team is new (team.h) |
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_BROADCAST_H
#define ADL_BROADCAST_H

#include "../file/file.h"

/* Results of rank 0 that are not in struct adl_file. */
struct adl_verdict {
    int rc;          /* -errno of the create or open */
    int64_t end;     /* the file's size, for MPI_MODE_APPEND */
    uint64_t digest; /* of rank 0's MPI_Info */
    int pointer;     /* number of the shared file pointer's file, pointer.h */
};

/* Collective. Send rank 0's `f` (hints, env, layout, aggs), verdict and map to
 * all ranks, and set each rank's place in them. After a verdict with rc < 0
 * nothing else is filled in. 0 or -errno (own: malloc failed, never on rank 0).
 */
int adl_broadcast_bcast(struct adl_file *f, struct adl_verdict *verdict);

#endif
