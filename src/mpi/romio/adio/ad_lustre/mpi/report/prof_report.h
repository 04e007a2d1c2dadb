/* prof_report.h - gathers the counters of a file and prints the reports */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_PROF_REPORT_H
#define ADL_PROF_REPORT_H

#include "../../core/nodes/nodemap.h"
#include "account.h"

/* Local, on all ranks, at the end of a successful open of `fd` that began at
 * `began`. map: on rank 0. The report is written when the file is closed, or at
 * MPI_Finalize. If only MPI_T asks for the counters, there is no report. */
void adl_prof_begin(ADIO_File fd, const struct adl_nodemap *map, int64_t began);

#endif
