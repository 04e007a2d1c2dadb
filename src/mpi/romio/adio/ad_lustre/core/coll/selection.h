/* selection.h - the bytes that one rank accesses in one call
 *
 * A part of the rank's file view, and where it belongs in memory. ROMIO's types
 * are not here: mpi/file/access.h makes a selection from them.
 */
/* SPDX-License-Identifier: LicenseRef-romio-lustre */
#ifndef ADL_SELECTION_H
#define ADL_SELECTION_H

#include <stdint.h>

#include "claim.h"
#include "extents.h"
#include "plan.h"

struct adl_selection {
    struct adl_tile file, mem;
    int file_contig, mem_contig; /* then the tile is empty */
    int64_t view;                /* number of the view */
    int64_t disp;                /* its displacement */
    int64_t skip;                /* data bytes of the view before the access */
    int64_t bytes;
    int64_t stay; /* where the individual file pointer is before the access */
    int error;    /* -errno: the access is impossible, and made empty */
    struct adl_extents ext; /* the cursor, at the first piece */
    void *owned;            /* copies of the tiles' arrays, or NULL */
};

/* Data bytes of the view that lie before absolute file offset `pos`. */
int64_t adl_selection_before(const struct adl_selection *sel, int64_t pos);

/* Put the cursor to the first piece, when all else is set, and again after the
 * struct was copied. A selection that reaches beyond the largest file offset is
 * refused with -EFBIG. */
void adl_selection_begin(struct adl_selection *sel);
/* Make it an empty one with this error, if that is not 0. The rank must still
 * take part in a collective call, because the other ranks wait for it. */
void adl_selection_refuse(struct adl_selection *sel, int error);

/* Copy the tiles' arrays, for a call that may outlive them. If malloc fails the
 * selection is refused. */
void adl_selection_own(struct adl_selection *sel);
void adl_selection_fini(struct adl_selection *sel);

/* Absolute offset of the byte after the access in the view: where the
 * individual file pointer goes. */
int64_t adl_selection_after(const struct adl_selection *sel);

/* This rank's part of the start agreement; the plan remembers it. */
void adl_selection_claim(const struct adl_selection *sel, struct adl_plan *plan,
                         struct adl_claim *claim);

#endif
