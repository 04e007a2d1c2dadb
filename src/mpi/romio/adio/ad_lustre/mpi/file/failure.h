/* failure.h - where an error came from, for its text
 *
 * The function that makes a system call knows what failed and where; the entry
 * point that makes MPI's error code does not. The first leaves a note on the
 * file, the second takes it. The ranks of a collective call learn the note of
 * the lowest rank that has one, so that all ranks can name the place.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FAILURE_H
#define ADL_FAILURE_H

#include <stdint.h>

#include "file.h"

/* Local. Note that `call` failed with `rc` (< 0; else nothing is noted). A
 * note that gives an offset is not replaced by one that gives none. Any thread
 * may do so, before its work is known to be done. Returns rc. */
int adl_failure_note(struct adl_file *f, const char *call, int64_t offset,
                     int rc);

/* Local. The same for system calls that read or write. If the hint
 * abort_on_rw_error (MPICH_MPIIO_ABORT_ON_RW_ERROR) is enable, an error prints
 * a line and aborts the job. Returns rc. */
int adl_failure_rw(struct adl_file *f, const char *call, int64_t offset,
                   int rc);

/* Collective; all ranks have the same `rc`. Send the note of the lowest rank
 * that has one to all ranks. Returns rc. */
int adl_failure_share(struct adl_file *f, int rc);

/* Local. Print that this rank cannot do `what` with `name`, and abort the job,
 * as ROMIO does when its own malloc fails. For memory without which other ranks
 * would wait for ever: the state of a file or of a nonblocking call, or a
 * received message. */
_Noreturn void adl_failure_cannot(const char *name, const char *what, int rc);

#endif
