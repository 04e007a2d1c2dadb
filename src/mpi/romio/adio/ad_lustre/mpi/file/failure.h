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

/* Local. Note the error on which the ranks of a collective call have agreed. */
void adl_failure_agreed(struct adl_file *f, int rc, int rank, int64_t offset);

/* Collective, where all ranks have the same `rc`. Returns rc. */
int adl_failure_share(struct adl_file *f, int rc);

/* Local. The text for `rc`, with the note if it is about the same error; the
 * note is then removed. `f` may be NULL. */
void adl_failure_words(struct adl_file *f, const char *file, int rc, char *buf,
                       int size);

#endif
