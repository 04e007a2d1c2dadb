/* lock.h - byte-range locks between processes, for read-modify-write */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LOCK_H
#define ADL_LOCK_H

#include <stdint.h>

/* Wait for an exclusive lock on [off, off + len). A file system without locks
 * (ENOSYS, EOPNOTSUPP: a Lustre mounted without flock) gives -errno. */
int adl_lock_write(int fd, int64_t off, int64_t len);
int adl_lock_read(int fd, int64_t off, int64_t len);
void adl_lock_drop(int fd, int64_t off, int64_t len);

#endif
