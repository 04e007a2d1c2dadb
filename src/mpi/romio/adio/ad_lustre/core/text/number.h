/* number.h - parse a number; for sizes with units see size.h */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_NUMBER_H
#define ADL_NUMBER_H

#include <stdint.h>

/* Decimal, or hexadecimal with 0x; a sign and blanks around it are allowed. The
 * whole text must be the number. -EINVAL: it is not; -ERANGE: does not fit. */
int adl_number_int(const char *text, int64_t *out);

#endif
