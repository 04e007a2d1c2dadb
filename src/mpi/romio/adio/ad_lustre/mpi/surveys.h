/* surveys.h - the surveys that a job has made
 *
 * Programs open file after file on the same communicator, and splitting it
 * takes longer than all the rest of an open.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SURVEYS_H
#define ADL_SURVEYS_H

#include "survey.h"

/* Collective. The survey of the ranks of `comm`, from the job's store or new.
 * It belongs to the job. */
struct adl_survey *adl_surveys_get(MPI_Comm comm);

#endif
