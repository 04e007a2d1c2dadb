/* access.h - what one rank asks for in one call, free of ROMIO's types */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ACCESS_H
#define ADL_ACCESS_H

#include "adio.h"
#include "../../ad_lustre_compat.h"
#include "../../core/coll/claim.h"
#include "../../core/coll/extents.h"
#include "../../core/coll/plan.h"
#include "../../core/messages/traffic.h"
#include "../../node/prof.h"
#include "file.h"
#include "../../sys/mem.h"

/* The hints and the atomic mode at the time of the call. The call uses this
 * copy only: a program may change hints while nonblocking calls are
 * outstanding, and the ranks begin such a call at different times. State that
 * calls themselves change (the lock mode, `gathered`) is not here: it changes
 * in the order of the calls, the same on all ranks. */
struct adl_settings {
    int atomic;
    int64_t cb_read, cb_write;
    int64_t ds_read, ds_write, ds_in_coll;
    int64_t ind_rd_buffer_size, ind_wr_buffer_size;
    int64_t coll_threshold;
    int64_t same_io_size, contiguous_data;
};

struct adl_access {
    struct adl_settings set;
    char *buf; /* the user's buffer, at datatype offset 0 */
    struct adl_tile file, mem;
    int file_contig, mem_contig;
    int device; /* buf is device memory: the processor cannot access it */
    struct adl_mem_hold *hold; /* ... which the call holds (sys/mem.h) */
    int64_t view;              /* number of the view */
    int64_t disp;              /* its displacement */
    int64_t skip;              /* data bytes of the view before the access */
    int64_t bytes;
    int error;       /* -errno: the access is impossible, and made empty */
    int nonblocking; /* the call returns before it is done */
    int64_t stay;    /* nonblocking: the individual file pointer */
    struct adl_extents ext; /* the cursor, at the first piece */
    struct adl_timing time;
    struct adl_traffic traffic;
    void *owned; /* copies of the tiles' arrays, or NULL */
};

/* Local. From the arguments of an ADIO entry. The tiles point into ROMIO's
 * flattened types: valid as long as view and datatype are. */
void adl_access_init(struct adl_access *acc, ADIO_File fd, const void *buf,
                     adl_count_t count, MPI_Datatype datatype,
                     int file_ptr_type, ADIO_Offset offset);
/* Local. Copy what the access needs of view and datatype, for a call that may
 * outlive them. If malloc fails, the access becomes empty and has an error. */
void adl_access_own(struct adl_access *acc);
/* Local. To be called after the struct was copied: makes the cursor of the copy
 * point into the copy. */
void adl_access_rebase(struct adl_access *acc);
void adl_access_fini(struct adl_access *acc);

/* Local. Absolute offset of the byte after the access in the view: where the
 * individual file pointer goes. */
int64_t adl_access_after(const struct adl_access *acc);

/* Local. This rank's part of the start agreement; the plan remembers it. */
void adl_access_claim(const struct adl_access *acc, struct adl_plan *plan,
                      struct adl_claim *claim);

#endif
