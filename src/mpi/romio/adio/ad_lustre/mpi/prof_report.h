/* prof_report.h - gather the counters of a file and tell the user */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PROF_REPORT_H
#define ADL_PROF_REPORT_H

#include "prof.h"

/* Collective over f->comm. Reduce, print, write the
 * report's files; frees f->prof. */
void adl_prof_report(struct adl_file *f);

/* Local. Remember an open file, for MPI_Finalize. */
void adl_prof_enlist(struct adl_prof *p);

#endif
