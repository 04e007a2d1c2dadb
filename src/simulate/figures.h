/* figures.h - the figures of a run: virtual time, messages, memory */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef SIMULATE_FIGURES_H
#define SIMULATE_FIGURES_H

#include <stdint.h>

/* What lustre-sim's servers have counted until now, of all OSTs. The program
 * sets it before it ends a phase. */
struct figures_servers {
    uint64_t locks, callbacks, write_rpcs, read_rpcs;
};
extern struct figures_servers figures_servers;

/* Record the times at which phases of the program end, and count messages by
 * phase and kind. Call it once, before the run. ours: not ROMIO's own driver.
 */
void figures_start(int ours);

/* Print all counters, in a few lines. */
void figures_print(void);

/* Print one line "scale: key=value ...". Times are virtual milliseconds; the
 * time of a phase begins at the end of the phase before. Memory is that of the
 * driver, of ROMIO and of lustre-sim's client. Locks, callbacks and RPCs:
 * until the writer's close, then of the reads; RPCs of writes in the first and
 * of reads in the second. */
void figures_line(const char *driver);

#endif
