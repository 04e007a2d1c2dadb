/* nonblock.h - collective calls that return at once
 *
 * The same exchange, stepped as a task of the process (progress.h); the
 * aggregators' file I/O goes on in between. Calls on one file are done one
 * after the other, in the order in which they were made.
 */
#ifndef ADL_NONBLOCK_H
#define ADL_NONBLOCK_H

#include "access.h"

/* Collective in order, but waits for nobody. Takes over what `acc` refers to
 * (also on error). The request completes like any other. 0 or -errno. */
int adl_nonblock_write(ADIO_File fd, struct adl_access *acc,
                       MPI_Request *request);
int adl_nonblock_read(ADIO_File fd, struct adl_access *acc,
                      MPI_Request *request);

/* Local. Finish all calls of the file that are under way: before a blocking
 * one, which comes after them. */
struct adl_file;
void adl_nonblock_drain(struct adl_file *f);

#endif
