/* hintspec.h - per-file hints as written in MPICH_MPIIO_HINTS
 *
 *   pattern:key=value:key=value,pattern2:key=value
 *
 * - pattern: see glob.h. It is tried on the name given to MPI_File_open and on
 *   the name's last component, each with and without a file system prefix
 *   (lustre:, ufs:); a pattern may carry such a prefix too
 *   (lustre:/scratch/x*). A ':' in it is written \:. The backslash may be left
 *   out where no hint can follow: before a digit, or before a text that has one
 *   of . / * ? [ and no '=': history_15:00:00.nc:striping_factor=8.
 * - value: ends at the next ':' or ','. A value that contains one of them is
 *   wrapped in #...#. `\` makes the next character literal (not inside #...#).
 * - blanks and line breaks around ':' ',' '=' are ignored, as are empty pairs,
 *   empty specs, a trailing ':' or ',', a missing '#' at the very end, and a
 *   pair of quotes around the whole text.
 * - every spec that matches applies; per key the first one wins.
 * A broken part is named in a note and skipped; the rest applies.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_HINTSPEC_H
#define ADL_HINTSPEC_H

#include "../text/notes.h"

struct adl_hintspec;

/* Parse `text`; `source` (the variable's name) begins every note. 0 or
 * -ENOMEM: broken syntax is no error. The caller destroys *out. */
int adl_hintspec_parse(const char *text, const char *source,
                       struct adl_notes *notes, struct adl_hintspec **out);

/* The same for the content of a hints file: one spec (or several) a line, a
 * line that starts with '#' is a comment, `\` at the end of a line joins it
 * with the next one. Notes name the line. */
int adl_hintspec_parse_lines(const char *content, const char *source,
                             struct adl_notes *notes,
                             struct adl_hintspec **out);

/* Accepts NULL. */
void adl_hintspec_destroy(struct adl_hintspec *spec);

/* Call fn for every pair that holds for `file`, in the order written, each key
 * once. spec may be NULL (nothing was set). */
typedef void adl_hintspec_fn(void *arg, const char *key, const char *value);
void adl_hintspec_match(const struct adl_hintspec *spec, const char *file,
                        adl_hintspec_fn *fn, void *arg);

#endif
