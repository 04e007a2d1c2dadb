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

/* Local. Open a file that exists, as fd->access_mode says; file pointers stay
 * as they are. 0 or -errno. */
int adl_descriptor_open(ADIO_File fd);
/* Local. The one for direct I/O, where hints ask for it. */
void adl_descriptor_direct(ADIO_File fd, int flags);
/* Local. Will a file opened for writing have to be read? */
int adl_descriptor_reads_soon(const struct adl_file *f);

/* Local. Before I/O: see that there is a descriptor and, for read-modify-write
 * of a file opened MPI_MODE_WRONLY, that it can be read. 0 or -errno. */
int adl_descriptor_ready(ADIO_File fd, int for_reading);

/* Local. Open the file again under the same descriptor, which gives back
 * whatever the kernel had hung on the old one. 0 or -errno. */
int adl_descriptor_renew(ADIO_File fd);

#endif
