/* units.h - numbers as people read them */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LP_UNITS_H
#define LP_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define LP_UNIT_MAX 32

/* 1234567 -> "1,234,567" */
const char *lp_count_text(uint64_t n, char out[LP_UNIT_MAX]);
/* A sum that may be larger than any count, or not a number: the closest count.
 */
uint64_t lp_count_of(double sum);
/* 1536 -> "1.5 KiB" */
const char *lp_bytes_text(double bytes, char out[LP_UNIT_MAX]);
/* the same a second */
const char *lp_rate_text(double rate, char out[LP_UNIT_MAX]);
/* 1500 -> "1.5 ms"; microseconds */
const char *lp_time_text(double us, char out[LP_UNIT_MAX]);
/* 0.615 -> "62 %"; below 10 % with a decimal */
const char *lp_percent_text(double part, char out[LP_UNIT_MAX]);

/* A time as people write it, in microseconds: "250ms", "2s", "5m", "1h"; a
 * bare number is seconds. -EINVAL. */
int lp_time_parse(const char *text, int64_t *us);
/* A moment: seconds since the epoch (1458939850.66), or
 * 2026-11-16T21:00:00 in UTC. Microseconds since the epoch. -EINVAL. */
int lp_moment_parse(const char *text, int64_t *us);

#endif
