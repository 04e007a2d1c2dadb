/* kinds.h - messages between nodes, by phase and by what they are for
 *
 * The kind of a message inside a collective call of MPI is the name of that
 * call. The kind of any other message follows from its tag, as the driver gives
 * them (mpi/file/tags.h). ROMIO's own drivers use the tags otherwise: all
 * messages of such a driver are of one kind.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_KINDS_H
#define SIMULATE_KINDS_H

#include <stdint.h>
#include <stdio.h>

/* Call it before the run. by_tag: the driver is ours. */
void kinds_start(int ranks, int by_tag);

/* collective: the call's name, or NULL. */
void kinds_count(int rank, const char *collective, int tag, int64_t bytes);

/* The messages of this rank since its last phase were those of phase `name`,
 * which stays the caller's. A rank may begin a phase while others are still in
 * the barrier before it, so each rank ends its own. */
void kinds_end_phase(int rank, const char *name);

/* Print a line for each phase that had messages: "  open: KIND=MESSAGES/BYTES
 * ...", the most frequent kind first. Those of no phase come last, as "end". */
void kinds_print(FILE *to);

#endif
