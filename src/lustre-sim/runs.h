/* runs.h - sorted lists of byte ranges: what a client has cached or dirtied
 *
 * The runs of one kind of a cobj never touch or overlap: neighbours merge.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef LSIM_RUNS_H
#define LSIM_RUNS_H

#include "shm.h"

/* Add [start, end). Returns the number of new bytes. If the pool is empty, the
 * range is not added and the result is 0. */
uint64_t runs_add(struct ost *o, uint32_t cobj, enum run_kind kind,
                  uint64_t start, uint64_t end);

/* Remove [start, end). Returns how many bytes were there. */
uint64_t runs_cut(struct ost *o, uint32_t cobj, enum run_kind kind,
                  uint64_t start, uint64_t end);

/* The first run that ends after pos, or 0. */
uint32_t runs_after(struct ost *o, uint32_t cobj, enum run_kind kind,
                    uint64_t pos);

/* Put an existing slot into its cobj's list again (recovery). */
void runs_relink(struct ost *o, uint32_t slot);

/* Merge runs that a half done update left overlapping (recovery). */
void runs_merge(struct ost *o, uint32_t cobj);

#endif
