/* access.h - what one rank asks for in one call, free of ROMIO's types */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_ACCESS_H
#define ADL_ACCESS_H

#include "adio.h"
#include "../../ad_lustre_compat.h"
#include "../../core/coll/selection.h"
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
    struct adl_selection sel;
    int device; /* buf is device memory: the processor cannot access it */
    struct adl_mem_hold *hold; /* ... which the call holds (sys/mem.h) */
    int nonblocking;           /* the call returns before it is done */
    struct adl_timing time;
    struct adl_traffic traffic;
};

/* Local. From the arguments of an ADIO entry. The tiles point into ROMIO's
 * flattened types: valid as long as view and datatype are. */
void adl_access_init(struct adl_access *acc, ADIO_File fd, const void *buf,
                     adl_count_t count, MPI_Datatype datatype,
                     int file_ptr_type, ADIO_Offset offset);
void adl_access_fini(struct adl_access *acc);

#endif
