/* file.h - the state of an open file
 *
 * Every rank has one for each MPI_File, from the first SetInfo of MPI_File_open
 * until MPI_Comm_free of the file's communicator: it hangs on fd->comm as an
 * attribute, because ROMIO calls the driver's Close only where the file is
 * open, and not at all after a failed open.
 *
 * After OpenColl has succeeded all fields are the same on all ranks, except
 * those marked (own). The modules of open/ set them, and info.c sets the hints.
 * Collective calls change a few of them later (gathered, held, opened, through,
 * alone, reach, spoiled, locks, and the hint of a lock mode that fails), in the
 * order of the calls, so that they stay the same on all ranks.
 * MPI_File_set_info and MPI_File_set_view change hints, host_memory, sieves and
 * views.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_FILE_H
#define ADL_FILE_H

#include "adio.h"

#include "../../core/hints/envvars.h"
#include "../../core/hints/hints.h"
#include "../../core/layout/layout.h"
#include "../../core/coll/ahead.h"
#include "../../core/coll/blockreach.h"
#include "../../core/coll/owner.h"
#include "../../node/locks.h"
#include "../progress/overdue.h"
#include "team.h"

struct adl_engine;
struct adl_prefetch;
struct adl_prof;

/* The aggregators, in owner order: entry a is adl_stripe.owner a. */
struct adl_aggs {
    int count;
    int *rank; /* [count] in fd->comm */
    int *node; /* [count] index of its node */
    int mine;  /* (own) this rank's place in the list, -1: no aggregator */
    int split; /* (rank 0) objects whose owners sit on different nodes */
};

#define ADL_NO_OFFSET (-1)

/* Where an error came from, see failure.h. */
struct adl_failure {
    int rc;         /* 0: no note */
    int rank;       /* in the file's communicator */
    int64_t offset; /* in the file, or ADL_NO_OFFSET */
    char call[16];  /* "write" */
};

struct adl_file {
    ADIO_File fd;
    struct adl_file *next; /* (own) of the open files, file.c's */

    /* ---- which ranks ---- */
    char *name;    /* fd->filename, a copy: outlives fd */
    MPI_Comm comm; /* fd->comm, not to be freed; its errors end the job */
    struct adl_overdue_file overdue; /* both, for lines about long waits */
    int rank;                        /* (own) */
    int nprocs;
    int hidden; /* file of ROMIO's shared file pointer: no hints, no lines */
    long named; /* (own) the call that named that file, see open/pointer.h */

    /* ---- settings of the user ---- */
    struct adl_hints hints; /* in force: hints.cb_write is ADL_ENABLE, ... */
    struct adl_env env;     /* rank 0's environment */
    int host_memory;      /* mpi_assert_memory_alloc_kinds: no device memory */
    uint64_t info_digest; /* (own) of the MPI_Info given at open */
    /* (own) rank 0 prints them at the end of the open */
    struct adl_notes notes;
    int unfilled; /* (own) fd->info has not the hints in force, see info.h */

    /* read-modify-write was enabled once: calls that began then may still be
     * under way */
    int sieves;
    /* number of views set so far, and of other changes of the view */
    int64_t views;

    /* ---- where the bytes are ---- */
    int on_lustre;
    struct adl_ahead reads; /* collective ones; the same on all ranks */
    int seeks;              /* the OSTs have disks, or their kind is unknown */
    /* this job wrote the file through the aggregators: their caches have its
     * bytes */
    int gathered;
    /* Collective writes. through: bytes that went through the aggregators;
     * alone: bytes that the ranks wrote themselves; held: the last write went
     * through the aggregators; opened: every rank has a descriptor. */
    int64_t through, alone;
    int held, opened;
    int ahead;   /* exact locks can be requested */
    int refused; /* (own) blocklock.h: this rank's request was refused */
    struct adl_blockreach blocks; /* (own) what this rank locked last */
    struct adl_layout *layout; /* made up on other file systems than Lustre */
    int64_t end; /* (own) rank 0: the size at open, for APPEND; else 0 */
    /* This open created or truncated the file, and its collective calls have
     * written nothing at or after this offset. INT64_MAX: the file existed, and
     * its bytes are unknown. */
    int64_t reach;
    int64_t apart; /* (own) end of what this rank wrote independently */
    int gid;       /* number of the group lock */
    /* number of the group lock for filling gaps, which only this open uses;
     * 0: none */
    int fill_gid;
    struct adl_locks locks;

    /* ---- which ranks do the I/O ---- */
    struct adl_team *team;  /* used by this file as long as it is open */
    int spoiled;            /* a call failed: no later file may use the team */
    struct adl_nodes nodes; /* those of the team */
    struct adl_aggs aggs;

    /* ---- which rank owns which stripe: NULL until adl_file_schedule ---- */
    struct adl_owner *owner;

    /* ---- (own) descriptors besides fd->fd_sys ---- */
    int readable;   /* fd_sys allows reading, see descriptor.h */
    int retired_fd; /* the write-only descriptor before that, or -1 */

    struct adl_failure failure; /* (own) of the running call */
    int unsieved; /* (own) the line about missing file locks was printed */
    int printed;  /* (own) bits: kinds of failed calls, see errcode.c */

    /* ---- (own) the collective engine's state ---- */
    struct adl_engine *engine;
    void (*engine_free)(struct adl_engine *engine);
    struct adl_prefetch *prefetch; /* aggregators: the engine's, else NULL */

    /* ---- (own) counters and the report; the function runs first of all when
     * the communicator is freed, on all ranks, and may use f->comm ---- */
    struct adl_prof *prof; /* NULL: no report was asked for; see prof.h */
    void (*report)(struct adl_file *f);
};

/* Local. The state of an open file; never NULL after a successful open. */
static inline struct adl_file *adl_file_of(ADIO_File fd)
{
    return fd->fs_ptr;
}

/* Local. Make the state of `fd` (hints at their defaults, all else empty) and
 * hang it on fd->comm. 0 or -ENOMEM. */
int adl_file_create(ADIO_File fd, struct adl_file **out);

/* Local. The open file with this fd->info, or NULL. */
struct adl_file *adl_file_with_info(MPI_Info info);

/* Local. Make `owner`, where it is missing. 0 or -errno. */
int adl_file_schedule(struct adl_file *f);

#endif
