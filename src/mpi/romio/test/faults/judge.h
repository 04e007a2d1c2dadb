/* judge.h - whether a case went as it has to */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef FAULTS_JUDGE_H
#define FAULTS_JUDGE_H

#include "play.h"

/* seen[ranks] of all ranks. NULL: all is well, else what is not. */
const char *judge_case(const struct fault_case *c, const struct seen *seen,
                       int ranks, long file_wrong);

#endif
