/* ingest.h - files and directories into a study
 *
 * The kind of a file is recognised by its content. Directories are searched
 * with their subdirectories; unknown files there are skipped. A file that the
 * user names must be of a known kind.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_INGEST_H
#define LP_INGEST_H

#include "study.h"

/* Read one path. A problem is printed on the error output and marks the study
 * as partial. -ENOMEM, else 0. */
int lp_ingest(struct lp_study *s, const char *path);
/* To be called after the last path. */
void lp_ingest_finish(struct lp_study *s);

#endif
