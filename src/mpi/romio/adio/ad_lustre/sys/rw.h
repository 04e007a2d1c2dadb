/* rw.h - whole reads and writes: no short counts, no EINTR, any length
 *
 * A descriptor with O_DIRECT must not be used by two threads at a time: what
 * follows a short transfer that ended inside a block goes through the page
 * cache, and the descriptor is without O_DIRECT meanwhile.
 *
 * What a descriptor under LOCKNOEXPAND refuses to write (EOPNOTSUPP: bytes on
 * an MDT) is written through another one of the same file, opened for it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_RW_H
#define ADL_RW_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Read `len` bytes at `offset`. Stops early only at end of file or error.
 * *done is what arrived, also on error. Returns 0 or -errno. */
int adl_rw_read(int fd, void *buf, size_t len, int64_t offset, size_t *done);

/* The same into the `n` (at most 1024) pieces of a vector, which is changed.
 * Not for direct I/O. */
int adl_rw_readv(int fd, struct iovec *v, int n, int64_t offset, size_t *done);

/* Write `len` bytes at `offset`. Returns 0 (everything written) or -errno;
 * *done is what was written, also on error. */
int adl_rw_write(int fd, const void *buf, size_t len, int64_t offset,
                 size_t *done);

/* Write `len` bytes where the descriptor is: to a terminal, a pipe, the end of
 * a file; in one call if the system takes it so. 0 or -errno. */
int adl_rw_put(int fd, const void *buf, size_t len);

#endif
