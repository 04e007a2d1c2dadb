/* trace.h - every event of chosen ranks, as text, in virtual time */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_TRACE_H
#define SIMULATE_TRACE_H

extern int trace_on; /* some rank is traced */

/* Ranks as "0,4-7" or "all". 0 or -1. */
int trace_choose(const char *ranks);

/* One line: time, rank, text; nothing if the running rank is not chosen. */
void trace_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define TRACE(...)                   \
    do {                             \
        if (trace_on)                \
            trace_line(__VA_ARGS__); \
    } while (0)

#endif
