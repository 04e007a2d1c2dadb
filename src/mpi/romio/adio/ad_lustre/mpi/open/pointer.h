/* pointer.h - the name of the file that holds the shared file pointer
 *
 * ROMIO keeps the shared file pointer in a hidden file beside the user's. At
 * the end of MPI_File_open rank 0 makes up a name for it and sends it to all
 * ranks in two broadcasts. Here rank 0 makes up a number before its own
 * broadcast (broadcast.h), and every rank forms the name from that.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_POINTER_H
#define ADL_POINTER_H

#include "../file/file.h"

/* Local, rank 0. A number for the name; 0: ROMIO names the file, because it
 * needs the shared file pointer in the open itself. */
int adl_pointer_number(const struct adl_file *f, int amode);

/* Local. Form the name, unless `number` is 0. 0 or -ENAMETOOLONG. */
int adl_pointer_name(ADIO_File fd, int number);
/* Local. Forget it: the open has failed. */
void adl_pointer_forget(ADIO_File fd);

/* Local. Is ROMIO to leave the name as it is? Only in the open that formed it.
 */
int adl_pointer_is_named(ADIO_File fd);

#endif
