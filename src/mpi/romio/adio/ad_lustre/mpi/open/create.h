/* create.h - rank 0's part of an open: the file and its layout */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CREATE_H
#define ADL_CREATE_H

#include "../file/file.h"

/* Local, rank 0. Create the file with the layout that f->hints ask for, or open
 * it; the descriptor is left in fd->fd_sys. Fill in f->layout, f->on_lustre,
 * f->end and the striping hints. If the file system refuses the layout, that is
 * noted and is no error. 0 or -errno. */
int adl_create_open(ADIO_File fd, struct adl_file *f, int amode);

#endif
