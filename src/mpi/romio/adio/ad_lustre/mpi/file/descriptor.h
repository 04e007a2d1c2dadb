/* descriptor.h - one rank's descriptors of a file
 *
 * Rank 0 and the aggregators open a file when it is opened, others when they
 * need it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_DESCRIPTOR_H
#define ADL_DESCRIPTOR_H

#include "file.h"

/* Local. open(2)'s flags for an access mode of MPI's. */
int adl_descriptor_flags(int amode);

/* Local. Open a file that exists, as fd->access_mode says. The file pointers do
 * not change. 0 or -errno. */
int adl_descriptor_open(ADIO_File fd);
/* Local. Open the descriptor for direct I/O, if the hints ask for it. */
void adl_descriptor_direct(ADIO_File fd, int flags);
/* Local. Will the driver have to read a file that the program only writes? */
int adl_descriptor_reads_soon(const struct adl_file *f);

/* Local. Before I/O: open the file if this rank has no descriptor yet. With
 * `for_reading` (read-modify-write of a file opened with MPI_MODE_WRONLY) the
 * descriptor can be read afterwards. 0 or -errno. */
int adl_descriptor_ready(ADIO_File fd, int for_reading);

/* Local. Open the file again under the same descriptor number. The kernel then
 * drops the locks and flags of the old descriptor. 0 or -errno. */
int adl_descriptor_renew(ADIO_File fd);

#endif
