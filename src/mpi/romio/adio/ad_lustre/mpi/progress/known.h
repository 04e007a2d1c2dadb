/* known.h - results of ROMIO's reductions that the ranks know already
 *
 * ROMIO's MPI_File_open reduces one word after the other: whether amode is the
 * same on all ranks, whether all ranks have read the system's hints, whether
 * the open failed on a rank. The driver reduces the first two together with its
 * own words (open/early.h), and its own last agreement has the third result.
 * The functions here hand these results to the front/ functions that take the
 * place of ROMIO's MPI_Allreduce, so that no message is sent.
 *
 * All of it holds for one communicator, inside the call of ROMIO in which it
 * was noted (sys/section.h), and for the thread of that call.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_KNOWN_H
#define ADL_KNOWN_H

#include "adio.h"

/* adl_known_note_amode: local. Leave the comparison of amode to the first
 * agreement of the open. adl_known_amode: local. Return 1 if that is still to
 * be done in this call; *amode is this rank's. */
void adl_known_note_amode(MPI_Comm comm, int amode);
int adl_known_amode(MPI_Comm comm, int *amode);

/* adl_known_note: local, but on all ranks. The next reduction of one int by
 * `op` returns `value`. adl_known_take: local. Return 1 if this reduction's
 * result was noted; it counts once. */
void adl_known_note(MPI_Comm comm, MPI_Op op, int value);
int adl_known_take(MPI_Comm comm, int n, MPI_Datatype type, MPI_Op op,
                   int *value);

/* adl_known_note_met: local. A reduction of all ranks of `comm` has ended: all
 * of them are in this call. adl_known_met: local. Was that noted? */
void adl_known_note_met(MPI_Comm comm);
int adl_known_met(MPI_Comm comm);

#endif
