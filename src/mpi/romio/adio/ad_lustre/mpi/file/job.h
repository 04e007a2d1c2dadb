/* job.h - what a process remembers from file to file
 *
 * It is an attribute of MPI_COMM_SELF, so that MPI_Finalize frees it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_JOB_H
#define ADL_JOB_H

#include <stdint.h>

#include "../../core/hints/hintspec.h"
#include "../../core/text/notes.h"
#include "../../sys/inode.h"

struct adl_account;
struct adl_file;
struct adl_team;

/* What is known of the file system that was last asked. */
struct adl_filesystem {
    uint64_t dev; /* its st_dev */
    int osts;     /* their number, 0: not known */
    int lockahead_asked, lockahead_works;
    int seeks_asked, seeks; /* of OST `ost` */
    int ost;
};

#define ADL_JOB_GATHERED 16

struct adl_job {
    struct adl_notes seen;      /* lines printed already */
    struct adl_hintspec *hints; /* content of ROMIO_LUSTRE_HINTS_FILE */
    int hints_read;             /* the file was read, or does not exist */
    int env_shown;              /* the environment block was printed */
    struct adl_file *files;     /* open ones, see file.h */
    struct adl_team *teams;     /* see teams.h */
    /* number of the last team that this process made as rank 0 */
    int64_t last_team;
    long teams_used;              /* number of requests for a team so far */
    struct adl_account *accounts; /* open files that are counted */
    int bins_begun;               /* this run's CSV file was begun */
    struct adl_filesystem filesystem;
    int64_t lock_time; /* shortest time of a block's lock, ns; 0: not known */
    /* rank 0: the last files that this job wrote through aggregators */
    struct adl_inode gathered[ADL_JOB_GATHERED];
    int ngathered; /* so far */
    void (*at_end)(
        struct adl_job *job); /* called first in MPI_Finalize, or NULL */
};

/* Local. The state of this process. Ends the job if malloc fails. It is freed
 * with the attributes of MPI_COMM_SELF, in MPI_Finalize, or with the last open
 * file, if that is later: HDF5 closes its files in MPI_Finalize. */
struct adl_job *adl_job(void);
/* Local. A file is not in `job->files` any more. */
void adl_job_leave(struct adl_job *job);

/* Local. What is known of this file system: nothing if another one was asked
 * since. */
struct adl_filesystem *adl_job_filesystem(uint64_t dev);

/* Local. Remember a file that was written through aggregators. Is a file one of
 * these? */
void adl_job_add_gathered(struct adl_job *job, const struct adl_inode *inode);
int adl_job_has_gathered(const struct adl_job *job,
                         const struct adl_inode *inode);

#endif
