/* userfile.h - small files that a user's environment names
 *
 * Such a path may lie in a directory to which other users may write (/tmp). The
 * driver does not follow a link of another user there, and opening a FIFO of
 * another user does not block: a job of thousands of ranks would hang. A
 * symbolic link is followed if it belongs to this user, to root, or to the
 * owner of its directory: the rule of the kernel's protected_symlinks.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_USERFILE_H
#define ADL_USERFILE_H

#include <stddef.h>

/* The descriptor, or -errno: -ELOOP for a link of another user. `flags` as
 * for open(2), O_CREAT makes it 0666 less the umask. */
int adl_userfile_open(const char *path, int flags);

/* Append `text` in one write; `flags` may be O_TRUNC. The file may be a FIFO or
 * a terminal that accepts the text without waiting. 0 or -errno. */
int adl_userfile_append(const char *path, int flags, const char *text,
                        size_t len);

/* The whole of a regular file as a string, to be freed. -EINVAL: it is
 * something else; -EFBIG: it has more than `max` bytes; -errno. */
int adl_userfile_read(const char *path, size_t max, char **text);

#endif
