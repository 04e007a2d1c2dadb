/* section.h - one thread at a time, but not while it waits
 *
 * ROMIO's calls (and the steps of outstanding ones, see progress.h) run inside
 * one critical section of the process, which may be entered again from inside.
 * Who is going to wait for other ranks leaves it first: the others may be
 * waiting for another thread of this process, which wants to come in.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SECTION_H
#define ADL_SECTION_H

void adl_section_enter(void);
void adl_section_exit(void);
/* Enter only if no other thread is inside. 1: we are. */
int adl_section_try(void);

/* Leave it however often it was entered (perhaps not at all), and come back. */
int adl_section_leave(void);
void adl_section_return(int depth);

/* Let others in. */
void adl_section_yield(void);

#endif
