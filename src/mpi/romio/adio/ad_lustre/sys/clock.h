/* clock.h - time that only goes forward */
#ifndef ADL_CLOCK_H
#define ADL_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment before the process started. */
int64_t adl_clock_ns(void);

#endif
