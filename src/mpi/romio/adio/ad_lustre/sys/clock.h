/* clock.h - time that only goes forward */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CLOCK_H
#define ADL_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment before the process started. */
int64_t adl_clock_ns(void);

/* Nanoseconds since the epoch; for people, and to compare with other nodes. */
int64_t adl_clock_wall_ns(void);

#endif
