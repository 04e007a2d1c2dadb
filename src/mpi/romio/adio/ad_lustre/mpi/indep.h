/* indep.h - independent contiguous I/O */
#ifndef ADL_INDEP_H
#define ADL_INDEP_H

#include "adio.h"

/* Local. Read or write `len` bytes at file offset `offset`. *done is what was
 * moved, also on error; a read stops early at end of file. 0 or -errno. */
int adl_indep_read(ADIO_File fd, void *buf, MPI_Count len, ADIO_Offset offset,
                   MPI_Count *done);
int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done);

#endif
