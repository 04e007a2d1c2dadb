/* sharing.h - the ranks of a node map one shared segment
 *
 * The node's first rank creates shared memory (sys/shmem.h) and sends its card
 * to the other ranks. If the system does not allow that, a shared window of MPI
 * is used. MPICH takes tens of milliseconds to make such a window, longer than
 * many files take to write.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SHARING_H
#define ADL_SHARING_H

#include "adio.h"

#include "../../node/segment.h"
#include "../file/team.h"

/* Collective over the ranks of a node; with `win` not NULL collective over
 * `comm`, and the segment is in a window of MPI, *win. `rc`: 0, or the error
 * for which this rank cannot take part. Returns 0 or -errno of this rank alone:
 * all ranks must agree on it before one of them uses the segment. They then
 * call adl_segment_shared or, if a rank has failed, adl_sharing_end. -ENOTSUP:
 * the system has no such memory; a window of MPI may work. */
int adl_sharing_begin(struct adl_team *team, MPI_Comm comm,
                      const struct adl_segment_shape *shape, int rc,
                      MPI_Win *win, struct adl_segment **out);
/* Free the segment. Collective over the node if it is in a window of MPI; local
 * if *win is MPI_WIN_NULL. Accepts NULL for a segment. */
void adl_sharing_end(struct adl_segment *seg, MPI_Win *win);

#endif
