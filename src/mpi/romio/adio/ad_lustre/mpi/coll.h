/* coll.h - entry of collective reads and writes */
#ifndef ADL_COLL_H
#define ADL_COLL_H

#include "access.h"
#include "engine.h"

/* Collective over fd->comm. Write what `acc` describes; the error is the same
 * on all ranks. 0 or -errno. */
int adl_coll_write(ADIO_File fd, struct adl_access *acc);

/* Collective over fd->comm. Read what `acc` describes. *bytes is what this rank
 * got: less than asked for where the file ends before. 0 or -errno. */
int adl_coll_read(ADIO_File fd, struct adl_access *acc, int64_t *bytes);

/* Collective over fd->comm. Make what collective calls need, if this file will
 * have any; an error shows up again at the first of them. */
void adl_coll_ready(ADIO_File fd);

/* Local, same on all ranks. What the start agreement says: 0, or why the call
 * fails everywhere (then there is no end agreement); whether it goes through
 * the aggregators. */
int adl_coll_verdict(struct adl_engine *eng, struct adl_access *acc,
                     const struct adl_claim *all);
int adl_coll_aggregates(ADIO_File fd, const struct adl_engine *eng,
                        const struct adl_claim *all, int write);
/* Local, same on all ranks, before the start agreement. 1: whatever it says,
 * the call will not go through the aggregators. */
int adl_coll_alone(ADIO_File fd, const struct adl_engine *eng, int write);

/* Local. This rank's part of the end agreement; and what follows from it. */
void adl_coll_ending(struct adl_engine *eng, struct adl_access *acc, int rc,
                     struct adl_claim *end);
void adl_coll_ended(ADIO_File fd, struct adl_engine *eng,
                    const struct adl_access *acc, const struct adl_claim *end);

#endif
