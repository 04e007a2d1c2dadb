/* open.h - opening and closing a file */
#ifndef ADL_OPEN_H
#define ADL_OPEN_H

#include "adio.h"

/* Local. Open fd->filename as fd->access_mode says. 0 or -errno. */
int adl_open_fd(ADIO_File fd);

/* Local. Close what adl_open_fd opened. 0 or -errno. */
int adl_open_close(ADIO_File fd);

#endif
