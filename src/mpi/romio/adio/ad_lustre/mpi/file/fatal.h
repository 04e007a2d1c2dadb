/* fatal.h - end the job at the first failed system read or write, if asked */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FATAL_H
#define ADL_FATAL_H

#include "file.h"

/* Local. `rc` is what came of system calls. Where the hint abort_on_rw_error
 * (MPICH_MPIIO_ABORT_ON_RW_ERROR) is enable and it is an error, say so and
 * abort; else note it (failure.h) and return it. */
int adl_fatal(struct adl_file *f, const char *what, int rc);

/* Local. `call` failed, which was told, and romio_lustre_on_error is abort. */
_Noreturn void adl_fatal_asked(struct adl_file *f, const char *call);

/* Local. There is no memory even for the state of a file: say so and abort, as
 * ROMIO does when it has none for its own. */
_Noreturn void adl_fatal_open(ADIO_File fd, int rc);
/* Local. The same where there is none even for the state of a nonblocking call:
 * the other ranks wait for this one's part in it. */
_Noreturn void adl_fatal_call(ADIO_File fd, int rc);
/* Local. The same for a message that must be kept until its turn comes: its
 * sender counts as through with it. */
_Noreturn void adl_fatal_message(int rc);

#endif
