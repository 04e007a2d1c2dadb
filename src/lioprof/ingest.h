/* ingest.h - files and directories into a study
 *
 * What a file is is told by its content. A directory is searched, also below;
 * what is none of ours there is left alone, a file that was named must be one.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_INGEST_H
#define LP_INGEST_H

#include "study.h"

/* Read one path; problems are said on the error output and mark the study
 * partial. -ENOMEM, else 0. */
int lp_ingest(struct lp_study *s, const char *path);
/* After the last one. */
void lp_ingest_finish(struct lp_study *s);

#endif
