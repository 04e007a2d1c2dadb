/* glob.h - shell patterns for file and host names
 *
 * `*` any bytes, also '/' and leading dots; `?` one byte; `[a-b]`, `[!a]`,
 * `[^a]` sets; `\` makes the next byte literal. Bytes, not characters: the
 * result does not depend on the locale. An open `[` without its `]` is an
 * ordinary byte. Unlike some fnmatch(3), never worse than len x len steps.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_GLOB_H
#define ADL_GLOB_H

#include <stdbool.h>

bool adl_glob_match(const char *pattern, const char *name);

#endif
