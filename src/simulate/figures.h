/* figures.h - the figures of a run: virtual time, messages, memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_FIGURES_H
#define SIMULATE_FIGURES_H

/* Record the times at which phases of the program end. Call it once, before the
 * run. */
void figures_start(void);

/* Print all counters, in a few lines. */
void figures_print(void);

/* Print one line "scale: key=value ...". Times are virtual milliseconds; the
 * time of a phase begins at the end of the phase before. Memory is that of the
 * driver, of ROMIO and of lustre-sim's client. */
void figures_line(const char *driver);

#endif
