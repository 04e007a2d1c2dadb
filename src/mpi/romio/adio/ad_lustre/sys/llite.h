/* llite.h - what the Lustre client of a mount publishes about itself
 *
 * Each mount has a folder FSNAME-INSTANCE below /sys/fs/lustre/llite. An ioctl
 * on a directory returns the name of the mount's lov device,
 * FSNAME-clilov-INSTANCE, and so the name of its folder.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LLITE_H
#define ADL_LLITE_H

#include <stddef.h>
#include <stdint.h>

/* The mount's name, FSNAME-INSTANCE, of a directory on Lustre. 0 or -errno:
 * -ENOTTY not on Lustre, or a client without this ioctl. */
int adl_llite_name(const char *dir, char *name, size_t size);

/* First line of a file in the mount's folder, without its end. -ENOENT. */
int adl_llite_read(const char *name, const char *file, char *line, size_t size);

/* Does this pool of OSTs exist? 1, 0, or -errno (-ENODATA: the client does not
 * publish its pools). The server itself accepts any name without an error. */
int adl_llite_pool(const char *dir, const char *pool);

/* Size from which a buffered write bypasses the cache (hybrid I/O). INT64_MAX:
 * this client does not have it, or it is off. */
int64_t adl_llite_direct_from(const char *dir);

#endif
