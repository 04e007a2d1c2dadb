/* llite.h - what the Lustre client of a mount publishes about itself
 *
 * A mount has a folder FSNAME-INSTANCE below /sys/fs/lustre/llite; which one
 * belongs to a directory the client says itself (an ioctl that names its lov
 * device, FSNAME-clilov-INSTANCE).
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_LLITE_H
#define ADL_LLITE_H

#include <stddef.h>
#include <stdint.h>

/* The mount's name, FSNAME-INSTANCE, of a directory on Lustre. 0 or -errno:
 * -ENOTTY not on Lustre, or a client that does not say. */
int adl_llite_name(const char *dir, char *name, size_t size);

/* First line of a file in the mount's folder, without its end. -ENOENT. */
int adl_llite_read(const char *name, const char *file, char *line, size_t size);

/* Is there such a pool of OSTs? 1, 0, or -errno: the client does not say
 * (-ENODATA). The server takes any name without a word. */
int adl_llite_pool(const char *dir, const char *pool);

/* From how many bytes on a buffered write goes past the cache (hybrid I/O):
 * INT64_MAX where there is no such thing or it is off. */
int64_t adl_llite_direct_from(const char *dir);

#endif
