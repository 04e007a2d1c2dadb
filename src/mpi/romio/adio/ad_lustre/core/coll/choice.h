/* choice.h - does a call go through the aggregators, or each rank on its own?
 *
 * By default a call goes through the aggregators: with one owner for each
 * object there is no lock conflict, wherever the pieces lie. The ranks write by
 * themselves if no two ranks share a block and the blocks are so large that
 * moving them to an aggregator takes longer than the ranks' own locks and
 * requests. The start agreement already has the numbers for this estimate, so
 * the choice needs no further message.
 *
 *   through the aggregators        by the ranks
 *   --------------------------     ---------------------------------------
 *   bytes of the busiest one,      bytes of the busiest rank, once
 *   twice: received, copied        a lock request for each block and object,
 *                                  unless each rank has locked its block
 *   a lock request an object       callbacks, where clients meet in an object
 *                                  descriptors that are not open yet
 *                                  requests smaller than an aggregator's
 *
 * Both columns are estimated times. Their unit is the time in which a process
 * copies one byte (choice.c). Reads have simpler rules: read locks do not
 * conflict. doc/design.md has the measurements behind it.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_CHOICE_H
#define ADL_CHOICE_H

#include <stdint.h>

#include "claim.h"
#include "terms.h"

/* Reads: largest number of requests for one object that does not slow a server
 * down; mean size below which a request costs more than moving its bytes from
 * an aggregator. */
#define ADL_CHOICE_CROWD 64
#define ADL_CHOICE_SMALL 131072
/* Not on Lustre: least bytes of a block that a rank reads by itself. */
#define ADL_CHOICE_BLOCK 262144
/* Writes: a smaller block is not worth a lock and a request of its own. */
#define ADL_CHOICE_LEAST 524288
/* Locks that a rank asks for at the same time. */
#define ADL_CHOICE_LOCKS 4
/* A client's largest request: larger parts of an object save nothing. */
#define ADL_CHOICE_RPC (4 << 20)

/* What the driver knows of the file, and what the hints ask for. The same on
 * all ranks. */
struct adl_choice {
    int64_t cb; /* romio_cb_write or _read: ADL_ENABLE, ... */
    /* ranks move requests of at least this size themselves; 0: no such size */
    int64_t threshold;
    int alone; /* the call cannot be aggregated, whatever the hints say */
    int on_lustre;
    int guarded;  /* a lock mode or hint allows only aggregators to access it */
    int seeks;    /* its OSTs are disks, or of unknown kind */
    int gathered; /* its bytes went through the aggregators in this job */
    int follows;  /* the read continues a sequence (ahead.h) */
    /* stripe size, and number of objects that the stripes are dealt to */
    int64_t stripe;
    int objects;
    int ranks, nodes, aggs;
    int later;  /* a nonblocking write: the io threads do it */
    int ahead;  /* exact locks can be requested before the write */
    int opened; /* every rank has a descriptor */
    int held;   /* the aggregators wrote last and hold the locks */
};

/* 1: the call goes through the aggregators. 0: each rank accesses the file by
 * itself, or no rank has any bytes. */
int adl_choice_aggregate(const struct adl_choice *file,
                         const struct adl_claim *all,
                         const struct adl_terms *terms);

/* For tests and documents: the two estimates for a write. */
struct adl_choice_costs {
    int64_t through, alone;
};
struct adl_choice_costs adl_choice_costs(const struct adl_choice *file,
                                         const struct adl_claim *all);

#endif
