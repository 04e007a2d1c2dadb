/* size.h - sizes and numbers as people write them
 *
 *   size   = [blanks] [sign] number [unit] [blanks]
 *   number = decimal digits | 0x hexadecimal digits
 *   unit   = (k | m | g | t | p | e) [i] [b] | b,   any case
 *
 * Units are powers of 1024, as in lfs and ROMIO hints: 4M = 4MB = 4MiB.
 * There are no fractions. "-1" stands for "all" or "end of file" in some
 * places; whether a negative value means something is up to the caller.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SIZE_H
#define ADL_SIZE_H

#include <stdint.h>

/* Parse the whole text. -EINVAL: not a size; -ERANGE: does not fit. */
int adl_size_parse(const char *text, int64_t *out);
/* The same for a number, which has no unit. */
int adl_number_parse(const char *text, int64_t *out);

#endif
