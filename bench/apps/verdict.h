/* verdict.h - the first error of a rank, on which all ranks then agree
 *
 * A rank that meets an error notes it and goes on taking part in collective
 * calls; the ranks agree at the end of a phase. So no rank is left waiting, and
 * the exit status is the same everywhere.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef APPS_VERDICT_H
#define APPS_VERDICT_H

#include <mpi.h>

/* Exit statuses of every proxy. */
enum { APP_OK = 0, APP_FAILED = 1, APP_USAGE = 2, APP_WRONG = 3 };

struct verdict {
    int code;
    char text[1024];
};

/* Note an error, if it is the first one. The text is as for printf. */
void verdict_set(struct verdict *v, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note the MPI error `rc` (MPI_SUCCESS: nothing) of `what` on a file. */
void verdict_mpi(struct verdict *v, int rc, const char *what, const char *file);

/* Collective. All ranks get the code and the text of the lowest rank with an
 * error; the text begins with the number of that rank. Returns the code. */
int verdict_agree(struct verdict *v, MPI_Comm comm);

#endif
