/* account.h - an open file whose accesses are counted, and its reports
 *
 * At close, when the file's communicator is freed, all its ranks reduce their
 * counters once, also those that never opened the file, and rank 0 prints.
 * Files that MPI_Finalize finds open are reported then, in the order of
 * opening.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ACCOUNT_H
#define ADL_ACCOUNT_H

#include "../../node/prof.h"
#include "../file/file.h"

struct adl_account {
    struct adl_prof prof; /* first, see adl_account_of */
    struct adl_file *file;
    int64_t opened;  /* since the epoch */
    char **agg_node; /* rank 0: [aggregators] their nodes' names */
    int open_at_end;
    struct adl_job *job; /* in whose list of open files it is, or NULL */
    struct adl_account *next;
    MPI_File fh; /* this and the next: see pvars.c */
    struct adl_account *next_counted;
};

/* Local. Of a file that is counted. */
static inline struct adl_account *adl_account_of(const struct adl_file *f)
{
    return (struct adl_account *)f->prof;
}

#endif
