/* rw.h - whole reads and writes: no short counts, no EINTR, any length
 *
 * Two threads must not use a descriptor with O_DIRECT at the same time. After a
 * short transfer that ended inside a block the rest goes through the page
 * cache: O_DIRECT is taken off the descriptor until it is done.
 *
 * A descriptor under LOCKNOEXPAND cannot transfer data on an MDT (EOPNOTSUPP).
 * Such data are transferred through a second descriptor of the same file.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RW_H
#define ADL_RW_H

#include <stddef.h>
#include <stdint.h>

/* Read `len` bytes at `offset`. Stops early only at end of file or error.
 * *done is what arrived, also on error. Returns 0 or -errno. */
int adl_rw_read(int fd, void *buf, size_t len, int64_t offset, size_t *done);

/* Write `len` bytes at `offset`. Returns 0 (everything written) or -errno;
 * *done is what was written, also on error. */
int adl_rw_write(int fd, const void *buf, size_t len, int64_t offset,
                 size_t *done);

/* Write `len` bytes at the descriptor's position, to a terminal, a pipe or the
 * end of a file; in one system call unless it is cut short. 0 or -errno. */
int adl_rw_put(int fd, const void *buf, size_t len);

#endif
