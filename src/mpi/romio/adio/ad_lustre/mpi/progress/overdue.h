/* overdue.h - a rank that waits long for other ranks prints a line, once
 *
 * Open, close and all else that the ranks of a file do together, except
 * collective reads and writes (coll/stall.h), wait in calls of MPI
 * (front/blocking.h). If one such wait takes ROMIO_LUSTRE_STALL seconds, the
 * rank prints the program's call, the file, and which ranks it waits for. Then
 * it goes on waiting. The variable is this process's own: ranks wait before
 * rank 0 has sent its environment.
 *
 * All functions are local.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_OVERDUE_H
#define ADL_OVERDUE_H

#include <stdint.h>

#include "adio.h"

/* One wait. */
struct adl_overdue {
    const char *what; /* MPI's call; NULL: none, the ranks agree */
    MPI_Comm comm;    /* its communicator, or MPI_COMM_NULL */
    int peer;         /* the rank that is waited for; -1: any of them */
    int printed;
    int64_t since; /* ns, 0: the clock has not been asked yet */
    unsigned looks;
};

/* The name of a file, and its communicator. */
struct adl_overdue_file {
    MPI_Comm comm;
    const char *name;
    struct adl_overdue_file *next; /* overdue.c's own */
};

/* Lines about waits on f->comm have f->name from now on, until
 * adl_overdue_forget. That accepts a file that was never given. */
void adl_overdue_know(struct adl_overdue_file *f);
void adl_overdue_forget(struct adl_overdue_file *f);

/* This thread is in the program's `call` from now on, a constant; NULL: in one
 * that the driver does not know. */
void adl_overdue_in(const char *call);

/* For each look for what the rank waits for. Reads the clock rarely. */
void adl_overdue_look(struct adl_overdue *o);

#endif
