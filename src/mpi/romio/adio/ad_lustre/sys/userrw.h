/* userrw.h - reads and writes of a file with the user's memory
 *
 * The system cannot access device memory: its bytes go through a buffer of the
 * driver. All other memory is used directly (sys/rw.h).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_USERRW_H
#define ADL_USERRW_H

#include <stddef.h>
#include <stdint.h>

/* As adl_rw_read and adl_rw_write. A copy from or to a device that fails gives
 * -EIO. Device memory must be held by the call (sys/mem.h). */
int adl_userrw_read(int fd, void *user, int64_t len, int64_t off, size_t *done);
int adl_userrw_write(int fd, const void *user, int64_t len, int64_t off,
                     size_t *done);

#endif
