/* section.h - the process's critical section, left by a thread that waits
 *
 * ROMIO's calls (and the steps of outstanding ones, see progress.h) run inside
 * one critical section of the process, which may be entered again from inside.
 * A thread that has to wait for other ranks leaves it first: those ranks may be
 * waiting for another thread of this process, which needs the section.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SECTION_H
#define ADL_SECTION_H

void adl_section_enter(void);
void adl_section_exit(void);
/* A number for the call of ROMIO that this thread is in; 0: it is in none. No
 * other call of the process has the number. */
long adl_section_call(void);
/* Enter only if no other thread is inside. 1: entered. */
int adl_section_try(void);

/* adl_section_leave: leave the section completely. Returns how many times this
 * thread had entered it, which may be 0. adl_section_return: enter it again as
 * many times. */
int adl_section_leave(void);
void adl_section_return(int depth);

/* Let other threads enter. */
void adl_section_yield(void);

#endif
