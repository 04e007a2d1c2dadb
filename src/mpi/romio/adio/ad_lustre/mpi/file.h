/* file.h - the state of an open file */
#ifndef ADL_FILE_H
#define ADL_FILE_H

#include "adio.h"

/* Collective. Make what this rank wrote durable (MPI_File_sync); the error
 * is the same on all ranks. Returns 0 or -errno. */
int adl_file_sync(ADIO_File fd);

#endif
