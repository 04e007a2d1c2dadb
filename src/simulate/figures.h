/* figures.h - what a run took: virtual time, messages, memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_FIGURES_H
#define SIMULATE_FIGURES_H

/* Note when phases of the program end. Once, before the run. */
void figures_start(void);

/* All counters, some lines. */
void figures_print(void);

/* One line "scale: key=value ...": times are virtual milliseconds, a phase's
 * from the end of the one before; memory is what the driver, ROMIO and the
 * client of lustre-sim have. */
void figures_line(const char *driver);

#endif
