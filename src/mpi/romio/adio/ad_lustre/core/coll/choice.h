/* choice.h - through the aggregators, or every rank on its own?
 *
 * Aggregate unless told otherwise: with one owner an object there is no lock
 * conflict, however the pieces lie. But who reads one block that nobody else
 * wants has nobody to share with, and no lock conflicts: then the way through
 * an aggregator is a detour. It pays where it spares the servers something:
 * disks their seeks, any server a crowd of requests for the same object, or the
 * reading at all, because the aggregators have written the bytes and have them
 * still. doc/design.md has the measurements behind it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CHOICE_H
#define ADL_CHOICE_H

#include <stdint.h>

#include "claim.h"
#include "terms.h"

/* Requests for one object up to which nobody minds a crowd, and the mean size
 * below which a request costs a server more than its bytes do. */
#define ADL_CHOICE_CROWD 64
#define ADL_CHOICE_SMALL 32768
/* Away from Lustre: bytes of a block worth a read of its own. */
#define ADL_CHOICE_BLOCK 262144

/* What is known of the file and asked for by hints, the same on all ranks. */
struct adl_choice {
    int64_t cb;        /* romio_cb_write or _read: ADL_ENABLE, ... */
    int64_t threshold; /* requests of so many bytes may go alone, 0: none */
    int alone;         /* it cannot be aggregated, whatever is asked for */
    int on_lustre;
    int guarded;    /* not for ranks that do not aggregate: locks, promises */
    int seeks;      /* its OSTs are disks, or nobody knows */
    int gathered;   /* its bytes went through the aggregators in this job */
    int64_t stripe; /* stripe size, and how many objects take turns */
    int objects;
};

/* 1: through the aggregators. Where nobody has anything there is no first
 * window to begin with. */
int adl_choice_aggregate(const struct adl_choice *file,
                         const struct adl_claim *all,
                         const struct adl_terms *terms);

#endif
