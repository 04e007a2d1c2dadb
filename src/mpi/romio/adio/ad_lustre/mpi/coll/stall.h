/* stall.h - a collective call that does not move says what it waits for
 *
 * A rank that never makes the call, a message that is never received and a file
 * system that does not answer all look like a program that hangs. When a call
 * has not moved for ROMIO_LUSTRE_STALL seconds, every rank that waits in it, or
 * tests it, prints one line, once: the file, the call, its phase, what it waits
 * for and the state of windows, pool and messages. The call goes on waiting.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_STALL_H
#define ADL_STALL_H

#include <stdint.h>

#include "exchange.h"

/* Of one call; zeros to begin with. */
struct adl_stall {
    uint64_t seen; /* the mark when it moved last */
    int64_t since; /* ns, 0: the clock has not been asked since */
    unsigned looks;
    int printed;
};

/* The call that does not move. */
struct adl_stalled {
    const struct adl_file *file;
    const struct adl_exchange *x;  /* NULL: the call is not in its exchange */
    const struct adl_agree *agree; /* NULL: it is in no agreement */
    const char *phase;
    const char *kind; /* of call */
    int64_t number;   /* among the calls of the engine's files; -1: no engine */
};

/* Local, after a step that has not ended the call. `mark` changes whenever the
 * call moves. 1: it has not changed for `limit` seconds (0: no limit); the
 * caller then prints the line, once. Most calls cost a comparison and do not
 * read the clock. */
int adl_stall_is(struct adl_stall *s, uint64_t mark, int64_t limit);

/* Local. Print the line. */
void adl_stall_tell(const struct adl_stalled *what, int64_t seconds);

#endif
