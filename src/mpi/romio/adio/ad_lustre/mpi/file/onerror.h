/* onerror.h - a failed call also prints a line, or ends the job
 *
 * Files return error codes by default, and many programs do not look at them.
 * The hint romio_lustre_on_error says whether a failed call prints a line, or
 * ends the job. One line for each kind of call (open, read, write, sync,
 * set_size, close) on a file: the rank where a collective call failed prints
 * it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ONERROR_H
#define ADL_ONERROR_H

#include "file.h"

/* values of the hint romio_lustre_on_error */
enum adl_on_error {
    ADL_ONERROR_RETURN,
    ADL_ONERROR_REPORT,
    ADL_ONERROR_ABORT,
    ADL_ONERROR_AUTOMATIC
};

/* Local. The entry point `where` failed on `fd`; `words` say why (failure.h).
 * `rank` is where the call failed, in the file's communicator; -1: not known,
 * rank 0 prints the line. */
void adl_onerror(ADIO_File fd, const char *where, const char *words, int rank);

#endif
