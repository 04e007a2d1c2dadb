/* sharing.h - the ranks of a node get a segment that all of them have
 *
 * Memory of our own, whose card the node's first rank tells the others. A
 * window of MPI does the same, but MPICH needs tens of milliseconds to make
 * one, more than many a file takes to write: it is for systems on which that
 * memory cannot be opened.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SHARING_H
#define ADL_SHARING_H

#include "adio.h"

#include "../../node/segment.h"
#include "../file/team.h"

/* Collective over the ranks of a node, which are told once; for a window of MPI
 * (`win` not NULL, it is put there) over all, `comm`. `rc`: why this rank can
 * use none, or 0. 0 or -errno, of this rank alone: all ranks have to agree
 * before one of them uses it, then call adl_segment_shared or, if one has
 * failed, adl_sharing_end. -ENOTSUP: the system has no shared memory; a window
 * of MPI may work. */
int adl_sharing_begin(struct adl_team *team, MPI_Comm comm,
                      const struct adl_segment_shape *shape, int rc,
                      MPI_Win *win, struct adl_segment **out);
/* Local; collective over the node where it is in a window of MPI, else
 * MPI_WIN_NULL. Accepts NULL for a segment. */
void adl_sharing_end(struct adl_segment *seg, MPI_Win *win);

#endif
