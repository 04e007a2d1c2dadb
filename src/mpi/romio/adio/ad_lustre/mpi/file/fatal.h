/* fatal.h - end the job at the first failed system read or write, if asked */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FATAL_H
#define ADL_FATAL_H

#include "file.h"

/* Local. `rc` is the result of system calls. If it is an error and the hint
 * abort_on_rw_error (MPICH_MPIIO_ABORT_ON_RW_ERROR) is enable, print a line and
 * abort. Else note it (failure.h) and return it. */
int adl_fatal(struct adl_file *f, const char *what, int rc);

/* Local. `call` failed, its line is printed, and romio_lustre_on_error is
 * abort: end the job. */
_Noreturn void adl_fatal_asked(struct adl_file *f, const char *call);

/* Local. malloc failed for the state of a file: print a line and abort, as
 * ROMIO does when its own malloc fails. */
_Noreturn void adl_fatal_open(ADIO_File fd, int rc);
/* Local. The same if malloc failed for the state of a nonblocking call: the
 * other ranks wait for this rank's part of it. */
_Noreturn void adl_fatal_call(ADIO_File fd, int rc);
/* Local. The same if malloc failed for a received message that must be kept:
 * its sender will not send it again. */
_Noreturn void adl_fatal_message(int rc);

#endif
