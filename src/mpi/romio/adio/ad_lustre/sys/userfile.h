/* userfile.h - small files that a user's environment names
 *
 * Such a path may lie in a directory where others may write (/tmp). Neither a
 * link that somebody else has put there is followed, nor does opening what they
 * put there (a FIFO) block: a job of thousands of ranks would hang on it. A
 * symbolic link is followed if it belongs to us, to root, or to the owner of
 * the directory it is in, as the kernel's protected_symlinks has it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_USERFILE_H
#define ADL_USERFILE_H

#include <stddef.h>

/* The descriptor, or -errno: -ELOOP for a link of somebody else's. `flags` as
 * for open(2), O_CREAT makes it 0666 less the umask. */
int adl_userfile_open(const char *path, int flags);

/* Append `text` in one write; `flags` may be O_TRUNC. A FIFO or a terminal will
 * do, if it takes the text at once. 0 or -errno. */
int adl_userfile_append(const char *path, int flags, const char *text,
                        size_t len);

/* The whole of a regular file as a string, to be freed. -EINVAL: it is
 * something else; -EFBIG: it has more than `max` bytes; -errno. */
int adl_userfile_read(const char *path, size_t max, char **text);

#endif
