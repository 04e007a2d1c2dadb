/* fsprefix.h - the file system's name before a file's, as in lustre:x
 *
 * ROMIO takes everything before the first ':' of a file name as the name of a
 * file system. This module accepts the names of ROMIO's file systems only: any
 * other ':' is part of the file's name (history_15:00:00.nc). To open a file
 * whose name begins like a prefix, name its directory: ./nfs:x.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FSPREFIX_H
#define ADL_FSPREFIX_H

#include <stddef.h>

/* The length of the prefix of `name`, its ':' included; 0: it has none. As in
 * ROMIO, upper and lower case are the same. */
size_t adl_fsprefix_len(const char *name);

#endif
