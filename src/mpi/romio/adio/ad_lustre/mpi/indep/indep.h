/* indep.h - I/O of one rank on its own */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_INDEP_H
#define ADL_INDEP_H

#include "../file/access.h"

/* Local. Read or write `len` bytes at file offset `offset`. *done is what was
 * moved, also on error; a read stops early at end of file. 0 or -errno. */
int adl_indep_read(ADIO_File fd, void *buf, MPI_Count len, ADIO_Offset offset,
                   MPI_Count *done);
int adl_indep_write(ADIO_File fd, const void *buf, MPI_Count len,
                    ADIO_Offset offset, MPI_Count *done);

/* Local. Write the pieces of an access, opening the file if this rank has not
 * done so yet. Neighbouring pieces go out together; bytes between pieces are
 * not touched unless romio_ds_write=enable asks for
 * read-modify-write. 0 or -errno. */
int adl_indep_write_access(ADIO_File fd, struct adl_access *acc);

/* Local. Read the pieces of an access. Gaps between pieces are read through a
 * buffer of ind_rd_buffer_size where that is worth it, unless
 * romio_ds_read=disable. *bytes is what came.
 * 0 or -errno. */
int adl_indep_read_access(ADIO_File fd, struct adl_access *acc, int64_t *bytes);

#endif
