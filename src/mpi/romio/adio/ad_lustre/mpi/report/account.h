/* account.h - an open file whose accesses are counted, and its reports
 *
 * At close, when the file's communicator is freed, one reduction over all its
 * ranks adds up the counters, and rank 0 prints. Ranks that never opened the
 * file take part. Files that MPI_Finalize finds open are reported then, in the
 * order of opening.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ACCOUNT_H
#define ADL_ACCOUNT_H

#include "../../node/prof.h"
#include "../file/file.h"

struct adl_account {
    struct adl_prof prof; /* must be the first member, see adl_account_of */
    struct adl_file *file;
    int64_t opened;  /* since the epoch */
    char **agg_node; /* rank 0: [aggregators] their nodes' names */
    int open_at_end;
    struct adl_job *job; /* the job whose list has this file, or NULL */
    struct adl_account *next;
    MPI_File fh; /* this and the next: see pvars.c */
    struct adl_account *next_counted;
};

/* Local. The account of a file that is counted. */
static inline struct adl_account *adl_account_of(const struct adl_file *f)
{
    return (struct adl_account *)f->prof;
}

#endif
